import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  buildClientSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  parse,
  validate,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DATASETS } from '../../../engine/commons/datasets/index.ts'
import { countedFields } from '../../../engine/commons/graphql/counted-fields.ts'
import { type AskedPlace, askedPlaces } from './support/asked-places.ts'
import { type MadePortal, PORTALS } from './support/made-portal.ts'

// One document for each operation of the portal (portal.md 5), with its paths, arguments and fields, in
// `documents/`. A client library of GraphQL, which knows nothing of this server, finds each valid by the
// schema that the server tells; each is answered whole; and where it counts, it counts what REST counts.

const FOLDER = join(import.meta.dirname, 'documents')

interface Operation {
  readonly name: string
  readonly query: string
  /**
   * Variables; names such as `$GENE` stand for values that depend on the data, and `breast` for a site with
   * mutations.
   */
  readonly variables: string
}

const OPERATIONS: readonly Operation[] = readdirSync(FOLDER).map((file) => {
  const query = readFileSync(join(FOLDER, file), 'utf8')
  const [, variables = '{}'] = /^# (\{.*\})\n/.exec(query) ?? []
  return { name: file.replace('.graphql', ''), query, variables }
})

interface Bucket {
  readonly key: string
  readonly doc_count: number
}

/** Returns the buckets counted in a document, with the interface's names in place of its own. */
function bucketsOf(
  shown: readonly Record<string, unknown>[] | undefined,
): readonly Bucket[] | undefined {
  const buckets = shown?.map(({ name, count, key = name, doc_count = count }) => ({
    key,
    doc_count,
  }))
  return buckets?.every(({ doc_count }) => doc_count !== undefined)
    ? (buckets as readonly Bucket[])
    : undefined
}

/** The number of a facet's buckets that are also counted separately. */
const COUNTED_ALONE = 5
const MISSING = '_missing'
const BOOLEANS = new Map([
  ['1', 'true'],
  ['0', 'false'],
])

/** Returns counts by value. GraphQL lists both values of a boolean, as 1 and 0. */
const counted = (buckets: readonly Bucket[]) =>
  Object.fromEntries(
    buckets
      .filter(({ doc_count }) => doc_count !== 0)
      .map(({ key, doc_count }) => [key.replace(/^true$/, '1').replace(/^false$/, '0'), doc_count]),
  )

/** The number of members in the sets that the documents change. */
const OWN_SIZE = 3

describe.each(PORTALS)('over %s', (_, isThere, open, site) => {
  if (!isThere) return test.skip('needs the public data')
  let portal: MadePortal
  let schema: GraphQLSchema
  let values: ReadonlyMap<string, string>

  const posted = (path: string, body: object) => portal.posted(path, body)
  const rest = (path: string, body: object) => portal.rest(path, body)
  const totalOf = (path: string, body: object) => portal.total(path, body)
  const firstId = async (path: string, field: string) =>
    (await rest(path, { size: 1, fields: field })).hits[0][field] as string

  beforeAll(async () => {
    portal = await open()
    const { body } = await posted('/graphql', { query: getIntrospectionQuery() })
    schema = buildClientSchema(body.data)
    const sites = { case: [site, 'brain'], other: ['brain', 'kidney'] }
    const setOf = async (type: 'case' | 'gene' | 'ssm', of: readonly string[], size?: number) => {
      const content = { field: 'cases.primary_site', value: of }
      const asked = { type, caseFilters: { op: 'in', content }, size, client: 'test' }
      return `set_id:${(await portal.engine.commons.sets.create(asked)).id}`
    }
    const types = ['case', 'gene', 'ssm'] as const
    const sets = await Promise.all(
      types.flatMap((type) => [
        setOf(type, sites.case).then((id) => [`$SET_${type}`, id] as const),
        setOf(type, sites.other, 5).then((id) => [`$OTHER_${type}`, id] as const),
      ]),
    )
    const own = await Promise.all(
      types.map(async (type) => [`$OWN_${type}`, await setOf(type, sites.case, OWN_SIZE)] as const),
    )
    values = new Map([
      ...sets,
      ...own,
      ['$CASE', await firstId('/cases', 'case_id')],
      ['$FILES', await firstId('/files', 'file_id')],
      ['$GENE', await firstId('/genes', 'gene_id')],
      ['$SSM', await firstId('/ssms', 'ssm_id')],
      ['$PROJECT', await firstId('/projects', 'project_id')],
    ])
  })
  afterAll(() => portal[Symbol.asyncDispose]())

  const variablesOf = ({ variables }: Operation): Readonly<Record<string, unknown>> =>
    JSON.parse(
      variables
        .replaceAll(/\$[A-Z]+(_[a-z]+)?/g, (name) => values.get(name) ?? name)
        .replaceAll('"breast"', JSON.stringify(site)),
    )

  const answers = new Map<string, Answer>()

  /** The answer to a document, whose form depends on the document. */
  type Answer = Awaited<ReturnType<MadePortal['ask']>>

  test.each(OPERATIONS)('$name is valid by the schema, and answered whole', async (operation) => {
    expect(validate(schema, parse(operation.query))).toEqual([])
    const asked = { query: operation.query, variables: variablesOf(operation) }
    const { status, body } = await posted('/v0/graphql', asked)
    // Clients treat any member `errors` as a failure, and no requested branch is null (portal.md 1.2).
    expect([status, Object.keys(body), body.errors]).toEqual([200, ['data'], undefined])
    expect(connectionsIn(body.data).filter(({ value }) => value === null)).toEqual([])
    answers.set(operation.name, body.data)
  })

  /** Lists the connections and buckets that clients read without a check. */
  function connectionsIn(data: unknown, path = ''): readonly { path: string; value: unknown }[] {
    if (typeof data !== 'object' || data === null) return []
    return Object.entries(data).flatMap(([name, value]) => {
      const at = `${path}.${name}`
      const isRead = ['hits', 'edges', 'buckets', 'aggregations', 'total'].includes(name)
      return [...(isRead ? [{ path: at, value }] : []), ...connectionsIn(value, at)]
    })
  }

  const operationOf = (name: string) => OPERATIONS.find((one) => one.name === name) as Operation
  const given = (name: string) => variablesOf(operationOf(name))
  test.each(
    OPERATIONS.filter(
      ({ query }) => /\b(hits|aggregations)\b/.test(query) && !query.includes('cart_summary'),
    ),
  )('$name has the counts, facets and records of REST', async (operation) => {
    const { name, query } = operation
    const places = askedPlaces(query, variablesOf(operation), answers.get(name))
    expect(places).not.toEqual([])
    for (const asked of places) {
      await (asked.kind === 'hits' ? mustHaveRecords(asked) : mustHaveFacets(asked))
    }
  })

  async function mustHaveRecords({ place, at, args, ...asked }: AskedPlace) {
    const answered = asked.answered as Answer
    const { filters, case_filters, first = 10, offset: from, score } = args
    const { idField } = DATASETS[place.dataset]
    const edges: readonly Answer[] | undefined = answered.edges
    const { pagination, hits } = await rest(`/${place.dataset}`, {
      ...{ filters, case_filters, fields: idField, from, size: edges ? first : 0 },
      sort: ((args.sort ?? []) as readonly { field: string; order: string }[])
        .filter(({ field }) => !field.startsWith('_'))
        .map(({ field, order }) => `${field}:${order}`)
        .join(),
    })
    if (score !== undefined) {
      // Lists by score have an order that REST lacks, and only records with a score.
      const total = await scoredTotal(place.dataset, { filters, case_filters })
      if ('total' in answered) expect([at, answered.total]).toEqual([at, total])
      return
    }
    if ('total' in answered) expect([at, answered.total]).toEqual([at, pagination.total])
    const shown = edges?.map(({ node }) => node[idField]) ?? []
    if (shown.every((id) => id !== undefined) && edges) {
      expect([at, shown]).toEqual([at, hits.map((hit: Answer) => hit[idField])])
    }
  }

  /** Counts the genes mutated in cases of a cohort, or the mutations that occur there. */
  async function scoredTotal(dataset: string, asked: object): Promise<number> {
    const path = dataset === 'genes' ? '/analysis/top_mutated_genes_by_project' : '/ssms'
    return await totalOf(path, asked)
  }

  async function mustHaveFacets({ place, at, args, members, ...asked }: AskedPlace) {
    const answered = asked.answered as Answer
    const { filters, case_filters, aggregations_filter_themselves: isFiltered = true } = args
    for (const [alias, member] of members) {
      const buckets = bucketsOf(answered[alias].buckets)
      const field = countedFields(place).get(member)?.name
      if (!buckets || !field) continue
      // REST's facets ignore a filter's conditions on their own field.
      const own = isFiltered ? buckets.slice(0, COUNTED_ALONE) : []
      for (const { key, doc_count } of own) {
        const value = { op: '=', content: { field, value: BOOLEANS.get(key) ?? key } }
        const both = { op: 'and', content: filters ? [filters, value] : [value] }
        if (key === MISSING) continue
        const total = await totalOf(`/${place.dataset}`, { filters: both, case_filters })
        expect([at, field, key, doc_count]).toEqual([at, field, key, total])
      }
      if (isFiltered && JSON.stringify(filters ?? {}).includes(field)) continue
      const { aggregations } = await rest(`/${place.dataset}`, {
        ...{ size: 0, facets: field, filters, case_filters },
      })
      expect([at, field, counted(buckets)]).toEqual([
        ...[at, field],
        counted(aggregations[field].buckets),
      ])
    }
  }

  test.each([
    ['set-create-case', '/cases', 'case', (data: Answer) => data.sets.create.explore.case],
    [
      ...(['set-create-case-of-repository', '/cases', 'case'] as const),
      (data: Answer) => data.sets.create.repository.case,
    ],
    ['set-create-gene', '/genes', 'gene', (data: Answer) => data.sets.create.explore.gene],
    ['set-create-ssm', '/ssms', 'ssm', (data: Answer) => data.sets.create.explore.ssm],
  ] as const)('%s makes a set of what REST finds', async (name, path, type, read) => {
    const { filters, case_filters } = given(name).input as Answer
    const { set_id: id, size } = read(answers.get(name))
    // Clients write the prefix in front of the id themselves (portal.md 7.1).
    expect(id).toMatch(/^[0-9a-f]{32}$/)
    const total = await totalOf(path, { filters, case_filters })
    const bySet = { op: '=', content: { field: `${type}_id`, value: `set_id:${id}` } }
    expect([size, await totalOf(path, { filters: bySet })]).toEqual([total, total])
    expect(total).toBeGreaterThan(0)
  })

  test.each(['gene', 'ssm'])('a set of %ss grows and shrinks under its id', (type) => {
    const id = values.get(`$OWN_${type}`)?.replace('set_id:', '')
    const appended = answers.get(`set-append-${type}`).sets.append.explore[type]
    const emptied = answers.get(`set-remove-${type}`).sets.remove_from.explore[type]
    expect(appended).toEqual({ set_id: id, size: OWN_SIZE + 4 })
    expect(emptied).toEqual({ set_id: id, size: 0 })
  })

  test('the parts of a set operation and the Venn diagram add up', async () => {
    const inFirst = answers.get('counts-of-case-set').viewer.explore.cases.hits.total
    const onlyFirst = answers.get('set-operations-case').viewer.explore.cases.hits.total
    const both = await totalOf('/cases', {
      filters: {
        op: 'and',
        content: ['$SET_case', '$OTHER_case'].map((name) => ({
          op: 'in',
          content: { field: 'cases.case_id', value: values.get(name) },
        })),
      },
    })
    expect(onlyFirst + both).toBe(inFirst)
    const { explore } = answers.get('comparison-venn').viewer
    expect(explore.intersection.hits.total).toBe(await totalOf('/cases', {}))
    expect(explore.onlySecond.hits.total).toBe(inFirst)
  })

  test('the case page shows the case that it asks for, with its files and samples', async () => {
    const id = values.get('$CASE')
    const [{ node }] = answers.get('case-biospecimen').viewer.repository.cases.hits.edges
    expect(node.case_id).toBe(id)
    const { hits } = await rest('/cases', {
      ...{ filters: { op: '=', content: { field: 'case_id', value: id } } },
      ...{ fields: 'samples.sample_id', size: 1 },
    })
    const samples = (hits[0].samples ?? []) as readonly { sample_id: string }[]
    expect(node.samples.hits.total).toBe(samples.length)
    expect(node.samples.hits.edges.map((edge: Answer) => edge.node.sample_id).toSorted()).toEqual(
      samples.map(({ sample_id }) => sample_id).toSorted(),
    )
  })

  test('the clinical page finds the aggregations of cases in second place, in the type itself', () => {
    const [, second] = answers.get('introspection-of-cases').__type.fields
    expect(second.name).toBe('aggregations')
    expect(second.type.fields.map(({ name }: { name: string }) => name)).toContain(
      'demographic__gender',
    )
  })

  test('equal scores are in the order of ids, and any other order of a scored list is refused', async () => {
    const { hits } = answers.get('ssms-table').viewer.explore.ssms
    const shown = hits.edges.map(({ node }: Answer) => [-node.score, node.ssm_id])
    expect(shown.toSorted(byScoreAndId)).toEqual(shown)
    const { query } = operationOf('ssms-table')
    for (const sort of [
      [{ field: '_uid', order: 'desc' }],
      [{ field: '_uid', order: 'asc' }],
      [
        { field: '_score', order: 'desc' },
        { field: 'chromosome', order: 'asc' },
      ],
    ]) {
      const variables = { ...given('ssms-table'), sort }
      const { status, body } = await posted('/graphql', { query, variables })
      expect([status, body.message]).toEqual([400, expect.stringContaining('equal scores by _uid')])
    }
  })

  test('without a score a list is in the order of ids', async () => {
    const query = `query ($sort: [Sort]) { explore { ssms { hits(first: 20, sort: $sort) {
      edges { node { ssm_id } } } } } }`
    const sort = [
      { field: '_score', order: 'desc' },
      { field: '_uid', order: 'asc' },
    ]
    const { body } = await posted('/graphql', { query, variables: { sort } })
    const ids = body.data.explore.ssms.hits.edges.map(({ node }: Answer) => node.ssm_id)
    const { hits } = await rest('/ssms', { size: 20, sort: 'ssm_id:asc', fields: 'ssm_id' })
    expect(ids).toEqual(hits.map(({ ssm_id }: Answer) => ssm_id))
  })

  type Scored = readonly [number, string]
  const byScoreAndId = ([one, a]: Scored, [other, b]: Scored) => one - other || (a < b ? -1 : 1)
})
