import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildRelease } from '../../../engine/commons/release/build.ts'
import { writeSources } from '../../../engine/commons/release/support/documents.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { eventually } from '../../eventually.ts'
import { openEngine, serveRelease } from '../../places.ts'
import { appOf } from '../search/support/app.ts'
import { Jar } from './support/jar.ts'
import { all, type MadePortal, PORTALS, within } from './support/made-portal.ts'

// Checks of the portal's specification (portal.md 15) that stand in no other file, by their numbers. The others:
// A1, A7, A9 to A12, A14 to A17, A19, A20 and A35 are in search-graph.test.ts, A21 to A24 in set-changes.test.ts and A31
// in operations.test.ts, all also over the imported cohort. More of A25 and A28 is in ../cohorts.test.ts, of A26 and A29
// in ../contract/client-requests.test.ts, of A27 in ../sets.test.ts and of A37 in ../sets-of-releases.test.ts.

interface Bucket {
  readonly key: string
  readonly doc_count: number
}

/** Fields that the portal's pages count (portal.md 5.2); the first has one value in each record. */
const FACETS = [
  [
    '/cases',
    'explore',
    [
      'primary_site',
      'disease_type',
      'demographic.gender',
      'project.project_id',
      'samples.tissue_type',
      'files.data_category',
      'files.experimental_strategy',
      'diagnoses.tissue_or_organ_of_origin',
      'available_variation_data',
    ],
  ],
  [
    '/files',
    'repository',
    [
      'data_type',
      'access',
      'data_category',
      'data_format',
      'cases.primary_site',
      'cases.samples.tissue_type',
      'analysis.workflow_type',
      'index_files.data_format',
    ],
  ],
  ['/genes', 'explore', ['biotype', 'gene_chromosome']],
  [
    '/ssms',
    'explore',
    [
      'mutation_subtype',
      'consequence.transcript.consequence_type',
      'consequence.transcript.annotation.vep_impact',
      'occurrence.case.project.project_id',
    ],
  ],
  [
    '/projects',
    '',
    [
      'project_id',
      'program.name',
      'primary_site',
      'disease_type',
      'summary.experimental_strategies.experimental_strategy',
    ],
  ],
] as const

describe.each(PORTALS)('over %s', (_, isThere, open) => {
  describe.skipIf(!isThere)('all checks', () => {
    let portal: MadePortal

    beforeAll(async () => {
      portal = await open()
    })
    afterAll(() => portal[Symbol.asyncDispose]())

    const COHORTS: readonly object[] = [
      within('cases.primary_site', 'breast'),
      within('cases.demographic.gender', 'female'),
      within('cases.project.project_id', 'MADE-1', 'TCGA-CHOL'),
      within('cases.samples.tissue_type', 'Tumor'),
      within('cases.diagnoses.age_at_diagnosis', 0),
      { op: '>=', content: { field: 'cases.diagnoses.age_at_diagnosis', value: 20_000 } },
      { op: 'exclude', content: { field: 'cases.primary_site', value: 'brain' } },
      { op: 'NOT', content: { field: 'cases.demographic.race', value: 'MISSING' } },
      within('files.access', 'open'),
      all(within('files.data_format', 'BAM'), within('cases.demographic.gender', 'male')),
    ]

    test('A2, A3: what belongs to the cases of a cohort is what names one of its cases', async () => {
      const query = `query ($f: FiltersArgument) {
    repository { files { hits(case_filters: $f, first: 0) { total } } }
    explore {
      genes { hits(case_filters: $f, first: 0) { total } }
      ssms { hits(case_filters: $f, first: 0) { total } }
    } }`
      let found = 0
      for (const filters of COHORTS) {
        const cases = await portal.rest('/cases', { filters, size: 10_000, fields: 'case_id' })
        const ids: readonly string[] = cases.hits.map((one: { case_id: string }) => one.case_id)
        const { repository, explore } = await portal.ask(query, { f: filters })
        const named = (field: string) => ({ filters: within(field, ...ids) })
        const totals = [
          repository.files.hits.total,
          explore.genes.hits.total,
          explore.ssms.hits.total,
        ]
        const expected =
          ids.length === 0
            ? [0, 0, 0]
            : [
                await portal.total('/files', named('cases.case_id')),
                await portal.total('/genes', named('case.case_id')),
                await portal.total('/ssms', named('occurrence.case.case_id')),
              ]
        expect([JSON.stringify(filters), totals]).toEqual([JSON.stringify(filters), expected])
        if (ids.length > 0) found++
      }
      expect(found).toBeGreaterThan(5)
    })

    test('A4: conditions on the cohort and on the list may hold for two files of a case', async () => {
      const [one, other] = (await portal.rest('/files', { size: 0, facets: 'data_type' }))
        .aggregations.data_type.buckets
      const filters = within('files.data_type', other.key)
      const caseFilters = within('files.data_type', one.key)
      const { repository } = await portal.ask(
        `query ($c: FiltersArgument, $f: FiltersArgument) { repository {
      cases { hits(case_filters: $c, filters: $f, first: 0) { total } }
      files { hits(case_filters: $c, filters: $f, first: 0) { total } } } }`,
        { c: caseFilters, f: filters },
      )
      // No file has two types, so a single group of conditions on files would find nothing.
      const both = all(filters, caseFilters)
      expect(await portal.total('/files', { filters: both })).toBe(0)
      expect(repository.cases.hits.total).toBeGreaterThan(0)
      expect(repository.files.hits.total).toBeGreaterThan(0)
    })

    test('A8: a truth value has both buckets, also where no record has one of them', async () => {
      const field = 'is_cancer_gene_census'
      const others = { op: 'exclude', content: { field: `genes.${field}`, value: ['true'] } }
      const { explore } = await portal.ask(
        `query ($f: FiltersArgument) { explore { genes { aggregations(filters: $f) {
      is_cancer_gene_census { buckets { doc_count key key_as_string } } } } } }`,
        { f: others },
      )
      const { buckets } = explore.genes.aggregations.is_cancer_gene_census
      const counts = new Map<string, number>(
        buckets.map(({ doc_count, key }: Bucket) => [key, doc_count]),
      )
      const none = await portal.total('/genes', { filters: within(field, 'false') })
      expect([counts.get('1'), counts.get('0')]).toEqual([0, none])
    })

    test.each(FACETS)(
      'A5, A6: facets of %s are those of REST, with and without conditions on themselves',
      async (path, index, fields) => {
        const dataset = path.slice(1)
        const [first = ''] = fields
        const { aggregations } = await portal.rest(path, { size: 0, facets: fields.join() })
        const values = aggregations[first].buckets.filter(({ key }: Bucket) => key !== '_missing')
        const f = within(`${dataset}.${first}`, ...values.slice(0, 2).map(({ key }: Bucket) => key))
        const named = fields.map(
          (name) =>
            `${dataset}__${name.replaceAll('.', '__')}: ${name.replaceAll('.', '__')} { buckets { doc_count key } }`,
        )
        const aliased = (as: string, value: string) =>
          `${as}: aggregations(filters: $f ${value}) { ${named.join(' ')} }`
        const themselves = (is: boolean) => `aggregations_filter_themselves: ${is}`
        const lists = `${aliased('no', themselves(false))} ${aliased('yes', themselves(true))} ${aliased('absent', '')} hits(filters: $f, first: 0) { total }`
        const place =
          index === '' ? `${dataset} { ${lists} }` : `${index} { ${dataset} { ${lists} } }`
        const data = await portal.ask(`query ($f: FiltersArgument) { ${place} }`, { f })
        const { no, yes, absent, hits } = (index === '' ? data : data[index])[dataset]
        const rest = await portal.rest(path, { size: 0, facets: fields.join(), filters: f })
        const shown = fields.map((name) => no[`${dataset}__${name.replaceAll('.', '__')}`])
        expect(shown).toEqual(fields.map((name) => rest.aggregations[name]))
        expect(yes).toEqual(absent)
        const own: readonly Bucket[] = yes[`${dataset}__${first.replaceAll('.', '__')}`].buckets
        // The first field of each list has one value.
        expect(own.reduce((sum, { doc_count: count }) => sum + count, 0)).toBe(hits.total)
        expect(hits.total).toBeGreaterThan(0)
      },
    )

    test('A13: every name that introspection tells is a facet of REST without a warning', async () => {
      const { t } = await portal.ask(
        '{ t: __type(name: "ExploreCases") { fields { name type { fields { name type { name } } } } } }',
      )
      interface Field {
        readonly name: string
        readonly type: { readonly name: string }
      }
      const fields: readonly Field[] = t.fields[1].type.fields
      const names = fields.map(({ name }) => name.replaceAll('__', '.'))
      expect(names.length).toBeGreaterThan(100)
      const { status, body } = await portal.posted('/cases', { size: 0, facets: names.join() })
      expect([status, body.warnings]).toEqual([200, {}])
      for (const [i, { type }] of fields.entries()) {
        const counted = body.data.aggregations[names[i] ?? '']
        const wanted = type.name === 'NumericAggregations' ? 'stats' : 'buckets'
        expect([names[i], Object.keys(counted)]).toEqual([names[i], [wanted]])
      }
    })

    test('A18: consequences by pages of three are those of the record, each with its own id', async () => {
      interface Consequence {
        readonly id: string
        readonly transcript: { readonly transcript_id: string }
      }
      const [ssm] = (
        await portal.rest('/ssms', { size: 1, expand: 'consequence.transcript', fields: 'ssm_id' })
      ).hits
      const shown: Consequence[] = []
      let total = 0
      for (let offset = 0; offset === 0 || offset < total; offset += 3) {
        const { explore } = await portal.ask(
          `query ($f: FiltersArgument, $o: Int) { explore { ssms { hits(first: 1, filters: $f) {
        edges { node { consequence { hits(first: 3, offset: $o) { total
          edges { node { id transcript { transcript_id } } } } } } } } } } }`,
          { f: within('ssms.ssm_id', ssm.ssm_id), o: offset },
        )
        const { hits } = explore.ssms.hits.edges[0].node.consequence
        total = hits.total
        shown.push(...hits.edges.map(({ node }: { node: Consequence }) => node))
      }
      expect(shown.map(({ transcript }) => transcript.transcript_id).toSorted()).toEqual(
        ssm.consequence.map((one: Consequence) => one.transcript.transcript_id).toSorted(),
      )
      expect(new Set(shown.map(({ id }) => id)).size).toBe(shown.length)
    })

    test('A25: the life of a cohort, in one browser and seen from another', async () => {
      const [jar, stranger] = [new Jar(portal), new Jar(portal)]
      expect((await jar.ask('/cohorts?include_case_ids=true')).body).toEqual([])
      expect(jar.last).toMatch(/^gdc_context_id=[0-9a-f]{32}; Path=\/; HttpOnly;/)
      const own = { name: 'Own', filters: all(within('cases.primary_site', 'brain')) }
      const made = await jar.save('/cohorts?delete_existing=false', { ...own, type: 'dynamic' })
      expect([made.status, made.body.filters]).toEqual([201, own.filters])
      const taken = await jar.save('/cohorts?delete_existing=false', { ...own, name: 'oWN' })
      const message = 'Bad Request: Name must be unique (case-insensitive)'
      expect([taken.status, taken.body.message]).toEqual([400, message])
      const { body: again } = await jar.save('/cohorts?delete_existing=true', own)
      expect(again.id).not.toBe(made.body.id)
      const listed = async (by: Jar) =>
        (await by.ask('/cohorts')).body.map(({ id }: { id: string }) => id)
      expect(await listed(jar)).toEqual([again.id])
      const path = `/cohorts/${again.id}`
      const { body: changed } = await jar.save(path, { ...own, name: 'Other' }, 'PUT')
      expect([changed.id, changed.name]).toEqual([again.id, 'Other'])
      expect([await listed(stranger), (await stranger.ask(path)).status]).toEqual([[], 404])
      const end = async () => (await jar.ask(path, { method: 'DELETE' })).status
      expect([await end(), await end(), await listed(jar)]).toEqual([204, 404, []])
    })

    const form = async (path: string, ...pairs: readonly (readonly [string, string])[]) => {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
      const body = String(
        new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])),
      )
      const response = await portal.request(path, { method: 'POST', headers, body })
      const bytes = Buffer.from(await response.arrayBuffer())
      return { status: response.status, headers: response.headers, bytes, text: String(bytes) }
    }
    const COOKIE = [
      ['downloadCookieKey', 'ab12'],
      ['downloadCookiePath', '/'],
    ] as const

    test('A26: a download ends the cookie of its page, and a failed one does not', async () => {
      const asked = [['return_type', 'manifest'], ['size', '10000'], ...COOKIE] as const
      const right = await form('/files', ['filters', '{}'], ...asked)
      expect([right.status, right.headers.getSetCookie()]).toEqual([
        ...[200, ['ab12=; Path=/; Max-Age=0']],
      ])
      expect(right.text.trim().split('\n')).toHaveLength(1 + (await portal.total('/files')))
      const wrong = await form('/files', ['filters', '{"op":"in"}'], ...asked)
      expect([wrong.status, wrong.headers.getSetCookie()]).toEqual([400, []])
      expect(wrong.text).toMatch(/^\{"error":"/)
    })

    test('A27: one set is a table, and two are an archive of both', async () => {
      const tables = await Promise.all(
        (['case', 'gene'] as const).map(async (type) => {
          const { body } = await portal.posted('/sets', { type, size: 3 })
          const id: string = body.data.set_id
          const { text } = await form('/tar_sets', ['sets', JSON.stringify({ id, type })])
          expect(text).toMatch(new RegExp(`^${type}_id\n([^\n]+\n){3}$`))
          return {
            text,
            given: ['sets', JSON.stringify({ id, type, filename: `${type}.tsv` })] as const,
          }
        }),
      )
      const archive = await form('/tar_sets', ...tables.map(({ given }) => given), ...COOKIE)
      expect([archive.status, archive.headers.getSetCookie()]).toEqual([
        ...[200, ['ab12=; Path=/; Max-Age=0']],
      ])
      // POSIX ustar: a head of 512 bytes begins with the name, and the bytes follow.
      const tar = gunzipSync(archive.bytes).toString('latin1')
      for (const [i, name] of ['case.tsv', 'gene.tsv'].entries()) {
        const at = tar.indexOf(`${name}\0`)
        const { text } = tables[i] as { text: string }
        expect([at % 512, tar.slice(at + 512, at + 512 + text.length)]).toEqual([0, text])
      }
    })

    test('A28: nobody is logged in, and is told so', async () => {
      const { status, headers, body } = await new Jar(portal).ask('/auth/user')
      expect([status, headers.get('content-type')]).toEqual([401, 'application/json'])
      expect(Object.keys(body)).toEqual(['error', 'message'])
    })

    test('A29: the fields of cases and files have five texts each', async () => {
      const fields = JSON.parse(await (await portal.request('/gql/_mapping')).text())
      for (const [name, field] of Object.entries<Readonly<Record<string, unknown>>>(fields)) {
        expect(field.full).toBe(name)
        expect(Object.values(field).map((one) => typeof one)).toEqual(Array(5).fill('string'))
      }
      const types = new Set(Object.keys(fields).map((name) => name.split('.', 1)[0]))
      expect([...types].toSorted()).toEqual(['cases', 'files'])
    })

    test.each([
      ['broken syntax', '{ explore {'],
      ['an unknown field', '{ explore { cases { hits(first: 0) { totals } } } }'],
      ['an unknown argument', '{ explore { cases { hits(firsts: 0) { total } } } }'],
      ['a text for a number', '{ explore { cases { hits(first: "0") { total } } } }'],
    ])('A30: %s is refused with a message and without data', async (_, query) => {
      const { status, body } = await portal.posted('/graphql', { query })
      expect(status).toBe(400)
      expect(Object.keys(body).toSorted()).toEqual(['errors', 'message'])
      expect(body.message.length).toBeGreaterThan(10)
    })

    test('A32: how the portal writes filters means what REST means by them', async () => {
      const query =
        'query ($f: FiltersArgument) { explore { cases { hits(filters: $f, first: 0) { total } } } }'
      const totalOf = async (f: unknown) =>
        (await portal.ask(query, { f })).explore.cases.hits.total
      const plain = within('cases.primary_site', 'breast')
      const everything = await portal.total('/cases')
      expect(await totalOf({ ...all(plain), isLoggedIn: true })).toBe(await totalOf(plain))
      expect(await totalOf(all())).toBe(everything)
      expect(await totalOf({ op: 'or', content: [] })).toBe(everything)
      expect(
        await totalOf({ op: 'in', content: { field: 'cases.primary_site', value: 'breast' } }),
      ).toBe(await totalOf(plain))
      const present = { op: 'NOT', content: { field: 'cases.demographic.race', value: 'MISSING' } }
      const absent = { op: 'is', content: { field: 'cases.demographic.race', value: 'MISSING' } }
      expect((await totalOf(present)) + (await totalOf(absent))).toBe(everything)
    })

    test('A33: sixty counts, 64 aliases and 50,000 ids in a list are answered', async () => {
      const counted = 'aggregations { primary_site { buckets { doc_count key } } }'
      const aliases = Array.from({ length: 60 }, (_, i) => `a${i}: ${counted}`).join('\n')
      const first = await portal.ask(`{ explore { cases { ${aliases} } } }`)
      expect(Object.keys(first.explore.cases)).toHaveLength(60)
      const totals = Array.from({ length: 64 }, (_, i) => `t${i}: hits(first: 0) { total }`).join(
        '\n',
      )
      const second = await portal.ask(`{ explore { cases { ${totals} } } }`)
      expect(Object.keys(second.explore.cases)).toHaveLength(64)
      const known = (await portal.rest('/cases', { size: 10, fields: 'case_id' })).hits
      const ids = [
        ...known.map((one: { case_id: string }) => one.case_id),
        ...Array.from(
          { length: 50_000 },
          (_, i) => `00000000-0000-4000-8000-${`${i}`.padStart(12, '0')}`,
        ),
      ]
      const query =
        'query ($f: FiltersArgument) { explore { cases { hits(filters: $f, first: 0) { total } } } }'
      const { explore } = await portal.ask(query, { f: within('cases.case_id', ...ids) })
      expect(explore.cases.hits.total).toBe(known.length)
    })

    test('A36: mutations of a region have a chromosome with chr, a score and all their transcripts', async () => {
      const region = all(
        within('ssms.chromosome', 'chr1'),
        { op: '>=', content: { field: 'ssms.start_position', value: 1 } },
        { op: '<=', content: { field: 'ssms.end_position', value: 250_000_000 } },
      )
      const { explore } = await portal.ask(
        `query ($f: FiltersArgument) { explore { ssms { hits(first: 5000, offset: 0, filters: $f,
      score: "occurrence.case.project.project_id",
      sort: [{ field: "_score", order: desc }, { field: "_uid", order: asc }]) { total
        edges { node { ssm_id score chromosome consequence { hits { edges { node { transcript { transcript_id } } } } } } } } } } }`,
        { f: region },
      )
      const { hits } = await portal.rest('/ssms', {
        ...{ filters: region, size: 5000, fields: 'ssm_id', expand: 'consequence.transcript' },
      })
      interface Ssm {
        readonly ssm_id: string
        readonly consequence?: readonly unknown[]
      }
      const transcripts = new Map(
        hits.map(({ ssm_id, consequence = [] }: Ssm) => [ssm_id, consequence.length]),
      )
      expect(explore.ssms.hits.edges).toHaveLength(transcripts.size)
      expect(transcripts.size).toBeGreaterThan(0)
      for (const { node } of explore.ssms.hits.edges) {
        expect(node.chromosome).toMatch(/^chr/)
        expect(node.score).toBeGreaterThanOrEqual(1)
        expect(node.consequence.hits.edges).toHaveLength(transcripts.get(node.ssm_id) as number)
      }
    })

    test('A34: 10,000 aliases of a dear count are refused before they cost anything', async () => {
      const counts = Array.from(
        { length: 10_000 },
        (_, i) => `a${i}: aggregations { case_id { buckets { key } } }`,
      )
      const { status } = await portal.posted('/graphql', {
        query: `{ explore { cases { ${counts.join(' ')} } } }`,
      })
      expect(status).toBe(400)
      expect(await portal.total('/cases')).toBeGreaterThan(0)
    })

    test('A37: sets and cohorts outlive a restart and a release, also for a second server', async () => {
      const own = await open()
      try {
        const { hits } = await own.rest('/cases', { size: 20, fields: 'submitter_id' })
        const ids = hits.map(({ id }: { id: string }) => id)
        const { body } = await own.posted('/sets', {
          ...{ type: 'case', filters: within('cases.case_id', ...ids) },
        })
        const set = within('cases.case_id', `set_id:${body.data.set_id}`)
        const jar = new Jar(own)
        await jar.save('/cohorts', { name: 'kept', filters: set })
        const cohorts = async () =>
          (await jar.ask('/cohorts')).body.map(({ filters }: { filters: unknown }) => filters)
        await own.restart()
        expect([await own.total('/cases', { filters: set }), await cohorts()]).toEqual([20, [set]])
        const { dataFolder } = own
        const second = await openEngine({ dataFolder, executor: inlineExecutor })
        try {
          await second.start()
          const filters = encodeURIComponent(JSON.stringify(set))
          const answer = await appOf(second).request(`/cases?size=0&filters=${filters}`)
          expect(JSON.parse(await answer.text()).data.pagination.total).toBe(20)
        } finally {
          await second.close()
        }
        const cases = hits
          .slice(3)
          .map(({ id, ...rest }: { id: string }) => ({ case_id: id, ...rest }))
        await buildRelease({
          folder: own.engine.commons.releases.path,
          sources: await writeSources(dataFolder, { cases }),
          facts: {
            id: 'later',
            dataRelease: 'Data Release 99.0',
            version: { major: 99, minor: 0, releaseDate: '2030-01-01' },
            createdAt: '2030-01-01T00:00:00.000Z',
          },
          executor: inlineExecutor,
        })
        await serveRelease(own.engine, 'later')
        await eventually(() => expect(own.engine.commons.releaseFacts()?.id).toBe('later'))
        expect([await own.total('/cases', { filters: set }), await cohorts()]).toEqual([17, [set]])
        const { data } = JSON.parse(await (await own.request(`/sets/${body.data.set_id}`)).text())
        expect([data.size, data.lost]).toEqual([17, 3])
      } finally {
        await own[Symbol.asyncDispose]()
      }
    })

    test('A38: survival of an empty list of conditions is that of all cases', async () => {
      const curves = async (filter: object) =>
        (await portal.posted('/analysis/survival', { filters: [filter] })).body.results[0].donors
          .length
      const everybody = await curves({})
      expect(await curves({ op: 'and', content: [] })).toBe(everybody)
      expect(everybody).toBeGreaterThan(0)
    })
  })
})
