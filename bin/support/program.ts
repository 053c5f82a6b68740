import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('../casemill.ts', import.meta.url))

/** The program as it ended, and all that it said. */
export interface Ended {
  readonly status: number | null
  readonly signal: string | null
  readonly out: string
  readonly err: string
}

/** Variables beside those of this process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Starts the program as a process of its own; the variables are added to those of this one. */
export function startProgram(
  args: readonly string[],
  environment: Environment = {},
): ChildProcessByStdio<null, Readable, Readable> {
  const env = { ...process.env, FORCE_COLOR: '0', ...environment }
  return spawn(process.execPath, [PROGRAM, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Runs the program to its end. */
export function runProgram(args: readonly string[], environment?: Environment): Promise<Ended> {
  return endOf(startProgram(args, environment))
}

export async function endOf(child: ChildProcessByStdio<null, Readable, Readable>): Promise<Ended> {
  const [out, err, [status, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { status, signal, out, err }
}
