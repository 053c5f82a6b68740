import { setPriority } from 'node:os'
import { platform } from 'node:process'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { MissingBytes } from '../engine/blobs/source.ts'
import { EngineError } from '../engine/errors.ts'
import { type Job, Scratch } from '../engine/executor.ts'
import { JOBS } from '../engine/jobs.ts'
import type { Reply, Request } from './protocol.ts'

/** A reply whose buffers move to the caller instead of being copied. */
class MovedReply {
  readonly #reply: Reply
  readonly #buffers: ArrayBuffer[]

  constructor(reply: Reply, buffers: ArrayBuffer[]) {
    this.#reply = reply
    this.#buffers = buffers
  }

  get [transferableSymbol](): object {
    return this.#buffers
  }

  get [valueSymbol](): object {
    return this.#reply
  }
}

/** Niceness of threads that run jobs. */
const BEHIND = 5

/** Whoever is answered by the main thread, and clients on this machine, come before long jobs. */
function standBehind(): void {
  // Elsewhere it would be the whole process.
  if (platform !== 'linux') return
  try {
    setPriority(BEHIND)
  } catch {
    // Where it is forbidden, threads are equal.
  }
}

/** What runs in every thread: loads the module of a job on first use and runs the job. */
function createRunner(scratch: Scratch) {
  return async ({ name, input }: Request): Promise<unknown> => {
    // Jobs differ in input and output; the name ties the two ends together.
    const job = (await JOBS[name]()) as unknown as Job<unknown, unknown>
    try {
      const output = await job.run(input, scratch)
      const reply: Reply = { output }
      const buffers = job.transfer?.(output) ?? []
      return buffers.length > 0 ? move(new MovedReply(reply, buffers)) : reply
    } catch (error) {
      if (error instanceof MissingBytes) {
        const reply: Reply = { missing: { start: error.start, end: error.end } }
        return reply
      }
      if (!(error instanceof EngineError)) throw error
      const { code, message, at, cause } = error
      const reason = cause instanceof Error ? cause.message : undefined
      const reply: Reply = { error: { code, message, at, cause: reason } }
      return reply
    }
  }
}

standBehind()

// biome-ignore lint/style/noDefaultExport: piscina calls the default export of the file.
export default createRunner(new Scratch())
