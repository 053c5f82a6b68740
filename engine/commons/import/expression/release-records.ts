import type { JsonObject } from '../../../shared/input/json-value.ts'
import type { DatasetName } from '../../datasets/define.ts'
import { datasetOf } from '../../datasets/index.ts'
import { arraysOf } from '../../release/arrays.ts'
import { DocumentReader } from '../../release/documents.ts'
import { foldText } from '../../release/fold.ts'
import { columnKey } from '../../release/layout.ts'
import type { Release } from '../../release/release.ts'

/** Number of documents to read at once. */
const BATCH = 256

/**
 * Returns the rows of records whose text field has one of some values, keyed by the value in lower case. Values
 * are compared as the type of the field requires. Names of cases, for example, are case-sensitive.
 */
export async function rowsNamed(
  release: Release,
  dataset: DatasetName,
  field: string,
  names: ReadonlySet<string>,
): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>()
  const lease = release.retain()
  try {
    const column = arraysOf(await release.load([columnKey(dataset, field)])).column(dataset, field)
    if (!column) return found
    const type = datasetOf(dataset).fields[field] === 'exact' ? 'exact' : 'keyword'
    const wanted = new Map<number, string>()
    for (const name of names) {
      const code = column.dictionary.find(foldText(type, name))
      if (code > 0) wanted.set(code, name.toLowerCase())
    }
    if (column.layout.identity) {
      for (const [code, name] of wanted) found.set(name, [code - 1])
      return found
    }
    const { codes = [], offsets } = column
    if (wanted.size === 0) return found
    let row = 0
    for (let place = 0; place < codes.length; place++) {
      const name = wanted.get(codes[place]!)
      if (name === undefined) continue
      while (offsets && (offsets[row + 1] ?? Infinity) <= place) row++
      const rows = found.get(name)
      if (rows) rows.push(offsets ? row : place)
      else found.set(name, [offsets ? row : place])
    }
    return found
  } finally {
    lease.release()
  }
}

/** Visits the documents of the given rows, or of all records. */
export async function eachDocument(
  release: Release,
  dataset: DatasetName,
  visit: (document: JsonObject, row: number) => void,
  given?: Iterable<number>,
): Promise<void> {
  const handle = await release.documents(dataset)
  const reader = new DocumentReader(handle)
  const rows = given
    ? Uint32Array.from(new Set(given)).sort()
    : Uint32Array.from({ length: handle.rows }, (_, row) => row)
  for (let from = 0; from < rows.length; from += BATCH) {
    const batch = rows.subarray(from, from + BATCH)
    for (const [i, text] of reader.read(batch).entries()) {
      visit(JSON.parse(text), batch[i]!)
    }
    // Reading blocks the thread, so the event loop runs between batches.
    await new Promise((resolve) => setImmediate(resolve))
  }
}
