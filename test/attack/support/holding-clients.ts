import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Clients that hold connections or memory without wanting answers. */
export interface HoldingPlan {
  readonly port: number
  /** The number of clients that send nothing. */
  readonly idle: number
  /** The number of clients that send a head one byte at a time. */
  readonly slow: number
  /** The number of clients that send the beginning of a body and then nothing. */
  readonly stalled: number
  readonly stalledBytes: number
  /** The time in milliseconds after which a rejected client reconnects. */
  readonly returnMilliseconds: number
}

interface HoldingCounts {
  readonly open: number
  /** The number of bodies that have been sent as far as they will be. */
  readonly held: number
  readonly opened: number
  readonly closed: number
}

interface HoldingClients {
  counts(): HoldingCounts
  stop(): Promise<void>
}

/** Starts the clients in a separate process, because descriptors are limited per process. */
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
