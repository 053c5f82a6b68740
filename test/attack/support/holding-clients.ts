import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Clients that hold connections or memory and want nothing. */
export interface HoldingPlan {
  readonly port: number
  /** Send nothing. */
  readonly idle: number
  /** Send a head, a byte at times. */
  readonly slow: number
  /** Send the beginning of a body, and then nothing. */
  readonly stalled: number
  readonly stalledBytes: number
  /** After which a client that was sent away comes again. */
  readonly returnMilliseconds: number
}

interface HoldingCounts {
  readonly open: number
  /** Of bodies, how many have brought all they will. */
  readonly held: number
  readonly opened: number
  readonly closed: number
}

interface HoldingClients {
  counts(): HoldingCounts
  stop(): Promise<void>
}

/** Starts them in a process of their own: descriptors are counted by process. */
export async function startHolding(plan: HoldingPlan): Promise<HoldingClients> {
  const entry = join(import.meta.dirname, 'holding-entry.ts')
  const child = spawn(process.execPath, [entry, JSON.stringify(plan)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  let counts: HoldingCounts = { open: 0, held: 0, opened: 0, closed: 0 }
  lines.on('line', (line) => {
    counts = JSON.parse(line) as HoldingCounts
  })
  await once(lines, 'line')
  return {
    counts: () => counts,
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
