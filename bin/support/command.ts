import { vi } from 'vitest'
import { isExhaustive } from '../../test/depth.ts'
import { runProgram as runWith } from '../frame.ts'
import { makeProgram } from '../program.ts'
import type { Terminal } from '../terminal.ts'
import { type Ended, type Environment, runProgram } from './program.ts'

/**
 * Runs a command to its end. In the exhaustive run it gets a process of its own; otherwise it runs in this
 * process, which is much faster. Not for commands that change their process, for example by limitHeaps.
 */
export async function runCommand(
  args: readonly string[],
  environment: Environment = {},
): Promise<Ended> {
  return isExhaustive ? runProgram(args, environment) : runHere(args, environment)
}

async function runHere(args: readonly string[], environment: Environment): Promise<Ended> {
  const out: (string | Uint8Array)[] = []
  const err: string[] = []
  const terminal: Terminal = {
    out: process.stdout,
    err: process.stderr,
    signal: new AbortController().signal,
    write: async (chunk) => void out.push(chunk),
    explain: (line) => void err.push(`${line}\n`),
  }
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  try {
    const program = await makeProgram(args, terminal)
    const status = await runWith(program, ['node', 'casemill', ...args], terminal)
    return { status, signal: null, out: out.map(String).join(''), err: err.join('') }
  } finally {
    vi.unstubAllEnvs()
  }
}
