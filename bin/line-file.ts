import { createReadStream } from 'node:fs'
import { access, constants, open, stat } from 'node:fs/promises'
import { stdin } from 'node:process'
import type { AnsweredLines, LineSource } from '../engine/registry/index.ts'
import { EngineError } from '../engine/shared/index.ts'
import { explainSystemError, inflated, isGzip } from '../engine/shared/internal.ts'
import { deliver } from './deliver.ts'
import { IssuesFound } from './frame.ts'
import type { Terminal } from './terminal.ts'

/** As requests come, for which the memory of chunks is made. */
const READ_BYTES = 64 << 10

/** How messages and answers call a file of lines; standard input has no name. */
export const lineFileName = (path: string) => (path === '-' ? undefined : path)

/** Lines of a file, inflated where it is gzip, or of standard input for `-`. */
export async function openLines(path: string): Promise<LineSource> {
  if (path === '-') return stdin
  const stream = () => createReadStream(path, { highWaterMark: READ_BYTES })
  return (await isGzipFile(path)) ? inflatedLines(stream(), path) : stream()
}

/** Bytes from `start` to before `end` of a file that is not gzip. */
export function readLines(
  path: string,
  { start, end }: { readonly start: number; readonly end: number },
): LineSource {
  return createReadStream(path, { highWaterMark: READ_BYTES, start, end: end - 1 })
}

/** Whether a file begins as gzip does. A pipe is not looked into, since what was read of it is gone. */
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
    const message = `"${path}" begins as gzip does and cannot be inflated; give a whole file`
    throw new EngineError('corrupt_source', message, { cause })
  }
}

/**
 * Writes the answers to lines.
 * @throws IssuesFound when all are written and some say that their line is not accepted
 */
export async function deliverLines(
  answers: AnsweredLines,
  { file, output }: { readonly file: string | undefined; readonly output: string | undefined },
  terminal: Terminal,
): Promise<void> {
  await deliver(answers, output, terminal)
  const errors = answers.errors()
  if (errors === 0) return
  terminal.explain(`casemill: ${errorsTold(errors, file)}`)
  throw new IssuesFound(`${errors} lines`)
}

/** How many lines of a file are answered by an error. */
export function errorsTold(errors: number, file: string | undefined): string {
  const lines = errors === 1 ? '1 line has' : `${errors} lines have`
  return `${file === undefined ? '' : `${file}: `}${lines} an error for an answer`
}
