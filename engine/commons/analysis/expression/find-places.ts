import type { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import type { Executor } from '../../../shared/executor.ts'
import type { Warnings } from '../../../shared/input/warnings.ts'
import type { Release } from '../../release/release.ts'
import { MAX_LOOKED_UP, NAMED_CASES, NAMED_GENES, warnOfIds } from '../../search/id-warnings.ts'
import { caseIdsAt } from './case-rows.ts'
import { type CaseSources, filteredCases, type GeneSources } from './case-sources.ts'
import type { ReleaseMatrix } from './matrices.ts'
import { markedPlaces } from './matrix-part.ts'
import type { Matrix } from './open-matrix.ts'

/** Context for finding the requested cases and genes in the matrix of a release. */
interface LookupContext {
  readonly release: Release
  /** Matrix of the release. Undefined if the release has no expression values. */
  readonly served: ReleaseMatrix | undefined
  readonly executor: Executor
  readonly signal: AbortSignal
  readonly warnings: Warnings
  readonly turns: LoopTurns
  /** Name of the request parameter with the case filter, for error messages. By default `case_filters`. */
  readonly at?: string | undefined
}

/** Requested cases that have expression values. */
interface FoundCases {
  /** Column numbers of the requested cases that have values, ascending, in shared memory. */
  readonly columns: Uint32Array
  /** Returns the number of requested cases, including those without values. */
  readonly count: () => number
}

/**
 * Finds the matrix columns of the requested cases. Ids are compared case-insensitively.
 * @throws EngineError bad_input for an invalid filter; busy, corrupt_source
 */
export async function findColumns(
  { caseIds, caseFilters }: CaseSources,
  { release, served, executor, turns, ...run }: LookupContext,
): Promise<FoundCases> {
  if (caseIds) {
    const marks = new Uint8Array(served?.matrix.cases.length ?? 0)
    if (served) await turns.run(markCases(marks, caseIds, served.matrix))
    return { columns: markedPlaces(marks), count: () => new Set(caseIds.map(lowerCase)).size }
  }
  const rows = await filteredCases(caseFilters, release, executor, run)
  return { columns: await columnsOf(rows, served), count: () => rows.length }
}

/** Returns the matrix columns, ascending, of the cases in some rows of the release, which are ascending, too. */
export async function columnsOf(
  rows: Uint32Array,
  served: ReleaseMatrix | undefined,
): Promise<Uint32Array> {
  const marks = new Uint8Array(served?.matrix.cases.length ?? 0)
  const passes = new Uint8Array((rows.at(-1) ?? -1) + 1)
  for (const row of rows) passes[row] = 1
  const caseRows = (await served?.caseRows()) ?? new Int32Array(0)
  for (const [column, row] of caseRows.entries()) marks[column] = passes[row] ?? 0
  return markedPlaces(marks)
}

function* markCases(
  marks: Uint8Array,
  caseIds: readonly string[],
  { cases, columns }: Matrix,
): Generator<void, void> {
  let next = 0
  for (const id of caseIds) {
    yield
    // Request lists are usually sorted, and a comparison is ten times as fast as a table lookup.
    const column =
      cases[next]?.caseId === id ? next : (columns.get(id) ?? columns.get(id.toLowerCase()))
    if (column === undefined) continue
    marks[column] = 1
    next = column + 1
  }
}

/** Returns the ids of the requested cases, in lower case. */
export async function findCaseIds(
  { caseIds, caseFilters }: CaseSources,
  { release, executor, turns, ...run }: LookupContext,
): Promise<readonly string[]> {
  if (caseIds) return turns.run(lowerCased(caseIds))
  const rows = await filteredCases(caseFilters, release, executor, run)
  return caseIdsAt(rows, release)
}

function* lowerCased(ids: readonly string[]): Generator<void, readonly string[]> {
  const lower: string[] = []
  for (const id of ids) {
    yield
    lower.push(lowerCase(id))
  }
  return lower
}

/** Finds the rows, ascending, of the requested genes that have values. Yields between steps. */
export function* findGeneRows(
  { geneIds = [] }: GeneSources,
  served: Pick<ReleaseMatrix, 'matrix'> | undefined,
): Generator<void, Uint32Array> {
  const marks = new Uint8Array(served?.matrix.geneIds.length ?? 0)
  for (const id of geneIds) {
    yield
    const row = served?.matrix.rows.get(id)
    if (row !== undefined) marks[row] = 1
  }
  return markedPlaces(marks)
}

/**
 * Adds a warning for requested ids that are neither in the expression matrix nor in the release.
 * @throws EngineError corrupt_source if the release is damaged
 */
export async function warnOfUnknownIds(
  { caseIds = [], geneIds = [] }: CaseSources & GeneSources,
  { release, served, signal, warnings, turns }: LookupContext,
): Promise<void> {
  const { columns, rows } = served?.matrix ?? {}
  const isCase = (id: string) => columns?.has(id) || columns?.has(id.toLowerCase())
  const cases = await turns.run(firstUnknown(caseIds, isCase))
  const genes = await turns.run(firstUnknown(geneIds, (id) => rows?.has(id)))
  await warnOfIds(NAMED_CASES, cases, release, { signal, warnings })
  await warnOfIds(NAMED_GENES, genes, release, { signal, warnings })
}

/** Returns unknown ids, but no more than a warning lists. */
function* firstUnknown(
  ids: readonly string[],
  isKnown: (id: string) => boolean | undefined,
): Generator<void, readonly string[]> {
  const unknown: string[] = []
  for (const id of ids) {
    yield
    if (!isKnown(id) && unknown.push(id) === MAX_LOOKED_UP) break
  }
  return unknown
}

const lowerCase = (id: string) => id.toLowerCase()
