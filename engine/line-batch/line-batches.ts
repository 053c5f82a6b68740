import { EngineError } from '../errors.ts'
import type { Executor, Job } from '../executor.ts'
import { inOrder } from '../in-order.ts'
import { MOST_BATCHES } from './limits.ts'
import { type LinePiece, linePieces } from './line-pieces.ts'

/** Newline-delimited JSON as it comes. */
export type LineSource = AsyncIterable<Uint8Array>

/** Answers as lines, one for each line that came, in their order. */
export interface AnsweredLines {
  readonly body: AsyncIterable<Uint8Array>
  /** Ends the work; must be called, whether all of the body was read or none. */
  close(): Promise<void>
}

/** What is done with pieces of lines: a job of `lineJob`, and what it is given beside each piece. */
export interface LineWork<Given extends object> {
  readonly job: Job<LinePiece & Given, Uint8Array<ArrayBuffer>>
  /** Asked once, when the batch begins. */
  readonly given: () => Given | Promise<Given>
}

/** Answers lines by jobs: no more is read than threads can do and the reader takes. */
export class LineBatches {
  readonly #executor: Executor
  #active = 0

  constructor(executor: Executor) {
    this.#executor = executor
  }

  /**
   * All lines are answered by what the job is given as the batch begins.
   * @throws EngineError busy; whatever `given` throws
   */
  async start<Given extends object>(
    source: LineSource,
    { job, given }: LineWork<Given>,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<AnsweredLines> {
    if (this.#active >= MOST_BATCHES) {
      throw new EngineError('busy', 'too many batches are under way; try again soon')
    }
    this.#active++
    try {
      const beside = await given()
      const run = (piece: LinePiece, ending: AbortSignal) =>
        this.#executor.run(job, { ...beside, ...piece }, { signal: ending })
      return this.#answer(source, run, signal)
    } catch (error) {
      this.#active--
      throw error
    }
  }

  #answer(
    source: LineSource,
    run: (piece: LinePiece, ending: AbortSignal) => Promise<Uint8Array>,
    signal: AbortSignal | undefined,
  ): AnsweredLines {
    const stop = new AbortController()
    const stopping = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
    const pieces = linePieces(untilAborted(source, stopping))
    let isOver = false
    const next = async (ending: AbortSignal) => {
      const { done, value } = await pieces.next()
      isOver ||= done === true
      return done ? undefined : run(value, ending)
    }
    const answers = inOrder((ending) => (isOver ? undefined : next(ending)), {
      // One more than threads, so that none waits for the main thread.
      ahead: this.#executor.parallelism + 1,
      signal: stopping,
    })
    let isClosed = false
    return {
      body: present(answers),
      close: async () => {
        stop.abort()
        if (isClosed) return
        isClosed = true
        await answers.return(undefined).finally(() => this.#active--)
        // A source that nobody was reading from has not seen the end yet.
        await pieces.return(undefined)
      },
    }
  }
}

async function* present<T>(results: AsyncIterable<T | undefined>): AsyncGenerator<T> {
  for await (const result of results) if (result !== undefined) yield result
}

/** A source that ends with an error as soon as it is aborted, even when nothing comes any more. */
async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { done, value } = await nextOf(iterator, signal)
      if (done) return
      yield value
    }
  } finally {
    // Not awaited: a read that is under way may last as long as its client does nothing.
    iterator.return?.().then(undefined, () => {})
  }
}

function nextOf<T>(iterator: AsyncIterator<T>, signal: AbortSignal): Promise<IteratorResult<T>> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const abort = () => reject(signal.reason)
    // Taken away again each time, since a batch may have a million reads.
    signal.addEventListener('abort', abort, { once: true })
    iterator
      .next()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort))
  })
}
