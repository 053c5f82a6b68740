import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { held, processorTime } from './commons/search/service.ts'

const LOOK_MILLISECONDS = 50

export interface MeasuredProcess {
  readonly output: string
  readonly errors: string
  /** Milliseconds. */
  readonly wall: number
  readonly processor: number
  /** Resident memory at most, in MB. */
  readonly peak: number
}

/**
 * Runs a program, by default this Node, with the words to its end.
 * @throws Error when it fails
 */
export async function measuredProcess(
  words: readonly string[],
  program: string = process.execPath,
): Promise<MeasuredProcess> {
  const start = performance.now()
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  let peak = 0
  let processor = 0
  const looking = setInterval(() => {
    // Of a process that has ended, and was not waited for yet, there is nothing to see.
    const seen = existsSync(`/proc/${child.pid}/status`) ? held(child.pid, 'VmHWM') : Number.NaN
    if (Number.isNaN(seen)) return
    peak = seen
    processor = processorTime(child.pid) / 1000
  }, LOOK_MILLISECONDS)
  const ended = once(child, 'exit')
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [status] = await ended
  clearInterval(looking)
  const wall = performance.now() - start
  if (status !== 0) throw new Error(`the command ended by ${status}: ${errors.slice(-2000)}`)
  return { output, errors, wall, processor, peak }
}
