import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { all, type MadePortal, PORTALS, within } from './support/made-portal.ts'

// Sets by GraphQL (portal.md 7.1), with the checks of portal.md 15 by their numbers. Expected results come from
// REST searches with the ids of the members.

describe.each(PORTALS)('over %s', (_, isThere, open) => {
  describe.skipIf(!isThere)('all checks', () => {
    let portal: MadePortal

    beforeAll(async () => {
      portal = await open()
    })
    afterAll(() => portal[Symbol.asyncDispose]())

    type Input = Readonly<Record<string, unknown>>
    const TYPES = {
      create: 'CreateSetInput',
      append: 'AppendSetInput',
      remove_from: 'RemoveFromSetInput',
    }

    const documentOf = (operation: keyof typeof TYPES, member: string, index = 'explore') =>
      `mutation ($input: ${TYPES[operation]}) { sets { ${operation} { ${index} { ${member}(input: $input) { set_id size } } } } }`

    async function change(operation: keyof typeof TYPES, member: string, input: Input) {
      const data = await portal.ask(documentOf(operation, member), { input })
      return data.sets[operation].explore[member] as {
        readonly set_id: string
        readonly size: number
      }
    }

    const refused = async (operation: keyof typeof TYPES, member: string, input: Input) => {
      const query = documentOf(operation, member)
      const { status, body } = await portal.posted('/graphql', { query, variables: { input } })
      expect(Object.keys(body)).toEqual(['errors', 'message'])
      return [status, body.message] as const
    }

    async function idsOf(path: string, idField: string, body: object = {}): Promise<string[]> {
      const { hits } = await portal.rest(path, { fields: idField, size: 10_000, ...body })
      return hits.map((hit: Record<string, string>) => hit[idField]).toSorted()
    }

    test('A21: a set of genes by their ids has those that exist', async () => {
      const [a, b] = (await idsOf('/genes', 'gene_id')) as [string, string]
      const filters = within('genes.gene_id', a, b, 'ENSG00000000000')
      const { set_id: id, size } = await change('create', 'gene', { filters, set_type: 'mutable' })
      expect(size).toBe(2)
      const query =
        'query ($f: FiltersArgument) { explore { genes { hits(filters: $f, first: 0) { total } } } }'
      const f = { op: '=', content: { field: 'genes.gene_id', value: `set_id:${id}` } }
      expect((await portal.ask(query, { f })).explore.genes.hits.total).toBe(2)
      const { body } = await portal.posted('/genes', { filters: within('gene_id', `set_id:${id}`) })
      expect([body.data.pagination.total, body.warnings]).toEqual([2, {}])
    })

    describe('A22: a set of the cases that a filter finds', () => {
      const filters = within('cases.demographic.gender', 'female')
      let id = ''
      let ids: readonly string[] = []
      let others: readonly string[] = []
      const bySet = (op = 'in', ...more: readonly string[]) => ({
        op,
        content: { field: 'cases.case_id', value: [`set_id:${id}`, ...more] },
      })
      const byIds = () => within('cases.case_id', ...ids)

      beforeAll(async () => {
        ids = await idsOf('/cases', 'case_id', { filters })
        const every = await idsOf('/cases', 'case_id')
        others = every.filter((one) => !ids.includes(one))
        const made = await change('create', 'case', {
          filters,
          set_type: 'ephemeral',
          intent: 'portal',
        })
        id = made.set_id
        expect(made.size).toBe(await portal.total('/cases', { filters }))
        expect(Math.min(ids.length, others.length)).toBeGreaterThan(1)
      })

      test('filters by every operator as its members do', async () => {
        const query =
          'query ($f: FiltersArgument) { explore { cases { hits(filters: $f, first: 0) { total } } } }'
        const totalOf = async (f: object) =>
          (await portal.ask(query, { f })).explore.cases.hits.total
        expect(await totalOf(bySet())).toBe(ids.length)
        expect(await totalOf(bySet('exclude'))).toBe(others.length)
        expect(await totalOf(bySet('excludeifany'))).toBe(others.length)
        expect(await totalOf(bySet('in', others[0] as string))).toBe(ids.length + 1)
      })

      test('is the cohort of files', async () => {
        const query =
          'query ($f: FiltersArgument) { repository { files { hits(case_filters: $f, first: 0) { total } } } }'
        const { repository } = await portal.ask(query, { f: bySet() })
        const total = await portal.total('/files', { filters: byIds() })
        expect(repository.files.hits.total).toBe(total)
        expect(total).toBeGreaterThan(0)
      })

      test('has the survival and the manifest of the filter', async () => {
        const survival = (one: object) => portal.posted('/analysis/survival', { filters: [one] })
        const [own, wanted] = [await survival(bySet()), await survival(filters)]
        const donors = ({ body }: typeof own) => body.results[0].donors.length
        expect([own.status, donors(own)]).toEqual([200, donors(wanted)])
        expect(donors(own)).toBeGreaterThan(0)
        const manifest = (one: object) =>
          portal.text('/files', { filters: one, return_type: 'manifest', size: 10_000 })
        expect(await manifest(bySet())).toBe(await manifest(filters))
      })
    })

    test('A23: the top genes that are no members join a set, and leave it', async () => {
      const [first, ...rest] = (
        await portal.rest('/analysis/top_mutated_genes_by_project?size=10', {})
      ).hits.map(({ gene_id: id }: { gene_id: string }) => id) as [string, ...string[]]
      const { set_id: id, size } = await change('create', 'gene', {
        filters: within('genes.gene_id', first),
      })
      const of = `set_id:${id}`
      const appended = await change('append', 'gene', {
        ...{ set_id: of, size: 5, score: 'case.project.project_id' },
        filters: { op: 'excludeifany', content: { field: 'genes.gene_id', value: [of] } },
      })
      expect(appended).toEqual({ set_id: id, size: size + 5 })
      const members = () => idsOf('/genes', 'gene_id', { filters: within('gene_id', of) })
      expect(await members()).toEqual([first, ...rest.slice(0, 5)].toSorted())
      const top = within('genes.gene_id', ...rest.slice(0, 5))
      expect(await change('remove_from', 'gene', { set_id: id, filters: top })).toEqual({
        ...{ set_id: id, size },
      })
      expect(await members()).toEqual([first])
      for (const none of [0, -3]) {
        const { size: same } = await change('append', 'gene', { set_id: of, size: none })
        expect(same).toBe(size)
      }
    })

    test('the first members are those of the highest score, or of the order that is asked for', async () => {
      const { hits } = await portal.rest('/analysis/top_mutated_genes_by_project?size=4', {})
      const top = hits.map(({ gene_id: id }: { gene_id: string }) => id).toSorted()
      const score = 'case.project.project_id'
      const scored = await change('create', 'gene', { filters: {}, size: 4, score })
      const membersOf = (id: string) =>
        idsOf('/genes', 'gene_id', { filters: within('gene_id', `set_id:${id}`) })
      expect(await membersOf(scored.set_id)).toEqual(top)
      const sort = [{ field: 'gene_id', order: 'desc' }]
      const sorted = await change('create', 'gene', { filters: {}, size: 4, sort })
      const last = await portal.rest('/genes', { size: 4, sort: 'gene_id:desc', fields: 'gene_id' })
      expect(await membersOf(sorted.set_id)).toEqual(
        last.hits.map((gene: { gene_id: string }) => gene.gene_id).toSorted(),
      )
    })

    test('A24: an unknown set matches nothing and excludes nothing, without a warning', async () => {
      const unknown = (field: string, op = 'in') => ({
        op,
        content: { field, value: ['set_id:gone'] },
      })
      const query = `query ($c: FiltersArgument, $g: FiltersArgument, $s: FiltersArgument, $n: FiltersArgument) {
    repository { files { hits(case_filters: $c, first: 0) { total } } }
    explore {
      cases { hits(filters: $c, first: 0) { total } all: hits(filters: $n, first: 0) { total } }
      genes { hits(filters: $g, first: 0) { total } }
      ssms { hits(filters: $s, first: 0) { total } } } }`
      const { repository, explore } = await portal.ask(query, {
        c: unknown('cases.case_id'),
        g: unknown('genes.gene_id'),
        s: unknown('ssms.ssm_id'),
        n: unknown('cases.case_id', 'exclude'),
      })
      const totals = [repository.files, explore.cases, explore.genes, explore.ssms]
      expect(totals.map(({ hits }) => hits.total)).toEqual([0, 0, 0, 0])
      expect(explore.cases.all.total).toBe(await portal.total('/cases'))
      const filters = unknown('cases.case_id')
      for (const body of [{ filters }, { case_filters: filters }]) {
        const { status, body: answer } = await portal.posted('/files', { ...body, size: 0 })
        expect([status, answer.data.pagination.total, answer.warnings]).toEqual([200, 0, {}])
      }
      const made = await change('create', 'case', { filters })
      expect(made.size).toBe(0)
      const manifest = await portal.text('/files', { filters, return_type: 'manifest' })
      expect(manifest.trim().split('\n')).toHaveLength(1)
    })

    test('a set may have other members under its id, of another type it may not', async () => {
      const [a, b] = (await idsOf('/ssms', 'ssm_id')) as [string, string]
      const { set_id: id } = await change('create', 'ssm', { filters: within('ssm_id', a) })
      const input = { set_id: `set_id:${id}`, filters: within('ssm_id', b) }
      expect(await change('create', 'ssm', input)).toEqual({ set_id: id, size: 1 })
      expect(await idsOf('/ssms', 'ssm_id', { filters: within('ssm_id', `set_id:${id}`) })).toEqual(
        [b],
      )
      expect(await refused('append', 'gene', { set_id: id })).toEqual([
        ...[400, expect.stringContaining('the type ssm, and gene is requested')],
      ])
    })

    test('sets and files of the repository are made, too, and several in one document are made in order', async () => {
      const query = `mutation ($c: CreateSetInput, $f: CreateSetInput) { sets {
    create { repository { few: file(input: $f) { size id: set_id __typename } case(input: $c) { size } } } } }`
      const f = { filters: {}, size: 2 }
      const data = await portal.ask(query, { f, c: { filters: all() } })
      expect(data.sets.create.repository).toEqual({
        few: { size: 2, id: expect.stringMatching(/^[0-9a-f]{32}$/), __typename: 'StoredSet' },
        case: { size: await portal.total('/cases') },
      })
    })

    test('what cannot be done is an error, not a set named null', async () => {
      const { set_id: frozen } = await change('create', 'gene', { filters: {}, set_type: 'frozen' })
      const gone = '0'.repeat(32)
      expect((await refused('append', 'gene', { set_id: gone }))[0]).toBe(404)
      expect((await refused('remove_from', 'gene', { set_id: 'null' }))[0]).toBe(404)
      expect((await refused('create', 'gene', { set_id: gone }))[0]).toBe(404)
      expect((await refused('append', 'gene', { set_id: frozen }))[0]).toBe(409)
      for (const input of [
        { filters: { op: 'in' } },
        { filters: within('nonsense', 'x') },
        { set_type: 'eternal' },
        { score: 'nonsense' },
        { sort: [{ field: 'nonsense' }] },
        { unknown: 1 },
      ]) {
        expect([input, (await refused('create', 'gene', input))[0]]).toEqual([input, 400])
      }
      const { status } = await portal.posted('/graphql', {
        query: 'mutation { sets { create { explore { gene { size } } } } }',
      })
      expect(status).toBe(400)
    })

    test('a document that makes too many sets makes none', async () => {
      const sets = Array.from({ length: 11 }, (_, i) => `s${i}: gene(input: {}) { size }`).join(' ')
      const query = `mutation { sets { create { explore { ${sets} } } } }`
      const column = query.indexOf('s10:') + 1
      const { status, body } = await portal.posted('/graphql', { query })
      expect([status, body.message]).toEqual([
        ...[400, `the query makes or changes more than 10 sets at line 1, column ${column}`],
      ])
    })

    test.each(['subscription { explore { cases { hits { total } } } }', 'subscription { a }'])(
      'an operation that there is not is refused: %s',
      async (query) => {
        const { status, body } = await portal.posted('/graphql', { query })
        expect([status, body.data]).toEqual([400, undefined])
        expect(body.message).toContain('subscription')
      },
    )

    test('an unknown member of a mutation is refused', async () => {
      const { status, body } = await portal.posted('/graphql', {
        query: 'mutation { explore { a } }',
      })
      expect([status, body.message]).toEqual([400, expect.stringContaining('"Mutation"')])
    })
  })
})
