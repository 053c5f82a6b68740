import { join } from 'node:path'
import type { Job } from '../../shared/executor.ts'
import type { DatasetName } from '../datasets/define.ts'
import { readArrowArrays } from './arrow-reader.ts'
import { Dictionary, type DictionaryParts } from './dictionary.ts'
import {
  ARROW_ENDING,
  CODED_COLUMN_ARRAYS,
  COLUMN_ARRAYS,
  type ColumnLayout,
  columnKey,
  linkKey,
} from './layout.ts'
import { type WrittenFiles, writeArrowKey } from './written-files.ts'

/** Returns the key of a temporary column with the ids that a link names, removed when the release is built. */
export const foreignKey = (dataset: DatasetName, at: string) => `.foreign/${dataset}/${at}`

interface LinkInput {
  readonly folder: string
  readonly dataset: DatasetName
  readonly at: string
  readonly target: {
    readonly dataset: DatasetName
    readonly idField: string
    readonly rows: number
  }
}

interface WrittenLink {
  readonly dangling: number
  readonly files: Readonly<WrittenFiles>
}

/** Finds the records to which a link refers, and writes both directions of the link. */
export const linkJob: Job<LinkInput, WrittenLink> = { name: 'release.link', run: writeLink }

async function writeLink({ folder, dataset, at, target }: LinkInput): Promise<WrittenLink> {
  const pathOf = (key: string) => join(folder, `${key}${ARROW_ENDING}`)
  const foreign = await readArrowArrays(pathOf(foreignKey(dataset, at)), CODED_COLUMN_ARRAYS)
  const layout = foreign.facts.layout as ColumnLayout
  const dictionary = dictionaryOf(foreign, layout.distinct)
  const rowOfCode = new Uint32Array(layout.distinct + 1)
  if (target.rows > 0) {
    const key = columnKey(target.dataset, target.idField)
    const ids = await readArrowArrays(pathOf(key), COLUMN_ARRAYS)
    matchSorted(dictionary, dictionaryOf(ids, target.rows), rowOfCode)
  }
  const { codes, offsets } = foreign.arrays
  const elements = offsets ? offsets.length - 1 : codes.length
  const targets = new Uint32Array(elements)
  let dangling = 0
  for (let element = 0; element < elements; element++) {
    // An element that refers to several records counts only for the first.
    const isNone = offsets !== undefined && offsets[element] === offsets[element + 1]
    const code = isNone ? 0 : (codes[offsets ? offsets[element]! : element] as number)
    const row = rowOfCode[code]!
    targets[element] = row
    if (code !== 0 && row === 0) dangling++
  }
  const files: WrittenFiles = {}
  const arrays = { targets, ...reverse(targets, target.rows) }
  await writeArrowKey(folder, linkKey(dataset, at), {}, arrays, files)
  return { dangling, files }
}

/** Returns the dictionary of a written column. */
export function dictionaryOf(
  file: Pick<DictionaryParts, 'facts' | 'arrays'>,
  distinct: number,
): Dictionary {
  return new Dictionary({ ...file, distinct })
}

/** Matches two ascending dictionaries in one pass. For each entry of `entries`, stores its code in `ids`. */
export function matchSorted(entries: Dictionary, ids: Dictionary, found: Uint32Array): void {
  let id = 1
  for (let code = 1; code <= entries.size && id <= ids.size; code++) {
    let order = 1
    while (id <= ids.size) {
      order = entries.compareTo(code, ids, id)
      if (order <= 0) break
      id++
    }
    if (order === 0) found[code] = id
  }
}

/** Inverts a link: for each of this many rows, lists the elements that refer to it. */
export function reverse(targets: Uint32Array, rows: number) {
  const reverseOffsets = new Uint32Array(rows + 1)
  for (const target of targets) {
    if (target > 0) reverseOffsets[target] = reverseOffsets[target]! + 1
  }
  for (let row = 0; row < rows; row++) {
    reverseOffsets[row + 1] = reverseOffsets[row + 1]! + reverseOffsets[row]!
  }
  const reverseElements = new Uint32Array(reverseOffsets[rows]!)
  const next = reverseOffsets.slice()
  for (let element = 0; element < targets.length; element++) {
    const target = targets[element]!
    if (target === 0) continue
    const at = next[target - 1]!
    reverseElements[at] = element
    next[target - 1] = at + 1
  }
  return { reverseOffsets, reverseElements }
}
