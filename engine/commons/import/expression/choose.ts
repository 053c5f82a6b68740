import { basename, dirname } from 'node:path'
import type { MatrixCase } from '../../analysis/expression/matrix-format.ts'
import { compareIds } from './gene-layout.ts'
import type { NoOwner, Owner, Owners } from './owners.ts'
import { damaged } from './read-whole.ts'
import { type Choosable, compareNames, compareSamples } from './sample-rule.ts'
import type { Table } from './tables.ts'

/** A sample that is taken out of a file. */
export interface Chosen extends Choosable {
  readonly caseId: string
  readonly owner: Owner
  readonly table: Table
  readonly cell: number
}

/** Why a sample of a file is not taken. */
export type LeftOutReason = NoOwner | 'normal' | 'otherSample' | 'keptSample'

export interface Choice {
  /** By case. */
  readonly chosen: ReadonlyMap<string, Chosen>
  /** Columns of the matrix that is there which stay. */
  readonly retained: readonly MatrixCase[]
  /** Files of what is left out, each as often as it has such samples. */
  readonly leftOut: ReadonlyMap<LeftOutReason, readonly string[]>
}

/**
 * Chooses one sample per case among files and the matrix that is there. The order of files does not
 * matter; against the matrix a sample wins that the rule prefers, or that is the same one.
 * @throws EngineError bad_input when a file is shorter than its record says
 */
export function choose(
  tables: readonly Table[],
  stored: readonly MatrixCase[],
  owners: Owners,
): Choice {
  const leftOut = new Map<LeftOutReason, string[]>()
  const leave = (reason: LeftOutReason, source: string) => {
    const sources = leftOut.get(reason)
    if (sources) sources.push(source)
    else leftOut.set(reason, [source])
  }
  const chosen = new Map<string, Chosen>()
  for (const candidate of candidates(tables, owners, leave)) {
    const other = chosen.get(candidate.caseId)
    const isBetter = !other || compareChosen(candidate, other) < 0
    if (isBetter) chosen.set(candidate.caseId, candidate)
    if (other) leave('otherSample', (isBetter ? other : candidate).table.file.name)
  }
  const retained = stored.filter((column) => {
    const candidate = chosen.get(column.caseId)
    if (!candidate) return true
    const standing = owners.standingOf(column)
    const isSame = candidate.sample === column.sample
    if (isSame || compareSamples(candidate, { ...column, standing }) < 0) return false
    chosen.delete(column.caseId)
    leave('keptSample', candidate.table.file.name)
    return true
  })
  for (const each of chosen.values()) checkLength(each)
  return { chosen, retained, leftOut }
}

function* candidates(
  tables: readonly Table[],
  owners: Owners,
  leave: (reason: LeftOutReason, source: string) => void,
): Generator<Chosen> {
  for (const table of tables) {
    const { kind, values } = table.form
    for (const { cell, name } of values) {
      const owner = kind === 'sample' ? owners.ofFile(namesOf(table)) : owners.ofColumn(name)
      if (typeof owner === 'string') leave(owner, table.file.name)
      else if (owner.standing === 'normal') leave('normal', table.file.name)
      else yield { ...owner, owner, table, cell }
    }
  }
}

/** What a file of one sample is found by. */
export const namesOf = ({ file: { path } }: Table) => ({
  name: basename(path),
  folder: basename(dirname(path)),
})

/** Of several files of one sample the one of the lowest id or name is taken. */
function compareChosen(a: Chosen, b: Chosen): number {
  return (
    compareSamples(a, b) ||
    compareNames(a.owner.file?.fileId ?? '~', b.owner.file?.fileId ?? '~') ||
    compareNames(basename(a.table.file.path), basename(b.table.file.path)) ||
    compareNames(a.table.file.path, b.table.file.path) ||
    a.cell - b.cell
  )
}

/** A download that was broken off at the end of a line looks like a whole file. */
function checkLength({ table, owner }: Chosen): void {
  const { file } = owner
  if (table.form.kind !== 'sample' || file?.bytes === undefined) return
  if (file.fileName !== namesOf(table).name || table.file.size >= file.bytes) return
  throw damaged(table.file.name, `has ${table.file.size} bytes, its record says ${file.bytes}`)
}

/** The cases of a matrix in their order. */
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
