import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Dictionary } from '../../engine/submission/dictionary/dictionary.ts'
import { graphModel } from '../../engine/submission/graphql/model.ts'
import { canRun, DIALECTS, prepareBed } from '../shared/database/support/dialects.ts'
import { AskedGraph, argumentsOf, reader } from './support/asked-graph.ts'
import { graphs, MADE_TYPES, REFERENCES } from './support/made-graph.ts'
import { type NaiveNode, NaiveQueries, type NaiveType } from './support/naive-queries.ts'
import { oddQueries } from './support/odd-queries.ts'
import { ADMIN, AS_ADMIN, MadeSubmission } from './support/service.ts'

/** The number of graphs to submit and query. */
const GRAPHS = 4
const QUERIES = 30

const PROJECT = 'DEMO-ONE'
const OTHER = 'DEMO-TWO'
/** The users of the queries: readers of one project, and an administrator (null). */
const VIEWS = [null, null, PROJECT, OTHER] as const
const WITH_TYPES = [...MADE_TYPES, 'project', 'program', 'center', 'tissue_source_site'] as const

type Document = Readonly<Record<string, unknown>>

describe.each(DIALECTS.filter(canRun))('queries over graphs in %s', (dialect) => {
  let made: MadeSubmission
  let asked: AskedGraph
  let dictionary: Dictionary
  let types: Readonly<Record<string, NaiveType>>
  const bed = prepareBed(dialect)
  beforeAll(async () => {
    made = await MadeSubmission.open({}, bed.server && (await bed.place()))
    asked = new AskedGraph(made)
    dictionary = await MadeSubmission.dictionary()
    types = Object.fromEntries(
      [...dictionary.types.values()].map(({ name, category, links }) => [
        name,
        { category, links: Object.fromEntries(links) },
      ]),
    )
  })
  beforeEach(() => made.reset())
  afterAll(() => made.close())

  /** Submits documents to one project and a case to another, and returns all entities. */
  async function submit(documents: readonly Document[]): Promise<NaiveQueries> {
    await made.reset()
    await made.register(PROJECT)
    await made.register(OTHER)
    const body = Buffer.from(JSON.stringify(REFERENCES))
    await made.submission.administration.putReferences({ ...AS_ADMIN, body, format: 'json' })
    const other = documents.slice(0, 1).map((one) => ({ ...one, projects: { code: 'TWO' } }))
    const batches = [
      [PROJECT, documents],
      [OTHER, other],
    ] as const
    const nodes = await registered()
    for (const [project, batch] of batches) {
      const answer = await made.upload('create', project, batch)
      expect(answer.entities.flatMap(({ errors }) => errors)).toEqual([])
      const ids = answer.entities.map(({ id }) => id ?? '')
      nodes.push(...batch.map((one, i) => nodeOf(one, ids[i] ?? '', project, nodes, batch, ids)))
    }
    return new NaiveQueries(nodes, types)
  }

  /** The entities that exist before any submission, in the order of answers. */
  async function registered(): Promise<NaiveNode[]> {
    const found = await asked.found(`{
      program { id type name dbgap_accession_number }
      project(first: 0) { id type code name state project_id dbgap_accession_number released }
      center { id type code name namespace short_name center_type }
      tissue_source_site { id type code }
    }`)
    const program = found.program[0].id
    const all: Record<string, unknown>[] = [
      ...found.program,
      ...found.project,
      ...found.center,
      ...found.tissue_source_site,
    ]
    return all
      .map(({ id, type, project_id = null, ...values }) => ({
        id: String(id),
        type: String(type),
        name: null,
        values,
        project: project_id as string | null,
        parents: (type === 'project' ? { programs: [program] } : {}) as NaiveNode['parents'],
      }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
  }

  function nodeOf(
    document: Document,
    id: string,
    project: string,
    nodes: readonly NaiveNode[],
    batch: readonly Document[],
    ids: readonly string[],
  ): NaiveNode {
    const { type, submitter_id: name, ...others } = document
    const links = types[String(type)]?.links ?? {}
    const parents: Record<string, string[]> = {}
    const values: Record<string, unknown> = {}
    for (const [key, value] of Object.entries(others)) {
      if (!(key in links)) {
        values[key] = value
        continue
      }
      parents[key] = [value].flat().map((parent) => {
        const keys = parent as Document
        if (keys.submitter_id !== undefined) {
          return ids[batch.findIndex((one) => one.submitter_id === keys.submitter_id)] ?? ''
        }
        const target = links[key]?.target
        return nodes.find((one) => one.type === target && one.values.code === keys.code)?.id ?? ''
      })
    }
    return { id, type: String(type), name: String(name), project, values, parents }
  }

  /** Documents without a character that a query cannot search for; one test below has it. */
  const documents = () =>
    graphs(dictionary).map((all) =>
      JSON.parse(JSON.stringify(all).replaceAll('\\u0000', '?')),
    ) as fc.Arbitrary<readonly Document[]>

  function seen(naive: NaiveQueries, project: string | null): NaiveQueries {
    if (project === null) return naive
    const isSeen = ({ type, project: own }: NaiveNode) =>
      own === project || (type !== 'project' && own === null)
    return new NaiveQueries(naive.nodes.filter(isSeen), types)
  }

  test('lists and counts are what a filter over all entities finds', async () => {
    const model = graphModel(dictionary)
    for (const [i, all] of fc.sample(documents(), { numRuns: GRAPHS, seed: 15 }).entries()) {
      const naive = await submit(all)
      const asking = fc
        .record({ type: fc.constantFrom(...WITH_TYPES), project: fc.constantFrom(...VIEWS) })
        .chain(({ type, project }) =>
          askings(naive, type, model, dictionary).map((given) => ({ type, project, given })),
        )
      for (const one of fc.sample(asking, { numRuns: QUERIES, seed: i })) await compare(naive, one)
    }
  })

  async function compare(naive: NaiveQueries, { type, project, given }: Asking) {
    const mine = seen(naive, project)
    const { first: _, ...counted } = given
    const query = `{
      ${type}${argumentsOf(given)} { id }
      _${type}_count${argumentsOf(given)}
      all: _${type}_count${argumentsOf(counted)}
    }`
    const principal = project === null ? ADMIN : reader(project)
    const found = await asked.found(query, { principal })
    const nodes = mine.ofType(type)
    expect(
      {
        list: found[type].map(({ id }: { id: string }) => id),
        counts: [found[`_${type}_count`], found.all],
      },
      query,
    ).toEqual({
      list: mine.list(nodes, given),
      counts: [mine.count(nodes, given), mine.count(nodes, counted)],
    })
  }

  test('queries of any shape are answered or refused', async () => {
    for (const all of fc.sample(documents(), { numRuns: 1, seed: 17 })) await submit(all)
    const odd = oddQueries(graphModel(dictionary))
    for (const query of fc.sample(odd, { numRuns: 100, seed: 48 })) {
      // Any other error is thrown.
      expect([200, 400], query).toContain((await asked.ask(query)).status)
    }
  })

  test('fields of links lead to what is linked', async () => {
    const model = graphModel(dictionary)
    for (const all of fc.sample(documents(), { numRuns: GRAPHS / 2, seed: 16 })) {
      const naive = await submit(all)
      for (const [i, type] of WITH_TYPES.entries()) {
        const fields = [...(model.types.get(type)?.neighbours.values() ?? [])]
          .filter(({ type: other }) => WITH_TYPES.some((one) => one === other))
          .map(({ field }) => field)
        const page = { first: i % 4, offset: i % 2 }
        const query = linksQuery(type, fields, argumentsOf(page))
        const expected = naive.ofType(type).map((node) => linksOf(naive, node, fields, page))
        expect((await asked.found(query))[type], query).toEqual(expected)
      }
    }
  })
})

interface Asking {
  readonly type: string
  /** The reader's project; null for an administrator. */
  readonly project: string | null
  readonly given: Readonly<Record<string, unknown>>
}

function linksQuery(type: string, fields: readonly string[], page: string): string {
  const linked = fields.map((field) => `${field}${page} { id } _${field}_count`).join(' ')
  return `{ ${type}(first: 0) { id ${linked} _links${page} { id } _related_cases${page} { id } } }`
}

function linksOf(naive: NaiveQueries, node: NaiveNode, fields: readonly string[], page: object) {
  const told = (nodes: readonly NaiveNode[]) => naive.list(nodes, { ...page }).map((id) => ({ id }))
  const linked = fields.flatMap((field) => {
    const nodes = naive.linked(node, field)
    return [
      [field, told(nodes)],
      [`_${field}_count`, nodes.length],
    ]
  })
  return {
    id: node.id,
    ...Object.fromEntries(linked),
    _links: told(naive.neighbours(node)),
    _related_cases: told(naive.relatedCases(node)),
  }
}

/** Arguments for a type, with values that mostly exist. */
function askings(
  naive: NaiveQueries,
  type: string,
  model: ReturnType<typeof graphModel>,
  dictionary: Dictionary,
): fc.Arbitrary<Record<string, unknown>> {
  const described = model.types.get(type)
  if (!described) throw new Error(`the model has no ${type}`)
  const nodes = naive.ofType(type)
  const some = fc.constantFrom(...nodes, ...naive.nodes.slice(0, 1))
  const fields = [...described.neighbours.keys()].filter((field) =>
    nodes.some((node) => naive.linked(node, field).length > 0),
  )
  const field = fc.constantFrom(...(fields.length > 0 ? fields : described.neighbours.keys()))
  const listOf = <T>(one: fc.Arbitrary<T>) => fc.oneof(one, fc.array(one, { maxLength: 3 }))
  const orders = [...described.properties]
    .filter(([name, kind]) => kind !== 'texts' && nodes.some(({ values }) => name in values))
    .map(([name]) => name)
  const order = fc.constantFrom('id', 'submitter_id', 'type', ...orders)
  const properties = some.chain((node) => propertiesOf(node, type, model))
  const end = fc.constantFrom(...naive.nodes).chain((node) =>
    fc.tuple(propertiesOf(node, node.type, model), fc.boolean()).map(([values, isNamed]) => ({
      type: node.type,
      ...(isNamed ? { id: node.id } : values),
    })),
  )
  const ends = listOf(
    fc.oneof(
      end,
      fc.constantFrom(...dictionary.types.keys()).map((name) => ({ type: name })),
    ),
  )
  const parts: Record<string, fc.Arbitrary<unknown>> = {
    first: fc.nat(4),
    offset: fc.nat(2),
    ids: fc.array(
      fc.oneof(
        some.map(({ id }) => id),
        fc.uuid(),
      ),
      { maxLength: 4 },
    ),
    id: some.map(({ id }) => id.toUpperCase()),
    quick_search: some.chain(({ id, name }) =>
      fc
        .tuple(fc.constantFrom(id, name ?? id), fc.nat(20), fc.integer({ min: 1, max: 5 }))
        .map(([text, start, length]) =>
          [...text]
            .slice(start % text.length, (start % text.length) + length)
            .join('')
            .toUpperCase(),
        ),
    ),
    project_id: listOf(fc.constantFrom(PROJECT, OTHER, 'DEMO-THREE')),
    order_by_asc: order,
    order_by_desc: order,
    with_links: listOf(field),
    with_links_any: listOf(field),
    without_links: listOf(field),
    with_path_to: ends,
    with_path_to_any: ends,
    without_path_to: ends,
    not: listOf(properties),
  }
  const names = Object.keys(parts).filter(
    (name) => described.neighbours.size > 0 || !/links/.test(name),
  )
  return fc
    .tuple(fc.subarray(names, { maxLength: 3 }), properties, fc.boolean())
    .chain(([wanted, own, isOwn]) =>
      fc
        .record(Object.fromEntries(wanted.map((name) => [name, parts[name] ?? fc.constant(1)])))
        .map((given) => ({ ...(isOwn ? own : {}), ...given })),
    )
}

/** Some properties of a node, each with its value alone or among others. */
function propertiesOf(
  { values, name }: NaiveNode,
  type: string,
  { types }: ReturnType<typeof graphModel>,
): fc.Arbitrary<Record<string, unknown>> {
  const kinds = types.get(type)?.properties
  const own = Object.entries({ ...values, submitter_id: name }).filter(
    ([key, value]) => kinds?.has(key) && value !== null,
  )
  return fc
    .subarray(own, { maxLength: Math.min(2, own.length) })
    .chain((pairs) =>
      fc
        .tuple(...pairs.map(([, value]) => among(value)))
        .map((drawn) => Object.fromEntries(pairs.map(([key], i) => [key, drawn[i]]))),
    )
}

function among(value: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(value)) return fc.subarray(value)
  const others = typeof value === 'number' ? fc.integer({ min: 0, max: 9 }) : fc.constant(value)
  return fc.oneof(
    fc.constant(value),
    fc.array(others, { maxLength: 2 }).map((all) => [value, ...all]),
  )
}
