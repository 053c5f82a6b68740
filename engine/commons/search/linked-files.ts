import { EngineError } from '../../shared/errors.ts'
import type { DatasetName } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'
import { levelKey, linkKey } from '../release/layout.ts'
import type { ArrayKey, ReleaseArrays } from '../release/loaded.ts'

/** Returns the keys of the arrays that `filesOf` reads. */
export function filesOfKeys(dataset: DatasetName): ArrayKey[] {
  const files = [linkKey('files', 'cases'), levelKey('files', 'cases')]
  const path = DATASETS[dataset].casePath
  switch (path?.kind) {
    case undefined:
    case 'self':
      return files
    case 'link':
      return [...files, linkKey(dataset, path.at)]
    case 'linked':
      return [...files, linkKey('cases', path.at)]
    case 'occurrences':
      return [...files, linkKey(path.dataset, path.at), linkKey(path.dataset, 'case')]
  }
}

/**
 * Returns the distinct rows of the files that belong to the cases of these records, ascending.
 * `return_type=manifest` lists them on endpoints other than files (data-commons.md 11.9).
 * @throws EngineError bad_input for a dataset whose records belong to no case
 */
export function filesOf(
  dataset: DatasetName,
  rows: Uint32Array,
  arrays: ReleaseArrays,
): Uint32Array {
  const cases = casesOf(dataset, rows, arrays)
  const link = arrays.link('files', 'cases')
  const level = arrays.level('files', 'cases')
  const found = new Uint8Array(arrays.rows('files'))
  if (!link || !level) return new Uint32Array(0)
  const { reverseOffsets, reverseElements } = link
  for (let row = 0; row < cases.length; row++) {
    if (cases[row] === 0) continue
    const end = reverseOffsets[row + 1] ?? 0
    for (let i = reverseOffsets[row] ?? 0; i < end; i++) {
      found[level.parents[reverseElements[i] ?? 0] ?? 0] = 1
    }
  }
  return rowsOf(found)
}

/** Returns one byte per case: 1 if a record belongs to it. */
function casesOf(dataset: DatasetName, rows: Uint32Array, arrays: ReleaseArrays): Uint8Array {
  const found = new Uint8Array(arrays.rows('cases'))
  const mark = (target: number | undefined) => {
    if (target) found[target - 1] = 1
  }
  const { casePath: path, name } = DATASETS[dataset]
  switch (path?.kind) {
    case undefined: {
      const message = `${name} belong to no files; request a manifest on /files`
      throw new EngineError('bad_input', message, { at: 'return_type' })
    }
    case 'self':
      for (const row of rows) found[row] = 1
      break
    case 'link': {
      const targets = arrays.link(dataset, path.at)?.targets
      if (targets) for (const row of rows) mark(targets[row])
      break
    }
    case 'linked': {
      const link = arrays.link('cases', path.at)
      if (link) for (const row of rows) for (const one of namedBy(link, row)) found[one] = 1
      break
    }
    case 'occurrences': {
      const link = arrays.link(path.dataset, path.at)
      const targets = arrays.link(path.dataset, 'case')?.targets
      if (link && targets) {
        for (const row of rows) for (const one of namedBy(link, row)) mark(targets[one])
      }
    }
  }
  return found
}

function namedBy(
  { reverseOffsets, reverseElements }: NonNullable<ReturnType<ReleaseArrays['link']>>,
  row: number,
): Uint32Array {
  return reverseElements.subarray(reverseOffsets[row], reverseOffsets[row + 1])
}

function rowsOf(marks: Uint8Array): Uint32Array {
  let count = 0
  for (const mark of marks) count += mark
  const rows = new Uint32Array(count)
  for (let row = 0, i = 0; row < marks.length; row++) if (marks[row] === 1) rows[i++] = row
  return rows
}
