import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Dictionary } from '../../engine/submission/dictionary/dictionary.ts'
import { canRun, DIALECTS, prepareBed } from '../shared/database/support/dialects.ts'
import { cloningExecutor } from './support/executors.ts'
import {
  MADE_TYPES,
  type MadeDocument,
  madeTypes,
  type NaiveGraph,
  naiveDelete,
  naiveUpload,
  type UploadOperation,
} from './support/naive-graph.ts'
import { idOf, MadeSubmission } from './support/service.ts'

const P = 'A-B'

interface Upload {
  readonly operation: UploadOperation
  readonly documents: readonly MadeDocument[]
}

type Step =
  | ({ readonly kind: 'upload' | 'dryRun' | 'async' } & Upload)
  | { readonly kind: 'both'; readonly uploads: readonly [Upload, Upload] }
  | { readonly kind: 'delete'; readonly which: readonly number[] }
  | { readonly kind: 'commit'; readonly which: number }

let made: MadeSubmission

/** One of three names of each type, and sometimes one of another type. */
const nameOf = (type: string) =>
  fc.oneof(
    { weight: 60, arbitrary: fc.integer({ min: 0, max: 2 }).map((n) => `${type} ${n}`) },
    { weight: 1, arbitrary: fc.constant('case 0') },
  )

const documentOf = (type: string): fc.Arbitrary<MadeDocument> =>
  fc.record({
    type: fc.constant(type),
    submitter_id: nameOf(type),
    size: fc.oneof(
      { weight: 60, arbitrary: fc.integer({ min: 0, max: 3 }) },
      { weight: 1, arbitrary: fc.constantFrom('x', 1.5, undefined) },
    ),
    colour: fc.oneof(
      { weight: 60, arbitrary: fc.constantFrom('red', 'green', undefined) },
      { weight: 1, arbitrary: fc.constant('none') },
    ),
    links: fc.record(
      Object.fromEntries(
        Object.entries(MADE_TYPES[type]?.links ?? {}).map(([link, [target]]) => [
          link,
          fc.oneof(
            { weight: 3, arbitrary: nameOf(target).map((name) => [name]) },
            { weight: 1, arbitrary: fc.uniqueArray(nameOf(target), { maxLength: 2 }) },
          ),
        ]),
      ),
    ),
  })

// Cases are more frequent, because other entities need them.
const anyType = fc.constantFrom('case', 'case', 'case', ...Object.keys(MADE_TYPES))
const upload = fc.record({
  operation: fc.constantFrom('create', 'put', 'put', 'put', 'put', 'patch'),
  documents: fc.array(anyType.chain(documentOf), { minLength: 1, maxLength: 4 }),
}) as fc.Arbitrary<Upload>

const step = fc.oneof(
  { weight: 6, arbitrary: upload.map((one): Step => ({ kind: 'upload', ...one })) },
  { weight: 2, arbitrary: upload.map((one): Step => ({ kind: 'dryRun', ...one })) },
  { weight: 1, arbitrary: upload.map((one): Step => ({ kind: 'async', ...one })) },
  {
    weight: 2,
    arbitrary: fc.tuple(upload, upload).map((uploads): Step => ({ kind: 'both', uploads })),
  },
  {
    weight: 4,
    arbitrary: fc
      .uniqueArray(fc.nat({ max: 12 }), { minLength: 1, maxLength: 3 })
      .map((which): Step => ({ kind: 'delete', which })),
  },
  { weight: 3, arbitrary: fc.nat({ max: 5 }).map((which): Step => ({ kind: 'commit', which })) },
)

describe.each(DIALECTS.filter(canRun))('in %s', (dialect) => {
  const bed = prepareBed(dialect)
  beforeAll(async () => {
    const dictionary = { types: madeTypes() } as Dictionary
    const current = async () => dictionary
    // In one of them, all requests count as large, so jobs process them.
    const large = { executor: cloningExecutor, small: { bytes: 0, weight: 0 } }
    const options = { dictionary: { current }, ...(dialect === 'sqlite' && large) }
    made = await MadeSubmission.open(options, bed.server && (await bed.place()))
  })
  afterAll(() => made.close())

  test('random batches leave what a plain model of the rules leaves', async () => {
    const reached = new Map<string, number>()
    const count = (what: string) => reached.set(what, (reached.get(what) ?? 0) + 1)
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 24 }), async (steps) => {
        await made.reset()
        await made.register(P)
        const run = new Run()
        expect(await run.take({ kind: 'upload', operation: 'create', documents: FIRST })).toBe(true)
        for (const one of steps) count(`${one.kind} ${await run.take(one)}`)
        expect(made.faults).toEqual([])
      }),
      { numRuns: 12, seed: 9 },
    )
    // Every kind of step has both succeeded and failed.
    for (const kind of ['upload', 'dryRun', 'delete', 'commit']) {
      for (const success of [true, false]) {
        expect(reached.get(`${kind} ${success}`), `${kind} ${success}`).toBeGreaterThan(0)
      }
    }
  })
})

/** Entities to start with, so that some links of later batches have targets. */
const FIRST: readonly MadeDocument[] = (
  [
    ['case 0', {}],
    ['case 1', {}],
    ['one 0', { cases: ['case 0'] }],
    ['few 0', { cases: ['case 1'] }],
    ['many 0', { cases: ['case 0'] }],
    ['either 0', { ones: ['one 0'] }],
    ['any 0', { cases: ['case 0', 'case 1'], eithers: ['either 0'] }],
    ['loop 0', { cases: ['case 1'] }],
    ['loop 1', { loops: ['loop 0'] }],
  ] as const
).map(([name, links]) => {
  const [type = ''] = name.split(' ')
  return { type, submitter_id: name, size: 1, colour: undefined, links }
})

/** One project, to which both implementations apply the steps. */
class Run {
  #graph: NaiveGraph = new Map()
  readonly #dryRuns: { readonly id: number; readonly upload: Upload }[] = []

  /** Returns whether the step succeeded. */
  async take(step: Step): Promise<boolean> {
    const success = await this.#take(step)
    expect(await storedGraph()).toEqual(Object.fromEntries(this.#graph))
    return success
  }

  async #take(step: Step): Promise<boolean> {
    switch (step.kind) {
      case 'upload':
        return this.#upload(step, false)
      case 'dryRun':
        return this.#upload(step, true)
      case 'async':
        return this.#async(step)
      case 'both':
        return this.#both(step.uploads)
      case 'delete':
        return this.#delete(step.which)
      case 'commit':
        return this.#commit(step.which)
    }
  }

  async #upload(upload: Upload, isDryRun: boolean): Promise<boolean> {
    const wanted = naiveUpload(this.#graph, upload.operation, upload.documents)
    const answer = await send(upload, isDryRun)
    expect(answer.success).toBe(wanted.success)
    for (const [i, valid] of wanted.valid.entries()) {
      const entity = answer.entities[i]
      if (valid !== undefined) expect(entity?.valid, JSON.stringify(entity)).toBe(valid)
      if (!wanted.success) continue
      const cases = entity?.related_cases.map((one) => one.submitter_id).toSorted()
      expect(cases).toEqual(wanted.cases[i])
    }
    if (isDryRun && wanted.success) this.#dryRuns.push({ id: answer.transaction_id, upload })
    if (!isDryRun) this.#graph = wanted.graph
    return wanted.success
  }

  async #async(upload: Upload): Promise<boolean> {
    const wanted = naiveUpload(this.#graph, upload.operation, upload.documents)
    await made.submission.upload({ ...requestOf(upload), isAsync: true })
    await made.submission.idle()
    this.#graph = wanted.graph
    return wanted.success
  }

  /** Two simultaneous uploads have the result of one after the other. */
  async #both(uploads: readonly [Upload, Upload]): Promise<boolean> {
    const answers = await Promise.all(uploads.map((upload) => send(upload, false)))
    const found = answers.map(({ success }) => success)
    const stored = await storedGraph()
    const orders = [uploads, uploads.toReversed()].map((order) => {
      let graph = this.#graph
      const ends = order.map(({ operation, documents }) => {
        const outcome = naiveUpload(graph, operation, documents)
        graph = outcome.graph
        return outcome.success
      })
      return { ends: order === uploads ? ends : ends.toReversed(), graph }
    })
    const possible = orders.find(
      ({ ends, graph }) =>
        String(ends) === String(found) && isEqual(Object.fromEntries(graph), stored),
    )
    expect(possible, JSON.stringify({ found, stored, orders })).toBeDefined()
    this.#graph = possible?.graph ?? this.#graph
    return found.every(Boolean)
  }

  /** The latest come first, because fewer entities depend on them. */
  async #delete(which: readonly number[]): Promise<boolean> {
    const all = [...this.#graph.keys()].toReversed()
    const names = which.map((i) => all[i] ?? 'nobody')
    const wanted = naiveDelete(this.#graph, names)
    const ids = await idsOf(names)
    const answer = await made.delete(P, ids)
    expect(answer.success).toBe(wanted.success)
    this.#graph = wanted.graph
    return wanted.success
  }

  async #commit(which: number): Promise<boolean> {
    const dryRun = this.#dryRuns[which % Math.max(1, this.#dryRuns.length)]
    if (!dryRun) return false
    this.#dryRuns.splice(this.#dryRuns.indexOf(dryRun), 1)
    const { operation, documents } = dryRun.upload
    const wanted = naiveUpload(this.#graph, operation, documents)
    const answer = await made.commit(P, dryRun.id)
    expect(answer.success).toBe(wanted.success)
    await expect(made.commit(P, dryRun.id)).rejects.toThrow('committed already')
    this.#graph = wanted.graph
    return wanted.success
  }
}

function send(upload: Upload, isDryRun: boolean) {
  return made.upload(upload.operation, P, upload.documents.map(flat), { isDryRun })
}

function requestOf({ operation, documents }: Upload) {
  const body = Buffer.from(JSON.stringify(documents.map(flat)))
  return { ...made.at(P), operation, format: 'json' as const, body }
}

/** The document as submitted; in every second one, a single parent is not in a list. */
function flat({ links, ...document }: MadeDocument) {
  const parents = Object.entries(links).map(([link, names]) => {
    const all = names.map((submitter_id) => ({ submitter_id }))
    return [link, all.length === 1 && document.size === 1 ? all[0] : all]
  })
  return { ...document, ...Object.fromEntries(parents) }
}

async function storedGraph() {
  const { entities, links } = await made.database.read(async (rows) => ({
    entities: await rows.all<{ id: string; type: string; name: string; properties: string }>(
      'SELECT id, type, submitter_id AS name, properties FROM submission_entities',
    ),
    links: await rows.all<{ child: string; link: string; parent: string }>(
      'SELECT child, link, parent FROM submission_links',
    ),
  }))
  const names = new Map(entities.map(({ id, name }) => [id, name]))
  return Object.fromEntries(
    entities.map(({ id, type, name, properties }) => {
      const own: Record<string, string[]> = {}
      for (const { child, link, parent } of links) {
        if (child === id) own[link] = [...(own[link] ?? []), `${names.get(parent)}`].sort()
      }
      return [name, { type, properties: JSON.parse(properties), links: own }]
    }),
  )
}

async function idsOf(names: readonly string[]): Promise<readonly string[]> {
  const rows = await made.database.read((all) =>
    all.all<{ id: string; name: string }>(
      'SELECT id, submitter_id AS name FROM submission_entities',
    ),
  )
  const ids = new Map(rows.map(({ id, name }) => [name, id]))
  return names.map((name) => ids.get(name) ?? idOf(`no ${name}`))
}

function isEqual(a: unknown, b: unknown): boolean {
  try {
    expect(a).toEqual(b)
    return true
  } catch {
    return false
  }
}
