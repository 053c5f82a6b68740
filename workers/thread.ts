import { setPriority } from 'node:os'
import { platform } from 'node:process'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { JOBS } from '../engine/jobs.ts'
import { MissingBytes } from '../engine/shared/blobs/source.ts'
import { descriptorShortage } from '../engine/shared/descriptors.ts'
import { EngineError } from '../engine/shared/errors.ts'
import { type Job, Scratch } from '../engine/shared/executor.ts'
import { guardZlib } from './guard-zlib.ts'
import { JobState } from './job-state.ts'
import { ThreadKernels } from './kernels.ts'
import type { Reply, Request } from './protocol.ts'

/** A reply whose buffers are transferred instead of copied. */
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

/** Nice value of job threads, which gives them a lower priority than the main thread. */
const BEHIND = 5

/** Lowers the priority of this thread, so that the main thread and other processes come before long jobs. */
function standBehind(): void {
  // On other systems, this call would change the priority of the whole process.
  if (platform !== 'linux') return
  try {
    setPriority(BEHIND)
  } catch {
    // Some systems do not permit this. Threads then keep the same priority.
  }
}

/**
 * Creates the function that runs the jobs of a thread. It loads the module of a job on first use. It runs one
 * job at a time, so that it is known which job caused a crash.
 */
function createRunner(scratch: Scratch) {
  let last: Promise<unknown> = Promise.resolve()
  let state = new JobState()
  // Node aborts the process if a thread is terminated within some zlib calls. While a call runs, the state of
  // the current job makes the pool wait.
  guardZlib((run) => state.criticalSection(run))
  return (request: Request): Promise<unknown> => {
    const reply = last.then(() => {
      state = new JobState(request.state)
      return runJob(request, scratch, state)
    })
    // The queue must not keep the reply in memory, because the reply may be large.
    last = reply.then(() => undefined)
    return reply
  }
}

async function runJob(
  { name, input }: Request,
  scratch: Scratch,
  state: JobState,
): Promise<unknown> {
  try {
    const load = JOBS[name]
    if (!load) throw new Error(`engine/jobs.ts has no job "${name}"`)
    // Each job has its own types of input and output. Pool and thread agree on them by the job's name.
    const job = (await load()) as Job<unknown, unknown>
    // Loading the module is not part of the job: if the thread ends before `begin`, the pool runs the job again.
    state.begin()
    const output = await job.run(input, scratch)
    const reply: Reply = { output }
    const buffers = job.transfer?.(output) ?? []
    return buffers.length > 0 ? move(new MovedReply(reply, buffers)) : reply
  } catch (error) {
    return replyTo(error)
  }
}

/** Converts an error of a job into a reply. See `Reply` for the kinds. */
function replyTo(error: unknown): Reply {
  // Missing bytes are not an error: the pool loads them and runs the job again.
  if (error instanceof MissingBytes) return { missing: { start: error.start, end: error.end } }
  const known = descriptorShortage(error) ?? error
  if (!(known instanceof EngineError)) return { thrown: known }
  const { code, message, at, retryAfterSeconds, cause } = known
  const reason = cause instanceof Error ? cause.message : undefined
  return { error: { code, message, at, retryAfterSeconds, cause: reason } }
}

standBehind()

// biome-ignore lint/style/noDefaultExport: piscina calls the default export of the file.
export default createRunner(new Scratch(new ThreadKernels()))
