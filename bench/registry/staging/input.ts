import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { InputMap, StagingData } from '../../../engine/registry/staging/algorithm/result.ts'
import { publicData } from '../../../fixtures/public-data.ts'

export type InputName = 'full' | 'quick' | 'test'
export const ALGORITHMS = ['cs', 'eod'] as const
export type AlgorithmName = (typeof ALGORITHMS)[number]

/** The year that all recorded cases assume. */
export const YEAR = '2026'

const SHARED = publicData()
const VECTORS = join(SHARED, 'vectors/staging')

/** Whether the recorded cases are beside the checkout. */
export const hasRecorded = existsSync(VECTORS)

/** As published. */
export const ARCHIVES: Readonly<Record<AlgorithmName, string>> = {
  cs: join(SHARED, 'data/staging/cs-02.05.50.zip'),
  eod: join(SHARED, 'data/staging/eod_public-3.3.zip'),
}

/** Where each is served. */
export const PATHS: Readonly<Record<AlgorithmName, string>> = {
  cs: '/rest/staging/cs/02.05.50',
  eod: '/rest/staging/eod_public/3.3',
}

/** A case and what the original library recorded of it. */
export interface Recorded {
  readonly input: InputMap
  readonly result: string
  readonly schema: string | null
  /** What was recorded of the output. */
  readonly output: Readonly<Record<string, string>>
  readonly errors: number
  readonly path: number
}

interface Taken {
  /** Of the CS vectors, rows of each file. */
  readonly rows: number
  /** Of the EOD vectors, every so manieth. */
  readonly step: number
  /** How often each EOD case is staged in a turn: there are few. */
  readonly times: number
}

const TAKEN: Readonly<Record<InputName, Taken>> = {
  full: { rows: 2000, step: 1, times: 20 },
  quick: { rows: 100, step: 5, times: 5 },
  test: { rows: 5, step: 20, times: 1 },
}

export interface Cases {
  readonly algorithm: AlgorithmName
  /** Neighbours differ in schema. */
  readonly recorded: readonly Recorded[]
  /** How often all of them are staged in a turn. */
  readonly times: number
}

export function readCases(name: InputName, algorithm: AlgorithmName): Cases {
  const { rows, step, times } = TAKEN[name]
  return algorithm === 'cs'
    ? { algorithm, recorded: scattered(readCs(rows)), times: 1 }
    : { algorithm, recorded: scattered(readEod(step)), times }
}

/** The inputs of a turn as newline-delimited JSON. */
export function linesOf({ recorded, times }: Cases): string {
  const once = recorded.map(({ input }) => `${JSON.stringify(input)}\n`).join('')
  return once.repeat(times)
}

/** A prime that divides no number of cases, so every case has one place. */
const STRIDE = 7919

function scattered<T>(all: readonly T[]): T[] {
  return all.map((_, i) => all[(i * STRIDE) % all.length]!)
}

function readLines<T>(file: string): T[] {
  const text = gunzipSync(readFileSync(join(VECTORS, file))).toString()
  const lines = text.trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as T)
}

interface CsHeader {
  readonly columns_i: readonly string[]
  readonly columns_o: readonly string[]
}

interface CsRow {
  readonly i: readonly string[]
  readonly o: readonly string[]
  readonly r: string
  readonly s: string | null
  readonly e: number
  readonly p: number
}

function readCs(taken: number): Recorded[] {
  const mapOf = (keys: readonly string[], values: readonly string[]) =>
    Object.fromEntries(keys.map((key, column) => [key, values[column] ?? '']))
  const files = readdirSync(join(VECTORS, 'cs')).sort()
  return files.flatMap((file) => {
    const [header, ...rows] = readLines<unknown>(`cs/${file}`)
    const { columns_i, columns_o } = header as CsHeader
    return (rows.slice(0, taken) as CsRow[]).map(({ i, o, r, s, e, p }) => ({
      input: mapOf(columns_i, i),
      output: mapOf(columns_o, o),
      result: r,
      schema: s,
      errors: e,
      path: p,
    }))
  })
}

interface Call {
  readonly op: string
  readonly input: InputMap
  readonly expected: StagingData
}

function readEod(step: number): Recorded[] {
  const calls = readLines<Call>('peer-eod_public-stage.jsonl.gz').filter(({ op }) => op === 'stage')
  return calls
    .filter((_, i) => i % step === 0)
    .map(({ input, expected: { result, schema_id = null, output, errors, path } }) => ({
      input,
      output,
      result,
      schema: schema_id,
      errors: errors.length,
      path: path.length,
    }))
}
