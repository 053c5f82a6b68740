import { EngineError } from '../errors.ts'
import type { Executor } from '../executor.ts'
import { inOrder } from '../in-order.ts'
import { linePieces } from './line-pieces.ts'
import type { LoadedVersion } from './loaded-version.ts'
import { stageLinesJob } from './stage-lines.ts'
import { type VersionText, VersionTexts } from './version-text.ts'

/** Lines of cases as they come. */
export type CaseLines = AsyncIterable<Uint8Array>

export interface BatchRun {
  /** Adds `explain` to each answer. */
  readonly explain?: boolean
  readonly signal?: AbortSignal | undefined
}

/** Answers as lines, one for each line of cases, in their order. */
export interface StagedLines {
  readonly body: AsyncIterable<Uint8Array>
  /** Ends the work; must be called, whether all of the body was read or none. */
  close(): Promise<void>
}

/** Each has a few pieces under way. */
const MOST_BATCHES = 32

/** Stages lines of cases by jobs: no more is read than threads can do and the reader takes. */
export class BatchStreams {
  readonly #executor: Executor
  readonly #texts = new VersionTexts()
  #active = 0

  constructor(executor: Executor) {
    this.#executor = executor
  }

  /**
   * All cases are staged by the version as it was loaded, in the year of the first.
   * @throws EngineError busy
   */
  async stage(loaded: LoadedVersion, source: CaseLines, run: BatchRun): Promise<StagedLines> {
    if (this.#active >= MOST_BATCHES) {
      throw new EngineError('busy', 'too many batches are under way; try again soon')
    }
    this.#active++
    try {
      const version = await this.#texts.of(loaded)
      return this.#start(source, { ...run, version, year: loaded.compiled.yearNow() })
    } catch (error) {
      this.#active--
      throw error
    }
  }

  #start(
    source: CaseLines,
    { version, year, explain = false, signal }: BatchRun & { version: VersionText; year: string },
  ): StagedLines {
    const stop = new AbortController()
    const stopping = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
    const pieces = linePieces(untilAborted(source, stopping))
    let isOver = false
    const next = async (ending: AbortSignal) => {
      const { done, value } = await pieces.next()
      isOver ||= done === true
      if (done) return undefined
      return this.#executor.run(
        stageLinesJob,
        { ...value, version, year, explain },
        { signal: ending },
      )
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
