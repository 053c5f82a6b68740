import { checkId, checkName } from '../../../shared/blobs/blob-key.ts'
import { EngineError } from '../../../shared/errors.ts'
import { FormatError } from '../../../shared/formats/format-error.ts'
import { type Line, splitLines } from '../../../shared/input/lines.ts'
import { openSource } from '../../../shared/input/source-file.ts'
import { explainSystemError } from '../../../shared/input/system-error.ts'
import { headerColumns } from '../../import/recognise.ts'

/** A file as a download manifest names it (data-commons.md 3.7). */
export interface ManifestRow {
  /** Lower case. */
  readonly id: string
  readonly fileName: string
  readonly md5: string
  readonly size: number
}

/** A row that names no file. */
export interface BadRow {
  /** The file's id where it has one, else the number of the line. */
  readonly subject: string
  readonly problem: string
}

/** What each column may be called; the first name is the manifest's, others those of R packages. */
const COLUMNS = {
  id: ['id', 'file_id'],
  fileName: ['filename', 'file_name'],
  md5: ['md5', 'md5sum'],
  size: ['size', 'file_size'],
} as const

type Columns = Readonly<Record<keyof typeof COLUMNS, number>>

/**
 * The rows of a download manifest, plain or gzip, a batch at a time. Columns are found by their
 * names, others are ignored.
 * @throws EngineError bad_input when it is no such table, not_found when it is not there
 */
export async function* readManifestRows(
  path: string,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<readonly (ManifestRow | BadRow)[], void, undefined> {
  const file = { path, name: path, size: 0, isNamed: true }
  const source = await openSource(file, { signal }).catch((cause: unknown) => {
    signal?.throwIfAborted()
    const explained = explainSystemError(cause, path)
    if (explained instanceof EngineError) throw explained
    const message = `the manifest ${JSON.stringify(path)} is cut off or damaged; fetch it again`
    throw new EngineError('bad_input', message, { cause })
  })
  try {
    let columns: Columns | undefined
    for await (const lines of splitLines(source.chunks)) {
      const rows: (ManifestRow | BadRow)[] = []
      for (const line of lines) {
        if (columns) rows.push(rowOf(line, columns))
        else if (!line.text.startsWith('#')) columns = columnsOf(line.text)
      }
      if (rows.length > 0) yield rows
    }
    if (!columns) throw noManifest()
  } catch (cause) {
    if (cause instanceof FormatError || isZlibError(cause)) {
      throw new EngineError('bad_input', `manifest: ${cause.message}`, { cause })
    }
    throw cause
  } finally {
    await source.close()
  }
}

function columnsOf(header: string): Columns {
  const names = headerColumns(header, '\t').map((name) => name.toLowerCase())
  const place = (wanted: readonly string[]) => {
    const found = wanted.map((name) => names.indexOf(name)).find((at) => at >= 0)
    if (found === undefined) throw noManifest()
    return found
  }
  return {
    id: place(COLUMNS.id),
    fileName: place(COLUMNS.fileName),
    md5: place(COLUMNS.md5),
    size: place(COLUMNS.size),
  }
}

function noManifest(): EngineError {
  return new EngineError(
    'bad_input',
    'manifest has no columns id, filename, md5 and size; give a tab-separated download manifest',
  )
}

function rowOf({ line, text }: Line, columns: Columns): ManifestRow | BadRow {
  const cells = text.split('\t')
  const cell = (at: number) => (cells[at] ?? '').trim().replace(/^"(.*)"$/, '$1')
  const id = cell(columns.id).toLowerCase()
  let subject = `line ${line}`
  try {
    checkId(id)
    subject = id
    // The name as it is: blanks around it may be part of it.
    const fileName = (cells[columns.fileName] ?? '').replace(/^"(.*)"$/, '$1')
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
  const size = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(size)) return size
  throw new EngineError('bad_input', `size ${shown(text)} is no whole number of bytes`)
}

const shown = (text: string) => JSON.stringify(text.slice(0, 80))

function isZlibError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
}
