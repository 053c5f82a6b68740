import { createReadStream } from 'node:fs'
import { access, constants, open, stat } from 'node:fs/promises'
import { stdin } from 'node:process'
import type { AnsweredLines, LineSource } from '../engine/registry/index.ts'
import { EngineError } from '../engine/shared/index.ts'
import { explainSystemError, inflated, isGzip } from '../engine/shared/internal.ts'
import { deliver } from './deliver.ts'
import { IssuesFound } from './frame.ts'
import type { Terminal } from './terminal.ts'

/** Chunk size, as of request bodies, for which buffers are sized. */
const READ_BYTES = 64 << 10

/** Returns the name of a file for messages and results. Standard input has a name of its own. */
export const lineFileName = (path: string) => (path === '-' ? undefined : path)

/** Opens a file of lines, plain or gzip, or standard input for `-`. */
export async function openLines(path: string): Promise<LineSource> {
  if (path === '-') return stdin
  const stream = () => createReadStream(path, { highWaterMark: READ_BYTES })
  return (await isGzipFile(path)) ? inflatedLines(stream(), path) : stream()
}

/** Opens the bytes [start, end) of a file that is not gzip. */
export function readLines(
  path: string,
  { start, end }: { readonly start: number; readonly end: number },
): LineSource {
  return createReadStream(path, { highWaterMark: READ_BYTES, start, end: end - 1 })
}

/** Returns whether a file starts like gzip. A pipe is not read, because the bytes would be lost. */
export async function isGzipFile(path: string): Promise<boolean> {
  try {
    await access(path, constants.R_OK)
    if (!(await stat(path)).isFile()) return false
    await using file = await open(path, 'r')
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(2), position: 0 })
    return bytesRead === 2 && isGzip(buffer)
  } catch (cause) {
    throw explainSystemError(cause, path)
  }
}

async function* inflatedLines(bytes: LineSource, path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* inflated(bytes)
  } catch (cause) {
    const isDamage = cause instanceof Error && 'code' in cause && /^Z_/.test(String(cause.code))
    if (!isDamage) throw cause
    const message = `"${path}" starts like gzip but cannot be inflated; give a complete file`
    throw new EngineError('corrupt_source', message, { cause })
  }
}

/**
 * Writes the results for lines.
 * @throws IssuesFound when everything is written and some lines were rejected
 */
export async function deliverLines(
  answers: AnsweredLines,
  { file, output }: { readonly file: string | undefined; readonly output: string | undefined },
  terminal: Terminal,
): Promise<void> {
  await deliver(answers, output, terminal)
  const errors = answers.errors()
  if (errors === 0) return
  terminal.explain(`casemill: ${errorsText(errors, file)}`)
  throw new IssuesFound(`${errors} lines`)
}

/** Describes how many lines of a file gave errors. */
export function errorsText(errors: number, file: string | undefined): string {
  const lines = errors === 1 ? '1 line has' : `${errors} lines have`
  return `${file === undefined ? '' : `${file}: `}${lines} an error as result`
}
