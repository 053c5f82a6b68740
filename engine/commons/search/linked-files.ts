import { EngineError } from '../../shared/errors.ts'
import type { DatasetName } from '../datasets/define.ts'
import { columnKey, levelKey, linkKey } from '../release/layout.ts'
import type { ArrayKey, ReleaseArrays } from '../release/loaded.ts'

/** The occurrences of what is found in many cases, and the link by which they name it. */
const OCCURRENCES = {
  ssms: { dataset: 'ssm_occurrences', at: 'ssm' },
  cnvs: { dataset: 'cnv_occurrences', at: 'cnv' },
  segment_cnvs: { dataset: 'segment_cnv_occurrences', at: 'segment_cnv' },
} as const

type Occurring = keyof typeof OCCURRENCES
const isOccurring = (dataset: DatasetName): dataset is Occurring =>
  Object.hasOwn(OCCURRENCES, dataset)

/** The arrays that `filesOf` looks at. */
export function filesOfKeys(dataset: DatasetName): ArrayKey[] {
  const files = [linkKey('files', 'cases'), levelKey('files', 'cases')]
  if (dataset === 'projects') return [...files, linkKey('cases', 'project')]
  if (dataset === 'annotations') {
    return [...files, columnKey('annotations', 'case_id'), columnKey('cases', 'case_id')]
  }
  if (isOccurring(dataset)) {
    const { dataset: occurrences, at } = OCCURRENCES[dataset]
    return [...files, linkKey(occurrences, at), linkKey(occurrences, 'case')]
  }
  return dataset === 'cases' ? files : [...files, linkKey(dataset, 'case')]
}

/**
 * Rows of the files that belong to the cases of these records, ascending and distinct: what
 * `return_type=manifest` lists on another endpoint than files (data-commons.md 11.9).
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

/** One byte per case: 1 where a record belongs to it. */
function casesOf(dataset: DatasetName, rows: Uint32Array, arrays: ReleaseArrays): Uint8Array {
  const found = new Uint8Array(arrays.rows('cases'))
  const mark = (target: number | undefined) => {
    if (target) found[target - 1] = 1
  }
  if (dataset === 'cases') {
    for (const row of rows) found[row] = 1
  } else if (dataset === 'projects') {
    const link = arrays.link('cases', 'project')
    if (link) for (const row of rows) for (const one of namedBy(link, row)) found[one] = 1
  } else if (dataset === 'annotations') {
    const named = arrays.column('annotations', 'case_id')
    const ids = arrays.column('cases', 'case_id')
    if (named?.codes && ids) {
      for (const row of rows) {
        const code = named.codes[row] ?? 0
        if (code > 0) mark(ids.dictionary.find(named.dictionary.text(code)))
      }
    }
  } else if (isOccurring(dataset)) {
    const { dataset: occurrences, at } = OCCURRENCES[dataset]
    const link = arrays.link(occurrences, at)
    const targets = arrays.link(occurrences, 'case')?.targets
    if (link && targets) {
      for (const row of rows) for (const one of namedBy(link, row)) mark(targets[one])
    }
  } else if (dataset === 'genes') {
    throw new EngineError('bad_input', 'genes belong to no files; ask for a manifest on /files', {
      at: 'return_type',
    })
  } else {
    const targets = arrays.link(dataset, 'case')?.targets
    if (targets) for (const row of rows) mark(targets[row])
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
