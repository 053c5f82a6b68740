import { checkId, checkName } from '../../../shared/blobs/blob-key.ts'
import { EngineError } from '../../../shared/errors.ts'
import { isGzipError } from '../../../shared/formats/byte-source.ts'
import { FormatError } from '../../../shared/formats/format-error.ts'
import { wholeDigits } from '../../../shared/input/decimal.ts'
import {
  findManifestColumns,
  type MANIFEST_COLUMNS,
} from '../../../shared/input/manifest-columns.ts'
import { explainSystemError } from '../../../shared/input/system-error.ts'
import { tableFile } from '../../../shared/input/table-file.ts'
import type { TableRow } from '../../../shared/input/table-rows.ts'

/** A row of a download manifest (data-commons.md 3.7). */
export interface ManifestRow {
  /** Id in lower case. */
  readonly id: string
  readonly fileName: string
  readonly md5: string
  readonly size: number
}

/** A row that cannot be used. */
export interface BadRow {
  /** Id of the file if there is one, otherwise the line number. */
  readonly subject: string
  readonly problem: string
}

type Columns = Readonly<Record<keyof typeof MANIFEST_COLUMNS, number>>

/**
 * Reads a download manifest, plain or gzip, in batches of rows. Columns are found by name, and unknown ones
 * are ignored.
 * @throws EngineError bad_input if it is not a manifest; not_found if the file does not exist
 */
export async function* readManifestRows(
  path: string,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<readonly (ManifestRow | BadRow)[], void, undefined> {
  let columns: Columns | undefined
  try {
    for await (const table of tableFile(path, { signal })) {
      const rows: (ManifestRow | BadRow)[] = []
      for (const row of table) {
        if (columns) rows.push(rowOf(row, columns))
        else columns = columnsOf(row.cells)
      }
      if (rows.length > 0) yield rows
    }
  } catch (cause) {
    signal?.throwIfAborted()
    if (cause instanceof FormatError) {
      throw new EngineError('bad_input', `manifest: ${cause.message}`, { cause })
    }
    if (!isGzipError(cause)) throw explainSystemError(cause, path)
    const message = `the manifest ${JSON.stringify(path)} is cut off or damaged; fetch it again`
    throw new EngineError('bad_input', message, { cause })
  }
  if (!columns) throw noManifest()
}

function columnsOf(header: readonly string[]): Columns {
  const { id, fileName, md5, size } = findManifestColumns(header)
  if (id === undefined || fileName === undefined || md5 === undefined || size === undefined) {
    throw noManifest()
  }
  return { id, fileName, md5, size }
}

function noManifest(): EngineError {
  return new EngineError(
    'bad_input',
    'manifest has no columns id, filename, md5 and size; give a tab-separated download manifest',
  )
}

function rowOf({ line, cells }: TableRow, columns: Columns): ManifestRow | BadRow {
  const cell = (at: number) => (cells[at] ?? '').trim()
  const id = cell(columns.id).toLowerCase()
  let subject = `line ${line}`
  try {
    checkId(id)
    subject = id
    // Not trimmed: spaces may be part of the name.
    const fileName = cells[columns.fileName] ?? ''
    checkName(fileName, 'filename')
    return { id, fileName, md5: md5Of(cell(columns.md5)), size: sizeOf(cell(columns.size)) }
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    return { subject, problem: `manifest line ${line}: ${error.message}` }
  }
}

function md5Of(text: string): string {
  const md5 = text.toLowerCase()
  if (/^[0-9a-f]{32}$/.test(md5)) return md5
  throw new EngineError('bad_input', `md5 ${shown(text)} is not 32 hex digits`)
}

function sizeOf(text: string): number {
  const size = Number(wholeDigits(text) ?? Number.NaN)
  if (Number.isSafeInteger(size) && size >= 0) return size
  throw new EngineError('bad_input', `size ${shown(text)} is no whole number of bytes`)
}

const shown = (text: string) => JSON.stringify(text.slice(0, 80))
