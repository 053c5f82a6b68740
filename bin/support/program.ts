import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Gate } from '../../engine/shared/concurrency/gate.ts'
import { runCasemill } from '../program.ts'

const PROGRAM = fileURLToPath(new URL('../casemill.ts', import.meta.url))

/** Exit status and output of a program. */
export interface Ended {
  readonly status: number | null
  readonly signal: string | null
  readonly out: string
  readonly err: string
}

/** Environment variables in addition to those of this process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Starts the program as a process of its own, with additional environment variables. */
export function startProgram(
  args: readonly string[],
  environment: Environment = {},
): ChildProcessByStdio<null, Readable, Readable> {
  const env = { ...process.env, FORCE_COLOR: '0', ...environment }
  return spawn(process.execPath, [PROGRAM, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Programs share the environment and the umask of this process, so they run one after the other. */
const gate = new Gate(1, Number.POSITIVE_INFINITY, 'unbounded')

/**
 * Runs the program to its end within this process, because loading it again takes a second. Tests of signals,
 * pipes or limits of a process use `startProgram`.
 */
export async function runProgram(
  args: readonly string[],
  environment: Environment = {},
): Promise<Ended> {
  const leave = await gate.enter()
  const umask = process.umask()
  const kept = { ...process.env }
  try {
    setEnvironment({ ...kept, ...environment })
    const [stdout, stderr] = [makeOutput(), makeOutput()]
    const texts = Promise.all([text(stdout), text(stderr)])
    const argv = [process.execPath, PROGRAM, ...args]
    const status = await runCasemill(Object.assign(new EventEmitter(), { argv, stdout, stderr }))
    stdout.end()
    stderr.end()
    const [out, err] = await texts
    return { status, signal: null, out, err }
  } finally {
    process.umask(umask)
    setEnvironment(kept)
    leave()
  }
}

const makeOutput = () => Object.assign(new PassThrough(), { isTTY: false })

function setEnvironment(environment: Environment): void {
  for (const name of Object.keys(process.env)) delete process.env[name]
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined) process.env[name] = value
  }
}

export async function endOf(child: ChildProcessByStdio<null, Readable, Readable>): Promise<Ended> {
  const [out, err, [status, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { status, signal, out, err }
}
