import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SPOOL_LIMITS } from '../../engine/commons/search/spools.ts'
import { ROLES } from '../../engine/shared/index.ts'
import { depth, isExhaustive, sample } from '../depth.ts'
import type { KnownNames } from './support/costly-inputs.ts'
import { type CostlyResult, CostlyRun, worstOf } from './support/costly-run.ts'
import { COSTLY_FAMILIES, operationsOfFamily } from './support/costly-table.ts'
import { DemoServer } from './support/demo-server.ts'
import { type DescribedOperation, operationsOf } from './support/described-operations.ts'
import type { TurnFigures } from './support/turns-entry.ts'

// The costliest inputs of every operation, alone and eight at a time. What is judged is work: processor time of the
// main thread in one turn of its loop, memory, descriptors. What waits by the clock is shown. In a usual run each
// family sends those of few of its operations, and the bounds are such that only a real stall breaks them; in the
// exhaustive run all are sent and the bounds are the promised ones. One operation:
//   COSTLY=/ga4gh/drs npx vitest run --mode ci test/attack/costly-inputs.ci.test.ts

const AT_ONCE = 8
/** Of a turn; of a permitted search, which is answered at once when it is cheap. */
const MAX_TURN_MS = depth(1000, 50)
const MAX_SEARCH_TURN_MS = depth(1000, 100)
const MAX_BYTES_ABOVE = depth(600, 300) * 2 ** 20
/** Of Parquet, which stay for five minutes. */
const MAX_SPOOLS = SPOOL_LIMITS.files
/** Those for long work, which stay for a while. */
const MAX_THREADS_MORE = 8
const SEARCHES = new Set(['searches', 'single records', 'analyses', 'archives of case tables'])
const ENTRY = join(import.meta.dirname, 'support/turns-entry.ts')
const CELLS = '0c2a4a8e-53a5-5d35-9c3f-6f0f6c6b2d01'
const READS = '0c2a4a8e-53a5-5d35-9c3f-6f0f6c6b1d01'
const ONLY = process.env.COSTLY

const folder = mkdtempSync(join(tmpdir(), 'casemill-turns-'))
const socketPath = join(folder, 'turns')
let server: DemoServer
let run: CostlyRun
let operations: readonly DescribedOperation[]
let known: KnownNames
let first: TurnFigures
const report: string[] = []

beforeAll(async () => {
  server = new DemoServer()
  const load = `--import=${pathToFileURL(ENTRY)}`
  await server.start({ TURNS_SOCKET: socketPath, NODE_OPTIONS: load })
  const document = await (await fetch(`${server.address}/openapi.json`)).json()
  operations = operationsOf(document)
  known = await knownOf(server.address)
  const headers = await server.inState(async (tokens, keys) => ({
    'x-auth-token': (await tokens.create({ user: 'admin', admin: true })).secret,
    'x-seerapi-key': (await keys.create({ roles: ROLES })).secret,
  }))
  run = new CostlyRun(server.address, socketPath, headers)
  first = await run.turns()
})

afterAll(async () => {
  run?.[Symbol.dispose]()
  await server?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
  console.log(report.join('\n'))
})

async function knownOf(address: string): Promise<KnownNames> {
  const get = async (path: string) => (await fetch(`${address}${path}`)).json()
  const valuesOf = async (dataset: string, field: string) => {
    const { data } = (await get(`/${dataset}?size=10000&fields=${field}`)) as {
      data: { hits: Record<string, string>[] }
    }
    return data.hits.map((hit) => hit[field] ?? '')
  }
  const datasets = operations
    .filter(({ path }) => path.endsWith('/_mapping'))
    .map(({ path }) => path.split('/')[1] ?? '')
  const mappings = await Promise.all(
    datasets.map(async (name) => {
      const mapping = (await get(`/${name}/_mapping`)) as Record<'fields' | 'expand', string[]>
      return [name, mapping] as const
    }),
  )
  // The record of each is read, which takes most of a second for a thousand.
  const files = (await valuesOf('files', 'file_id')).slice(0, depth(1000, 10_000))
  const genes = await valuesOf('genes', 'gene_id')
  const cases = await valuesOf('cases', 'case_id')
  const first = async (dataset: string, field: string) => (await valuesOf(dataset, field))[0] ?? ''
  return {
    ...{ files, genes, cases, symbols: await valuesOf('genes', 'symbol') },
    ...{ reads: READS, cells: CELLS, size: depth(300, 10_000) },
    fields: new Map(mappings.map(([name, { fields }]) => [name, fields])),
    expandable: new Map(mappings.map(([name, { expand }]) => [name, expand])),
    path: {
      ...{ file_id: files[0] ?? '', file_ids: files[0] ?? '', object_id: files[0] ?? '' },
      ...{ case_id: cases[0] ?? '', gene_id: genes[0] ?? '', access_id: 'https' },
      ...{
        project_id: await first('projects', 'project_id'),
        ssm_id: await first('ssms', 'ssm_id'),
      },
      ...{ cnv_id: await first('cnvs', 'cnv_id'), program: 'DEMO', project: 'TRIAL' },
      ...{ algorithm: 'demo', version: 'latest', type: 'case', entry: '_all', code: 'C509' },
    },
  }
}

describe.each(COSTLY_FAMILIES)('$name', ({ name, make, rows }) => {
  const inputsOf = typeof make === 'function' ? make : undefined
  test.skipIf(!inputsOf)('cost no more than they may', { timeout: 0 }, async () => {
    const all = operationsOfFamily(rows, operations)
    const chosen = chosenOf(all, name)
    const results: CostlyResult[] = []
    for (const operation of chosen) {
      const inputs = inputsOf?.(operation, known) ?? []
      const alone: CostlyResult[] = []
      for (const input of inputs) alone.push(await run.send(input, 1))
      // Memory is compared with a server that has what it keeps: its caches are filled by the first.
      results.push(...alone.map((one) => ({ ...one, bytesAbove: 0 })))
      for (const at of isExhaustive ? inputs.keys() : [costliestOf(alone)]) {
        const input = inputs[at]
        if (input) results.push(await run.send(input, AT_ONCE))
      }
    }
    report.push(`${name}, ${chosen.length} of ${all.length}: ${worstOf(results)}`)
    const most = SEARCHES.has(name) ? MAX_SEARCH_TURN_MS : MAX_TURN_MS
    const tooCostly = results.filter(
      ({ turnMilliseconds, bytesAbove, status }) =>
        turnMilliseconds > most || bytesAbove > MAX_BYTES_ABOVE || status === 0 || status === 500,
    )
    expect(tooCostly).toEqual([])
  })
})

/** Of a usual run: some that read, and some that write. */
function chosenOf(all: readonly DescribedOperation[], name: string): readonly DescribedOperation[] {
  if (ONLY !== undefined) return all.filter(({ path }) => path.startsWith(ONLY))
  if (isExhaustive) return all
  const reads = all.filter(({ method }) => method === 'GET')
  const writes = all.filter(({ method }) => method !== 'GET')
  return [...sample(reads, name === 'names and queries' ? 12 : 1), ...sample(writes, 1)]
}

function costliestOf(results: readonly CostlyResult[]): number {
  const turns = results.map(({ turnMilliseconds }) => turnMilliseconds)
  return turns.indexOf(Math.max(...turns))
}

test('all is given back, and nothing failed', { timeout: 0 }, async () => {
  run.disconnect()
  const held = async () => {
    const { sockets, unnamed } = await run.turns()
    return { sockets: sockets <= first.sockets, spools: unnamed <= first.unnamed + MAX_SPOOLS }
  }
  await expect
    .poll(held, { timeout: 60_000, interval: 500 })
    .toEqual({ sockets: true, spools: true })
  const { residentBytes, threads, descriptors } = await run.turns()
  const resident = `${first.residentBytes >> 20} MiB at first, ${residentBytes >> 20} at the end`
  const counts = `${first.threads} and ${threads} threads, ${first.descriptors} and ${descriptors} descriptors`
  report.push(`${resident}; ${counts}`)
  expect(threads).toBeLessThanOrEqual(first.threads + MAX_THREADS_MORE)
  for (const name of ['uploads', 'incoming'])
    expect(server.namesIn(name).filter((entry) => entry !== 'place')).toEqual([])
  expect(server.isAlive()).toBe(true)
  expect(server.errors()).toEqual([])
})
