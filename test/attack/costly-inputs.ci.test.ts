import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROLES } from '../../engine/shared/index.ts'
import { depth, isExhaustive, sample } from '../depth.ts'
import { operationsOfRow } from './access-table.ts'
import type { CostlyInput, KnownNames } from './support/costly-inputs.ts'
import { type CostlyResult, CostlyRun, worstOf } from './support/costly-run.ts'
import { COSTLY_FAMILIES, operationsOfFamily } from './support/costly-table.ts'
import { DemoServer, LOGIN_SETTINGS } from './support/demo-server.ts'
import { type DescribedOperation, operationsOf } from './support/described-operations.ts'
import { DoneFamilies } from './support/done-families.ts'
import { knownNamesOf } from './support/known-names.ts'
import type { MemoryKind, TurnFigures } from './support/turns-entry.ts'

// The costliest inputs of every operation, alone and eight at a time. What is validated is work: processor time of the
// main thread in one turn of its loop, memory, descriptors. What waits by the clock is shown. In a usual run each
// family sends those of few of its operations, and the bounds are those of a busy machine; in the exhaustive run all
// are sent and the bounds are the promised ones. Operations below a path, or those of a family:
//   COSTLY=/ga4gh/drs npx vitest run --mode ci test/attack/costly-inputs.ci.test.ts
//   COSTLY=GraphQL npx vitest run --mode exhaustive test/attack/costly-inputs.ci.test.ts
// The long run sends what is answered quickly again and again. With a file of what is done, each family's figures are
// kept there, and a further run, also of one that was killed, goes on with the families that are not in it, and adds
// to the count of requests:
//   COSTLY_DONE=done.json COSTLY_REQUESTS=50000 npx vitest run --mode long test/attack/costly-inputs.ci.test.ts
// It can also be made of one family, by its name as above.

const AT_ONCE = 8
/**
 * How much longer the same work takes on a busy processor, where other processes empty its caches and take half
 * of its core. With forty processes on two processors it was three times as long, and machines differ by as
 * much.
 */
const BUSY = depth(10, 1)
/** The limit of a turn in milliseconds. A permitted search is answered within one turn if it is cheap. */
const MAX_TURN_MS = 50 * BUSY
const MAX_SEARCH_TURN_MS = 100 * BUSY
const MAX_BYTES_ABOVE = depth(600, 300) * 2 ** 20
/** The limit of additional threads, which do long work and remain for a while. */
const MAX_THREADS_MORE = 8
const SEARCHES = new Set(['searches', 'single records', 'analyses', 'archives of case tables'])
const ENTRY = join(import.meta.dirname, 'support/turns-entry.ts')
const ONLY = process.env.COSTLY
/** The number of inputs per operation in a usual run. */
const MOST_INPUTS = 5
/** The number of requests in the long run, which sends only inputs that are answered within QUICK_MS. */
const REQUESTS = depth(0, 0, Number(process.env.COSTLY_REQUESTS ?? 1_000_000))
const QUICK_MS = 200
/** The results of earlier parts of the long run. */
const done = new DoneFamilies(process.env.COSTLY_DONE)
/** The time in milliseconds after which all resources must be released. */
const REST_MS = depth(0, 30_000)
/** The memory that may remain allocated after that, for caches with limits of their own. */
const MAX_BYTES_KEPT = 300 * 2 ** 20
/** The limit by which memory may grow in a long run after its first tenth. */
const MAX_BYTES_GROWN = 64 * 2 ** 20

const folder = mkdtempSync(join(tmpdir(), 'casemill-turns-'))
const socketPath = join(folder, 'turns')
let server: DemoServer
let run: CostlyRun
let operations: readonly DescribedOperation[]
let known: KnownNames
let first: TurnFigures
const report: string[] = []
const repeated: { readonly family: string; readonly input: CostlyInput }[] = []

beforeAll(async () => {
  server = new DemoServer()
  const load = `--import=${pathToFileURL(ENTRY)}`
  await server.start({ ...LOGIN_SETTINGS, TURNS_SOCKET: socketPath, NODE_OPTIONS: load })
  const document = await (await fetch(`${server.address}/openapi.json`)).json()
  operations = operationsOf(document)
  const headers = await server.inState(async (tokens, keys) => ({
    'x-auth-token': (await tokens.create({ user: 'admin', admin: true })).secret,
    'x-seerapi-key': (await keys.create({ roles: ROLES })).secret,
  }))
  // An operation that reads the record of each file takes most of a second for a thousand files.
  const most = { files: depth(1000, 10_000), size: depth(300, 10_000) }
  known = await knownNamesOf({ address: server.address, headers, operations, ...most })
  run = new CostlyRun(server.address, socketPath, headers)
  first = await run.turns(true)
})

afterAll(async () => {
  run?.[Symbol.dispose]()
  await server?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
  console.log(report.join('\n'))
})

// A misspelt name would skip all tests.
test.skipIf(ONLY === undefined)('what is chosen is there', () => {
  const names = COSTLY_FAMILIES.map(({ name }) => name)
  const isThere =
    names.includes(ONLY ?? '') || operations.some(({ path }) => path.startsWith(ONLY ?? ''))
  expect([ONLY, isThere]).toEqual([ONLY, true])
})

describe.each(COSTLY_FAMILIES)('$name', ({ name, make, rows, refused = [] }) => {
  const inputsOf = typeof make === 'function' ? make : undefined
  const isDone = done.has(name)
  test.skipIf(!inputsOf || isDone)('cost no more than they may', { timeout: 0 }, async () => {
    const all = operationsOfFamily(rows, operations)
    const chosen = chosenOf(all, name)
    const results: CostlyResult[] = []
    const refusedOnes: string[] = []
    for (const operation of chosen) {
      const inputs = sample(inputsOf?.(operation, known) ?? [], MOST_INPUTS)
      const alone: CostlyResult[] = []
      for (const input of inputs) alone.push(await run.send(input, 1))
      const quick = inputs.filter((_, i) => (alone[i]?.tookMilliseconds ?? 0) < QUICK_MS)
      repeated.push(...quick.map((input) => ({ family: name, input })))
      if (alone.every(({ status }) => status >= 400)) {
        refusedOnes.push(`${operation.method} ${operation.path}`)
      }
      // Memory is compared with that of a server whose caches are full, so the first run only fills them.
      results.push(...alone.map((one) => ({ ...one, bytesAbove: 0 })))
      for (const at of isExhaustive ? inputs.keys() : [costliestOf(alone)]) {
        const input = inputs[at]
        if (input) results.push(await run.send(input, AT_ONCE))
      }
    }
    const { residentBytes, liveBytes } = await run.turns(true)
    const after = `${mebibytes(residentBytes)} resident after it, ${mebibytes(liveBytes)} live`
    report.push(`${name}, ${chosen.length} of ${all.length}: ${worstOf(results)}; ${after}`)
    const most = SEARCHES.has(name) ? MAX_SEARCH_TURN_MS : MAX_TURN_MS
    const tooCostly = results.filter(
      ({ turnMilliseconds, bytesAbove, status }) =>
        turnMilliseconds > most || bytesAbove > MAX_BYTES_ABOVE || status === 0 || status === 500,
    )
    expect(tooCostly).toEqual([])
    // A rejected input does not show the cost of the work.
    const mayBe = refused === 'any' ? refusedOnes : refused.flatMap(operationsOfRow)
    expect(refusedOnes.filter((one) => !mayBe.includes(one))).toEqual([])
    if (chosen.length > 0) done.add(name, { inputs: results.length, worst: worstOf(results) })
  })
})

/** The operations of a usual run: some that read, and some that write. */
function chosenOf(all: readonly DescribedOperation[], name: string): readonly DescribedOperation[] {
  if (ONLY !== undefined && ONLY !== name) return all.filter(({ path }) => path.startsWith(ONLY))
  if (isExhaustive) return all
  const reads = all.filter(({ method }) => method === 'GET')
  const writes = all.filter(({ method }) => method !== 'GET')
  return [...sample(reads, name === 'names and queries' ? 12 : 1), ...sample(writes, 1)]
}

const mebibytes = (bytes = 0) => `${Math.round(bytes / 2 ** 20)} MiB`

function costliestOf(results: readonly CostlyResult[]): number {
  const turns = results.map(({ turnMilliseconds }) => turnMilliseconds)
  return turns.indexOf(Math.max(...turns))
}

/** Keeps the worst input of a family by each measurement, because a long run has too many. */
function withWorst(kept: readonly CostlyResult[], one: CostlyResult): readonly CostlyResult[] {
  const all = [...kept, one]
  const figures = [
    ...(['turnMilliseconds', 'wallMilliseconds', 'probeMilliseconds'] as const),
    ...(['tookMilliseconds', 'bytesAbove', 'status'] as const),
  ]
  return all.filter((each) =>
    figures.some((name) => all.every((other) => each[name] >= other[name])),
  )
}

test.skipIf(REQUESTS === 0)(
  'a long run takes no more than its beginning',
  { timeout: 0 },
  async () => {
    let sent = 0
    const worst = new Map<string, readonly CostlyResult[]>()
    const failed: CostlyResult[] = []
    let early: TurnFigures | undefined
    expect(repeated.length + done.requests).toBeGreaterThan(0)
    while (sent < REQUESTS && repeated.length > 0) {
      for (const { family, input } of repeated) {
        const result = await run.send(input, AT_ONCE)
        sent += AT_ONCE
        // Counts the requests now, because a killed run cannot.
        done.count(AT_ONCE)
        worst.set(family, withWorst(worst.get(family) ?? [], result))
        if ([0, 500].includes(result.status)) failed.push(result)
        if (sent >= REQUESTS / 10) early ??= await run.turns()
        if (sent >= REQUESTS) break
      }
    }
    run.disconnect()
    await setTimeout(REST_MS)
    const late = await run.turns()
    report.push(`${sent} requests, ${done.requests} in all parts:`)
    for (const [family, results] of worst) report.push(`  ${family}: ${worstOf(results)}`)
    report.push(
      `${mebibytes(early?.residentBytes)} after a tenth, ${mebibytes(late.residentBytes)}`,
    )
    expect(late.residentBytes).toBeLessThan((early ?? late).residentBytes + MAX_BYTES_GROWN)
    expect(failed).toEqual([])
  },
)

test('all is given back, and nothing failed', { timeout: 0 }, async () => {
  run.disconnect()
  const held = async () => {
    const { sockets, unnamed } = await run.turns()
    return { sockets: sockets <= first.sockets, unnamed: unnamed <= first.unnamed }
  }
  await expect
    .poll(held, { timeout: 60_000, interval: 500 })
    .toEqual({ sockets: true, unnamed: true })
  await setTimeout(REST_MS)
  const { residentBytes, liveBytes, threads, descriptors, kinds } = await run.turns(true)
  const resident = `${mebibytes(first.residentBytes)} at first, ${mebibytes(residentBytes)} at the end`
  const live = `${mebibytes(first.liveBytes)} live at first, ${mebibytes(liveBytes)} at the end`
  const counts = `${first.threads} and ${threads} threads, ${first.descriptors} and ${descriptors} descriptors`
  const byKind = Object.entries<number>(kinds ?? {}).map(([kind, bytes]) => {
    const before = first.kinds?.[kind as MemoryKind] ?? 0
    return `${kind} ${mebibytes(before)} and ${mebibytes(bytes)}`
  })
  report.push(`${resident}: ${byKind.join(', ')}; ${live}; ${counts}`)
  // The allocator keeps memory that threads once used, so resident memory is only printed by kind. That it does
  // not grow is tested by the long run.
  expect(liveBytes).toBeLessThan(first.liveBytes + MAX_BYTES_KEPT)
  expect(threads).toBeLessThanOrEqual(first.threads + MAX_THREADS_MORE)
  for (const name of ['uploads', 'incoming'])
    expect(server.namesIn(name).filter((entry) => entry !== 'place')).toEqual([])
  expect(server.isAlive()).toBe(true)
  expect(server.errors()).toEqual([])
})
