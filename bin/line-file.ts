import { createReadStream } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { stdin } from 'node:process'
import type { AnsweredLines, LineSource } from '../engine/registry/index.ts'
import { explainSystemError } from '../engine/shared/internal.ts'
import { deliver } from './deliver.ts'
import { IssuesFound } from './frame.ts'
import type { Terminal } from './terminal.ts'

/** As requests come, for which the memory of chunks is made. */
const READ_BYTES = 64 << 10

/** Lines of a file, or of standard input for `-`. */
export async function openLines(path: string): Promise<LineSource> {
  if (path === '-') return stdin
  await access(path, constants.R_OK).catch((cause: unknown) => {
    throw explainSystemError(cause, path)
  })
  return createReadStream(path, { highWaterMark: READ_BYTES })
}

/**
 * Writes the answers to lines.
 * @throws IssuesFound when all are written and some say that their line is not accepted
 */
export async function deliverLines(
  answers: AnsweredLines,
  output: string | undefined,
  terminal: Terminal,
): Promise<void> {
  await deliver(answers, output, terminal)
  const errors = answers.errors()
  if (errors === 0) return
  const lines = errors === 1 ? '1 line has' : `${errors} lines have`
  terminal.explain(`casemill: ${lines} an error for an answer`)
  throw new IssuesFound(`${errors} lines`)
}
