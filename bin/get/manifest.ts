import { basename } from 'node:path'
import { EngineError } from '../../engine/shared/index.ts'
import {
  explainSystemError,
  FormatError,
  findManifestColumns,
  isGzipError,
  tableFile,
} from '../../engine/shared/internal.ts'
import { isPlainId } from './names.ts'
import { described, type Wanted } from './wanted.ts'

/**
 * Reads a manifest: tab-separated with a header. `id` is required, and `filename`, `md5` and `size` are used
 * (data-commons.md 3.7), or `file_name`, `md5sum`, `file_size` as in a file table.
 */
export async function readManifest(path: string): Promise<Wanted[]> {
  const title = `manifest "${basename(path)}"`
  const wanted: Wanted[] = []
  let columns: Columns | undefined
  try {
    for await (const rows of tableFile(path)) {
      for (const { line, cells } of rows) {
        if (!columns) columns = findManifestColumns(cells)
        else if (cells.some((cell) => cell.trim() !== '')) {
          wanted.push(wantedOf(cells, columns, `${title}, line ${line}`))
        }
      }
    }
  } catch (cause) {
    if (isGzipError(cause)) {
      throw new EngineError('bad_input', `${title} is truncated or damaged; download it again`, {
        cause,
      })
    }
    if (!(cause instanceof FormatError)) throw explainSystemError(cause, path)
    throw new EngineError('bad_input', `${title}: ${cause.message}`, { cause })
  }
  return wanted
}

type Columns = ReturnType<typeof findManifestColumns>

function wantedOf(cells: readonly string[], columns: Columns, place: string): Wanted {
  const cell = (at: number | undefined) => (at === undefined ? undefined : cells[at]?.trim())
  const id = cell(columns.id) ?? ''
  if (!isPlainId(id)) {
    const found = columns.id === undefined ? 'there is no column id' : `"${id}" is not a file id`
    throw new EngineError('bad_input', `${place}: ${found}`)
  }
  const { fileName, md5, size } = columns
  return {
    id,
    folder: id,
    ...described({ name: cell(fileName), md5: cell(md5), size: cell(size) }),
  }
}

/** Merges lists of files: ids of the command line first, then manifests. Each file occurs once, ignoring case. */
export function uniteWanted(lists: readonly (readonly Wanted[])[]): Wanted[] {
  const byId = new Map<string, Wanted>()
  for (const one of lists.flat()) {
    const key = one.id.toLowerCase()
    const before = byId.get(key)
    byId.set(key, before ? { ...one, ...before } : one)
  }
  return [...byId.values()]
}
