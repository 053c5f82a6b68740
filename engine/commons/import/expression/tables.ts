import { isUtf8 } from 'node:buffer'
import { closeSync, openSync, readSync } from 'node:fs'
import { constants, gunzipSync } from 'node:zlib'
import { isGzip } from '../../../shared/formats/byte-source.ts'
import { foreignFormat } from '../../../shared/input/foreign-format.ts'
import { countLines } from '../../../shared/input/lines.ts'
import type { SourceFile } from '../../../shared/input/source-file.ts'
import { damaged } from './read-whole.ts'
import { formOf, type TableForm } from './table-form.ts'
import type { Stated } from './units.ts'

/** A file of expression values, with the layout that was recognised. */
export interface Table {
  readonly file: SourceFile
  readonly form: TableForm
}

export interface NotTaken {
  readonly source: string
  readonly reason: string
}

const HEAD_BYTES = 64 << 10
/** Limit of the head, which grows because the first lines of a matrix with many samples are long. */
const MAX_HEAD_BYTES = 32 << 20
/** Recognition needs three lines: a comment, the header and a row. */
const MIN_LINES = 3
const LF = 0x0a
const CR = 0x0d

/**
 * Recognises the layout of each file by its first lines.
 * @throws EngineError bad_input for a gzip file that does not inflate
 */
export function recogniseTables(
  files: readonly SourceFile[],
  stated: Stated = {},
): readonly (Table | NotTaken)[] {
  // All files are read into the same buffer, because there may be ten thousand of them.
  const target = Buffer.allocUnsafeSlow(HEAD_BYTES)
  return files.map((file) => recogniseTable(file, target, stated))
}

function recogniseTable(file: SourceFile, target: Buffer, stated: Stated): Table | NotTaken {
  const descriptor = openSync(file.path, 'r')
  try {
    let head = readHead(descriptor, file, target)
    // Reads more until the head has enough lines.
    for (let most = HEAD_BYTES; hasMore(head, most, file); ) {
      most *= 8
      head = readHead(descriptor, file, Buffer.allocUnsafeSlow(Math.min(most, file.size)))
    }
    const foreign = foreignFormat(head) ?? (head.includes(0) ? 'it is no text' : undefined)
    if (foreign !== undefined) return { source: file.name, reason: foreign }
    // The last line is left out, because it may be incomplete.
    const end = Math.max(head.lastIndexOf(LF), head.includes(LF) ? -1 : head.lastIndexOf(CR))
    const lines = head.subarray(0, end < 0 ? head.length : end)
    if (end >= 0 && !isUtf8(lines)) return { source: file.name, reason: 'it is not UTF-8' }
    const form = formOf(lines.toString('utf8'), file.name, stated)
    return 'reason' in form ? { source: file.name, ...form } : { file, form }
  } finally {
    closeSync(descriptor)
  }
}

const hasMore = (head: Buffer, most: number, { size }: SourceFile) =>
  countLines(head, MIN_LINES) < MIN_LINES && most < Math.min(size, MAX_HEAD_BYTES)

function readHead(descriptor: number, { name }: SourceFile, target: Buffer): Buffer {
  const head = target.subarray(0, readSync(descriptor, target, 0, target.length, 0))
  if (!isGzip(head)) return head
  try {
    return inflatedHead(head)
  } catch (cause) {
    throw damaged(name, `does not inflate: ${(cause as Error).message}`, cause)
  }
}

/** Inflates the first bytes of a gzip file, up to the limit of the head. */
function inflatedHead(packed: Buffer): Buffer {
  const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: MAX_HEAD_BYTES }
  try {
    return gunzipSync(packed, options)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw cause
    return inflatedHead(packed.subarray(0, packed.length >> 1))
  }
}
