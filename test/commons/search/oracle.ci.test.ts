import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { DATASET_NAMES, type DatasetName } from '../../../engine/commons/datasets/define.ts'
import { DATASETS } from '../../../engine/commons/datasets/index.ts'
import { createResolver } from '../../../engine/commons/datasets/resolver.ts'
import { selectFacets, sortKeys } from '../../../engine/commons/datasets/select.ts'
import { evaluate, evaluateJob } from '../../../engine/commons/query/evaluate.ts'
import { layoutsOf } from '../../../engine/commons/query/field-cost.ts'
import { withHistograms } from '../../../engine/commons/query/histograms.ts'
import { keysOf } from '../../../engine/commons/query/keys.ts'
import type { Answer, Query } from '../../../engine/commons/query/query.ts'
import { joinAnswers, splitQuery } from '../../../engine/commons/query/split.ts'
import { joinsOf } from '../../../engine/commons/query/support/joins.ts'
import { parseFilter } from '../../../engine/commons/query/support/parse-filter.ts'
import { arraysOf } from '../../../engine/commons/release/arrays.ts'
import { buildRelease } from '../../../engine/commons/release/build.ts'
import { Release } from '../../../engine/commons/release/release.ts'
import { inlineExecutor, Scratch } from '../../../engine/shared/executor.ts'
import { randomFrom } from '../../../fixtures/random.ts'
import { DOCUMENTS } from '../../../fixtures/release/make-release.ts'
import { planRelease } from '../../../fixtures/release/plan.ts'
import { MADE_NAMES, SCALES } from '../../../fixtures/release/scale.ts'
import { depth } from '../../depth.ts'
import { type Flavour, randomDocuments } from './random-documents.ts'
import { kindsOf, RELATED_KINDS, type RelatedKind, Requests } from './random-requests.ts'
import { relatedDocuments, relatedView } from './related-documents.ts'
import { shrunk } from './shrink.ts'
import { type Answered, type Asked, answer, ownField, type View } from './simple-evaluator.ts'
import type { Document, OwnDocuments } from './whole-documents.ts'

// The engine agrees with an independent evaluator on 20,000 generated filters; some requests have no filter.
// Other seeds: ORACLE_SEED=7; more: ORACLE_REQUESTS=200000.
const SEED = Number(process.env.ORACLE_SEED ?? 1)
const REQUESTS = Number(process.env.ORACLE_REQUESTS ?? depth(400, 4_000, 21_000))

const FLAVOURS: Readonly<Record<string, Flavour>> = {
  dense: { records: [24, 40], elements: 2, fieldsPerGroup: 4, absent: 0.1 },
  sparse: { records: [20, 34], elements: 3, fieldsPerGroup: 5, absent: 0.6 },
  lonely: { records: [10, 70], elements: 1, fieldsPerGroup: 3, absent: 0.3 },
  scant: { records: [0, 6], elements: 2, fieldsPerGroup: 6, absent: 0.2 },
  narrow: { records: [30, 50], elements: 2, fieldsPerGroup: 2, absent: 0.25 },
}

/** Documents by the name of the kind of release. */
const RELEASES: Readonly<Record<string, () => OwnDocuments>> = {
  ...Object.fromEntries(
    Object.entries(FLAVOURS).map(([name, flavour], number) => [
      name,
      () => randomDocuments(randomFrom(SEED, number), flavour),
    ]),
  ),
  demo: madeDocuments,
}

/** Documents like the demo's: many records with few oddities. */
function madeDocuments(): OwnDocuments {
  const plan = planRelease(SEED, {
    ...SCALES.tiny,
    files: depth(40, 120),
    ssms: depth(40, 120),
    ssm_occurrences: depth(60, 160),
  })
  const entries = DATASET_NAMES.map((name) => {
    const made = MADE_NAMES.find((each) => each === name)
    const documents = made ? [...DOCUMENTS[made](plan)] : []
    return [name, documents.map((document) => withExactSums(document))] as const
  })
  return Object.fromEntries(entries) as unknown as OwnDocuments
}

/** Rounds decimals to multiples of 1/1024, whose sums do not depend on the order, so that answers are equal. */
function withExactSums(document: object): Document {
  return JSON.parse(JSON.stringify(document), (_, value) =>
    typeof value === 'number' ? Math.round(value * 1024) / 1024 : value,
  )
}

const folders: string[] = []
/** The folders of releases with joined fields. */
const joining = new Set<string>()
const scratch = new Scratch()
const releases: Release[] = []
afterAll(async () => {
  try {
    await Promise.all(releases.map((release) => release.close()))
  } finally {
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })))
  }
})

async function build(all: OwnDocuments): Promise<Release> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-search-oracle-'))
  folders.push(folder)
  const sources: Partial<Record<DatasetName, string>> = {}
  for (const name of DATASET_NAMES) {
    const path = join(folder, `${name}.ndjson`)
    await writeFile(path, all[name].map((document) => `${JSON.stringify(document)}\n`).join(''))
    sources[name] = path
  }
  const version = { major: 1, minor: 0, releaseDate: '2024-01-01' }
  const createdAt = '2024-01-01T00:00:00.000Z'
  const facts = { dataRelease: 'Data Release 1.0', version, createdAt, id: 'oracle' }
  // Every second release uses the code paths meant for large releases.
  const bitmaps = { elements: 0, distinct: 64, bytes: 16 << 20 }
  const isLarge = folders.length % 2 === 1
  const executor = inlineExecutor
  await buildRelease({ folder, sources, facts, executor, ...(isLarge && { bitmaps }) })
  if (isLarge) joining.add(folder)
  const release = await Release.open(join(folder, 'oracle'))
  releases.push(release)
  return release
}

/** Returns the engine's answer in the evaluator's form. */
async function engineAnswer(
  release: Release,
  name: DatasetName,
  ids: readonly string[],
  asked: Asked,
): Promise<Answered> {
  const dataset = DATASETS[name]
  const resolver = createResolver(dataset)
  const plain = selectFacets(asked.facets ?? [], resolver)
  const { facets, warning } = withHistograms(plain.facets, asked.histograms ?? [], resolver)
  if (plain.warning ?? warning) throw new Error(plain.warning ?? warning)
  const query: Query = {
    dataset: name,
    filter: parseFilter(dataset, asked.filters),
    facets,
    sort: sortKeys(dataset, asked.sort ?? []),
    from: asked.from,
    size: asked.size,
  }
  const loaded = await release.load(keysOf(query), {})
  // The query is split into up to three parts, as for threads.
  const parts = splitQuery(query, layoutsOf(release.manifest), 1 + (facets.length % 3))
  const isJoining = joining.has(folders[releases.indexOf(release)] ?? '')
  const answers = parts.map((part): Answer => {
    const query = structuredClone(part)
    const arrays = arraysOf(loaded)
    if (!isJoining) return evaluate(query, arrays)
    return evaluateJob.run({ query, loaded, joins: joinsOf(query, arrays) }, scratch) as Answer
  })
  const [first, ...others] = answers as [Answer, ...Answer[]]
  const { total, rows, aggregations } = joinAnswers([first, ...others])
  return {
    total,
    ids: Array.from(rows, (row) => ids[row] ?? `no row ${row}`),
    aggregations: aggregations ? JSON.parse(Buffer.from(aggregations).toString('utf8')) : {},
  }
}

const KINDS = Object.keys(RELEASES)

/** The number of filters by dataset that name a field of related records. */
const related = new Map<DatasetName, number>()
/** The number of nested filters by what they name. */
const kinds = new Map<string, number>()
const NESTED = ['files', 'ssm_occurrences'] as const
const perNested = Math.ceil(depth(30, 300, 600) / KINDS.length)
const perDataset = Math.ceil(REQUESTS / KINDS.length / DATASET_NAMES.length)

describe.each(Object.entries(RELEASES))('a %s release', (title, documentsOf) => {
  const number = KINDS.indexOf(title)
  const all = documentsOf()
  let opened: Promise<Release> | undefined

  test.each(DATASET_NAMES)(`${perDataset} requests to %s are answered alike`, async (name) => {
    opened ??= build(all)
    const requests = requestsOf(all, name, number)
    const compare = comparing(await opened, all, name)
    for (let count = 0; count < perDataset; count++) {
      const asked = requests.next()
      if (namesRelated(asked, relatedView(name))) related.set(name, (related.get(name) ?? 0) + 1)
      await mustAgree(asked, compare, `${title} ${name}, request ${count}`)
    }
  })

  test.each(NESTED)(`${perNested} nested filters of %s are answered alike`, async (name) => {
    opened ??= build(all)
    const requests = requestsOf(all, name, number + KINDS.length)
    const compare = comparing(await opened, all, name)
    for (let count = 0; count < perNested; count++) {
      const kind = RELATED_KINDS[count % RELATED_KINDS.length] as RelatedKind
      const asked = requests.nested(kind)
      for (const key of ['', ...kindsOf(asked.filters)]) {
        const counted = `${name} ${key}`.trim()
        kinds.set(counted, (kinds.get(counted) ?? 0) + 1)
      }
      await mustAgree(asked, compare, `${title} ${name}, nested ${count}`)
    }
  })
})

function requestsOf(all: OwnDocuments, name: DatasetName, number: number): Requests {
  const random = randomFrom(SEED, number, DATASET_NAMES.indexOf(name))
  return new Requests(random, relatedView(name), relatedDocuments(all, name))
}

type Compare = (asked: Asked) => Promise<{
  readonly expected: Answered
  readonly actual: Answered | string
  readonly tell: (actual: Answered) => string
}>

/** Compares both answers to a request. */
function comparing(release: Release, all: OwnDocuments, name: DatasetName): Compare {
  const { idField } = DATASETS[name]
  const view = relatedView(name)
  const documents = relatedDocuments(all, name)
  const ids = all[name].map((document) => String(document[idField]))
  return async (asked) => {
    const expected = answer(view, documents, asked)
    const actual = await engineAnswer(release, name, ids, asked).catch(String)
    return { expected, actual, tell: (actual) => telling(documents, idField, expected, actual) }
  }
}

async function mustAgree(asked: Asked, compare: Compare, what: string): Promise<void> {
  const differs = async (one: Asked) => {
    const { expected, actual } = await compare(one)
    return JSON.stringify(expected) !== JSON.stringify(actual)
  }
  if (!(await differs(asked))) return
  const smallest = await shrunk(asked, differs)
  const { expected, actual, tell } = await compare(smallest)
  const request = JSON.stringify(smallest)
  console.error(`seed ${SEED}, ${what}: ${request}`)
  console.error(typeof actual === 'string' ? actual : tell(actual))
  expect({ request, answered: actual }).toEqual({ request, answered: expected })
  expect.fail(`key order differs: ${request}`)
}

/** The numbers of records in all releases together. */
test.each(['cases', 'files', 'projects', 'annotations', 'genes', 'ssm_occurrences'] as const)(
  'filters of %s by fields of related records were among them',
  (name) => {
    expect(related.get(name)).toBeGreaterThan(depth(4, 200, 500))
  },
)

test.each(NESTED)(
  'nested filters of %s by genes, mutations, cases and regions were among them',
  (name) => {
    expect(kinds.get(name)).toBeGreaterThanOrEqual(depth(30, 300, 600))
    for (const kind of RELATED_KINDS) {
      expect(kinds.get(`${name} ${kind}`), kind).toBeGreaterThan(depth(1, 30, 60))
    }
  },
)

/** Whether a filter names a field that the dataset's own table lacks. */
function namesRelated({ filters }: Asked, { dataset }: View): boolean {
  const names = [...JSON.stringify(filters ?? '').matchAll(/"field":"([^"]+)"/g)]
  const own = `${dataset.name}.`
  return names.some(([, name = '']) => {
    const bare = name.startsWith(own) ? name.slice(own.length) : name
    return ownField(dataset, bare) === undefined
  })
}

/** Lists the documents that only one side has found. */
function telling(
  documents: readonly Document[],
  idField: string,
  expected: Answered,
  actual: Answered,
): string {
  const idsOf = (answered: Answered) => new Set(answered.ids)
  const [ours, theirs] = [idsOf(expected), idsOf(actual)]
  return documents
    .filter((document) => {
      const id = String(document[idField])
      return ours.has(id) !== theirs.has(id)
    })
    .slice(0, 2)
    .map((document) => JSON.stringify(document).slice(0, 4000))
    .join('\n')
}
