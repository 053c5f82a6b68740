import { basename, dirname } from 'node:path'
import type { MatrixCase } from '../../analysis/expression/matrix-format.ts'
import { compareIds } from './gene-layout.ts'
import type { NoOwner, Owner, Owners } from './owners.ts'
import { damaged } from './read-whole.ts'
import { type Choosable, compareNames, compareSamples, standingOfBarcode } from './sample-rule.ts'
import type { Table } from './tables.ts'

/** A sample chosen from a file. */
export interface Chosen extends Choosable {
  readonly caseId: string
  readonly owner: Owner
  readonly table: Table
  readonly cell: number
}

/** Reason why a sample of a file is left out. */
export type LeftOutReason = NoOwner | 'normal' | 'otherSample' | 'keptSample'

export interface Choice {
  /** Chosen samples, keyed by case. */
  readonly chosen: ReadonlyMap<string, Chosen>
  /** Columns of the existing matrix that are kept. */
  readonly retained: readonly MatrixCase[]
  readonly leftOut: ReadonlyMap<LeftOutReason, readonly LeftOutSample[]>
}

/** A sample that is left out. */
interface LeftOutSample {
  readonly file: string
  /** Name of its column in a matrix. */
  readonly name: string | undefined
}

/**
 * Chooses one sample per case from the files and the existing matrix, independently of the order of files. A
 * sample replaces the sample in the matrix if compareSamples prefers it, or if both are the same.
 * @throws EngineError bad_input for a file that is shorter than its record says, or whose header does not show
 *   which columns are samples
 */
export function choose(
  tables: readonly Table[],
  stored: readonly MatrixCase[],
  owners: Owners,
): Choice {
  const leftOut = new Map<LeftOutReason, LeftOutSample[]>()
  const leave: Leave = (reason, { file, form }, name) => {
    const sample = { file: file.name, name: form.kind === 'matrix' ? name : undefined }
    const samples = leftOut.get(reason)
    if (samples) samples.push(sample)
    else leftOut.set(reason, [sample])
  }
  const chosen = new Map<string, Chosen>()
  for (const candidate of candidates(tables, owners, leave)) {
    const other = chosen.get(candidate.caseId)
    const isBetter = !other || compareChosen(candidate, other) < 0
    if (isBetter) chosen.set(candidate.caseId, candidate)
    const worse = isBetter ? other : candidate
    if (other && worse) leave('otherSample', worse.table, columnOf(worse))
  }
  const retained = stored.filter((column) => {
    const candidate = chosen.get(column.caseId)
    if (!candidate) return true
    const standing = owners.standingOf(column)
    const isSame = candidate.sample === column.sample
    if (isSame || compareSamples(candidate, { ...column, standing }) < 0) return false
    chosen.delete(column.caseId)
    leave('keptSample', candidate.table, columnOf(candidate))
    return true
  })
  for (const each of chosen.values()) checkLength(each)
  return { chosen, retained, leftOut }
}

function* candidates(tables: readonly Table[], owners: Owners, leave: Leave): Generator<Chosen> {
  for (const table of tables) {
    const { kind, values } = table.form
    for (const [i, { cell, name }] of values.entries()) {
      const owner = kind === 'sample' ? owners.ofFile(namesOf(table)) : owners.ofColumn(name)
      if (i === 0 && owner === 'noCase') proveShort(table)
      if (typeof owner === 'string') leave(owner, table, name)
      else if (owner.standing === 'normal') leave('normal', table, name)
      else yield { ...owner, owner, table, cell }
    }
  }
}

type Leave = (reason: LeftOutReason, table: Table, name: string | undefined) => void

const columnOf = ({ table, cell }: Chosen) => table.form.names[cell]

/**
 * Checks a header that has one name fewer than its rows have cells. The missing name may be that of the first
 * column, or of another.
 * @throws EngineError bad_input unless the first name is that of a known sample
 */
function proveShort({ file, form: { kind, isShort, names, headerLines } }: Table): void {
  const [, first = ''] = names
  if (kind !== 'matrix' || !isShort || standingOfBarcode(first) !== undefined) return
  const found = `has ${names.length - 1} names in line ${headerLines} and ${names.length} cells in rows`
  throw damaged(
    file.name,
    `${found}; "${first}" is no sample of the release, so it is not clear which columns are samples; name all columns`,
  )
}

/** Returns the names of file and folder, by which the file of one sample is looked up. */
export const namesOf = ({ file: { path } }: Table) => ({
  name: basename(path),
  folder: basename(dirname(path)),
})

/** Compares candidates. Files of the same sample are ordered by file id, then by name. */
function compareChosen(a: Chosen, b: Chosen): number {
  return (
    compareSamples(a, b) ||
    compareNames(a.owner.file?.fileId ?? '~', b.owner.file?.fileId ?? '~') ||
    compareNames(basename(a.table.file.path), basename(b.table.file.path)) ||
    compareNames(a.table.file.path, b.table.file.path) ||
    a.cell - b.cell
  )
}

/**
 * Checks the length of a file, because a download interrupted at a line break looks complete.
 * @throws EngineError bad_input if a table of one sample is shorter than the file's record says
 */
function checkLength({ table, owner }: Chosen): void {
  const { file } = owner
  if (table.form.kind !== 'sample' || file?.bytes === undefined) return
  if (file.fileName !== namesOf(table).name || table.file.size >= file.bytes) return
  throw damaged(table.file.name, `has ${table.file.size} bytes, its record says ${file.bytes}`)
}

/**
 * Returns the cases of the new matrix in order.
 * @param controlled whether all added samples are controlled, whatever their files' records say
 */
export function matrixCases(
  { chosen, retained }: Choice,
  { controlled }: { readonly controlled: boolean },
): readonly MatrixCase[] {
  const added = [...chosen.values()].map(({ caseId, sample, owner: { file } }): MatrixCase => {
    const access = controlled ? 'controlled' : (file?.access ?? 'open')
    return { caseId, sample, fileId: file?.fileId ?? null, access }
  })
  return [...retained, ...added].sort((a, b) => compareIds(a.caseId, b.caseId))
}
