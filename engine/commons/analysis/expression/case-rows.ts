import { setImmediate as pause } from 'node:timers/promises'
import { arraysOf } from '../../release/arrays.ts'
import { columnKey, linkKey } from '../../release/layout.ts'
import type { Release } from '../../release/release.ts'
import type { Matrix } from './open-matrix.ts'

const CASE_IDS = columnKey('cases', 'case_id')
const PROJECT_IDS = columnKey('projects', 'project_id')
const PROJECTS = linkKey('cases', 'project')

/** Number of ids per batch, which takes a few milliseconds. */
const BATCH_IDS = 1000

/**
 * Returns, for each column of the matrix, the row of its case in the release, or -1 if the release lacks the
 * case. In the dictionary of case ids, the code of a case is its row plus 1, because ids are unique and sorted.
 */
export async function caseRowsOf(matrix: Matrix, release: Release): Promise<Int32Array> {
  const rows = new Int32Array(matrix.cases.length).fill(-1)
  const arrays = arraysOf(await release.load([CASE_IDS]))
  const ids = arrays.column('cases', 'case_id')?.dictionary
  if (!ids) return rows
  for (const [column, { caseId }] of matrix.cases.entries()) {
    if (column > 0 && column % BATCH_IDS === 0) await pause()
    rows[column] = ids.find(caseId) - 1
  }
  return rows
}

/** Returns the case ids of the given rows. The rows of a release are sorted by case id. */
export async function caseIdsAt(rows: Uint32Array, release: Release): Promise<string[]> {
  const ids = arraysOf(await release.load([CASE_IDS])).column('cases', 'case_id')?.dictionary
  return Array.from(rows, (row) => ids?.text(row + 1) ?? '')
}

/** Returns the project of each case, or undefined for a case without a project. */
export async function projectsAt(
  rows: readonly number[],
  release: Release,
): Promise<(string | undefined)[]> {
  const arrays = arraysOf(await release.load([PROJECTS, PROJECT_IDS]))
  const link = arrays.link('cases', 'project')
  const ids = arrays.column('projects', 'project_id')?.dictionary
  return rows.map((row) => {
    const target = link?.targets[row] ?? 0
    return target > 0 ? ids?.text(target) : undefined
  })
}
