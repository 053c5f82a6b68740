import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { VersionContent } from '../../../engine/registry/staging/algorithm/model.ts'
import { readAlgorithmZip } from '../../../engine/registry/staging/algorithm/read-zip.ts'
import type {
  InputMap,
  StagingData,
  StagingError,
} from '../../../engine/registry/staging/algorithm/result.ts'
import { publicData } from '../../../fixtures/public-data.ts'
import { available } from '../../available.ts'
import type { StagingEngine } from './staging-engines.ts'

// Recorded calls of the original library (README-registry.md of the vectors).

const SHARED = publicData()
const VECTORS = join(SHARED, 'vectors/staging')

const ARCHIVES: Readonly<Record<string, string>> = {
  cs: 'cs-02.05.50.zip',
  tnm: 'tnm-2.1.zip',
  eod_public: 'eod_public-3.3.zip',
  pediatric: 'pediatric-1.3.zip',
  testing: 'external_algorithm.zip',
}

/** Path of a published algorithm; the small extract is named `testing`. */
export function archiveOf(name: string): string {
  return join(SHARED, 'data/staging', ARCHIVES[name] ?? name)
}

/** A published algorithm. */
export function readAlgorithm(name: string): Promise<VersionContent> {
  return readAlgorithmZip(archiveOf(name))
}

/** The public client's expectation of an area of the live service. */
interface Expectation {
  readonly area: string
  /** The request, such as `POST /rest/... {site:C509,hist:8000}`. */
  readonly request: string
  readonly expect: unknown
}

export function readExpectations(area: string): Expectation[] {
  if (!available.shared) return []
  const text = readFileSync(join(SHARED, 'vectors/registry/client-expectations.jsonl'), 'utf8')
  const all = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Expectation)
  return all.filter((one) => one.area === area)
}

export function readVectors<T>(file: string): T[] {
  const text = gunzipSync(readFileSync(join(VECTORS, file))).toString()
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T)
}

export function filesOfCs(): string[] {
  return available.shared ? readdirSync(join(VECTORS, 'cs')).sort() : []
}

interface CsHeader {
  readonly rows: number
  readonly columns_i: readonly string[]
  readonly columns_o: readonly string[]
}

interface CsRow {
  readonly n: number
  readonly i: readonly string[]
  readonly o: readonly string[]
  readonly r: string
  readonly s: string | null
  readonly e: number
  readonly p: number
}

export interface Tally {
  readonly rows: number
  readonly agreed: number
  /** The first row that did not agree. */
  readonly other?: unknown
}

/** Tallies one file of the CS integration vectors (registry.md 7.10). */
export function tallyCs(file: string, engine: StagingEngine): Tally {
  const [header, ...rows] = readVectors<CsRow>(`cs/${file}`)
  const { columns_i, columns_o, rows: announced } = header as unknown as CsHeader
  if (announced !== rows.length) throw new Error(`${file} announces ${announced} rows`)
  return tally(rows, ({ i, o, r, s, e, p }) => {
    const input = Object.fromEntries(columns_i.map((key, column) => [key, i[column] ?? '']))
    const { result, schema_id = null, output, errors, path } = engine.stage(input)
    const isSame =
      result === r &&
      schema_id === s &&
      errors.length === e &&
      path.length === p &&
      columns_o.every((key, column) => (output[key] ?? '') === o[column])
    return isSame || { result, schema_id, output, errors, path }
  })
}

export type Recorded =
  | {
      readonly op: 'stage'
      readonly input: InputMap
      readonly expected: Omit<StagingData, 'input'>
    }
  | { readonly op: 'lookup'; readonly input: InputMap; readonly expected: readonly string[] }
  | {
      readonly op: 'match'
      readonly table: string
      readonly input: InputMap
      readonly expected_row?: number
    }
  | {
      readonly op: 'code_valid'
      readonly schema?: string
      readonly key?: string
      readonly value?: string
      readonly expected: boolean
    }

/**
 * Tallies recorded calls of one algorithm: errors are compared as multisets, the path exactly, outputs as
 * objects.
 */
export function tallyRecorded(rows: readonly Recorded[], engine: StagingEngine): Tally {
  return tally(rows, (row) => {
    const answer = answerOf(row, engine)
    const wanted =
      row.op === 'match'
        ? (row.expected_row ?? -1)
        : row.op === 'stage'
          ? { ...row.expected, errors: multiset(row.expected.errors) }
          : row.op === 'lookup'
            ? row.expected.toSorted()
            : row.expected
    return sorted(answer) === sorted(wanted) || answer
  })
}

function answerOf(row: Recorded, engine: StagingEngine): unknown {
  switch (row.op) {
    case 'lookup':
      return engine.lookup(row.input)
    case 'match':
      return engine.match(row.table, row.input)
    case 'code_valid':
      return engine.isCodeValid(row.schema ?? '', row.key ?? '', row.value)
    case 'stage': {
      const { input: _posted, ...told } = engine.stage(row.input)
      return { ...told, errors: multiset(told.errors) }
    }
  }
}

/** Errors in an order independent of their discovery. */
export function multiset(errors: readonly StagingError[]): string[] {
  return errors.map(sorted).toSorted()
}

/** Equal texts for equal JSON in any order of members, without null members. */
export function sorted(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(
          Object.entries(member)
            .filter(([, one]) => one !== null)
            .sort(([a], [b]) => (a < b ? -1 : 1)),
        )
      : member,
  )
}

/** @param judge gives true, or what came instead of what was wanted */
export function tally<T>(rows: readonly T[], judge: (row: T) => unknown): Tally {
  let agreed = 0
  let other: unknown
  for (const row of rows) {
    const told = judge(row)
    if (told === true) agreed++
    else other ??= { row, told }
  }
  return { rows: rows.length, agreed, ...(other === undefined ? {} : { other }) }
}

/** Prints counts next to the reporter's own lines. */
export function tell(what: string, { rows, agreed }: Tally): void {
  process.stdout.write(`${what}: ${agreed} of ${rows}\n`)
}
