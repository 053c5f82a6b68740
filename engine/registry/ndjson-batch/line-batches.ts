import { BufferPool } from '../../shared/concurrency/buffer-pool.ts'
import { inOrder } from '../../shared/concurrency/in-order.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Executor, Job } from '../../shared/executor.ts'
import { type ByteStream, generatedStream } from '../../shared/streams/byte-stream.ts'
import { type Counted, Counts } from './counts.ts'
import { CHUNK_BYTES, MAX_BATCHES, MAX_CACHED_CHUNKS } from './limits.ts'
import { type LineChunk, lineChunks } from './line-chunks.ts'
import type { AnsweredChunk } from './line-job.ts'

/** Newline-delimited JSON as it arrives. */
export type LineSource = AsyncIterable<Uint8Array>

/** One answer line per input line, in input order. */
export interface AnsweredLines extends ByteStream {
  /** Returns how many of the lines answered so far were answered with an error. */
  errors(): number
  /** Returns how many lines have been answered so far. */
  lines(): number
  /** Returns the findings in the lines answered so far, most frequent first. */
  counts(): readonly Counted[]
}

export interface LinesRun {
  readonly signal?: AbortSignal | undefined
  /** File name that errors contain beside the line number. */
  readonly file?: string | undefined
}

/** The job that processes chunks, and its input besides each chunk. */
interface ChunkWork<Chunk extends LineChunk, Given extends object, Answer extends AnsweredChunk> {
  readonly job: Job<Chunk & Pick<LinesRun, 'file'> & Given, Answer>
  /** Called once, when the batch starts. */
  readonly given: () => Given | Promise<Given>
}

/** Answers batches of lines with jobs, reading no faster than threads process and the reader consumes. */
export class LineBatches {
  readonly #executor: Executor
  readonly #buffers = new BufferPool(CHUNK_BYTES, { most: MAX_CACHED_CHUNKS })
  #active = 0
  #lines = 0
  #errors = 0

  constructor(executor: Executor) {
    this.#executor = executor
  }

  /**
   * Starts a batch. The input for all of its lines is the one that `given` returns at the start.
   * @throws EngineError `busy` if too many batches are running; whatever `given` throws @internal
   */
  start<Given extends object>(
    source: LineSource,
    work: ChunkWork<LineChunk, Given, AnsweredChunk>,
    run: LinesRun = {},
  ): Promise<AnsweredLines> {
    return this.startChunks((memoryFor) => lineChunks(source, memoryFor), work, run)
  }

  /**
   * Starts a batch of chunks from another source.
   * @param run `taken` is called with each answer in order, and returns whether to continue
   * @throws EngineError `busy` if too many batches are running; whatever `given` throws @internal
   */
  async startChunks<Chunk extends LineChunk, Given extends object, Answer extends AnsweredChunk>(
    chunksOf: ChunksOf<Chunk>,
    { job, given }: ChunkWork<Chunk, Given, Answer>,
    { signal, file, taken }: LinesRun & { readonly taken?: (answer: Answer) => boolean } = {},
  ): Promise<AnsweredLines> {
    if (this.#active >= MAX_BATCHES) {
      throw new EngineError('busy', 'too many batches are under way; try again soon')
    }
    this.#active++
    try {
      const beside = await given()
      const run = (chunk: Chunk, ending: AbortSignal) =>
        this.#executor.run(job, { ...beside, ...chunk, file }, { signal: ending })
      return this.#answer(chunksOf, run, signal, taken)
    } catch (error) {
      this.#active--
      throw error
    }
  }

  /** Returns the load figures for monitoring. */
  load() {
    return { activeBatches: this.#active, batchLines: this.#lines, batchErrors: this.#errors }
  }

  #answer<Chunk extends LineChunk, Answer extends AnsweredChunk>(
    chunksOf: ChunksOf<Chunk>,
    run: (chunk: Chunk, ending: AbortSignal) => Promise<Answer>,
    signal: AbortSignal | undefined,
    taken: (answer: Answer) => boolean = () => true,
  ): AnsweredLines {
    const stop = new AbortController()
    const stopping = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
    const memory = new ChunkMemory(this.#buffers)
    const chunks = untilAborted(
      chunksOf((bytes) => memory.take(bytes)),
      stopping,
    )
    let isOver = false
    const next = async (ending: AbortSignal) => {
      const { done, value } = await chunks.next()
      isOver ||= done === true
      return done ? undefined : { ...(await run(value, ending)), memory: value.memory }
    }
    const answers = inOrder((ending) => (isOver ? undefined : next(ending)), {
      // Two more chunks than threads, so that no thread waits for the main thread.
      ahead: this.#executor.parallelism + 2,
      signal: stopping,
    })
    let errors = 0
    let lines = 0
    const counts = new Counts()
    const rest = bodyOf(answers, (answer) => {
      errors += answer.errors
      lines += answer.lines
      counts.addAll(answer.counts)
      this.#lines += answer.lines
      this.#errors += answer.errors
      memory.give(answer.memory)
      return taken(answer)
    })
    const stream = generatedStream(
      { rest },
      {
        stop: () => stop.abort(),
        giveBack: async () => {
          this.#active--
          // A source that was not being read at that moment does not know of the end yet.
          await chunks.return(undefined)
          memory.giveAll()
        },
      },
    )
    return { ...stream, errors: () => errors, lines: () => lines, counts: () => counts.list() }
  }
}

/** Yields chunks in memory that `memoryFor` allocates. */
type ChunksOf<Chunk extends LineChunk> = (
  memoryFor: (bytes: number) => Uint8Array<SharedArrayBuffer>,
) => AsyncGenerator<Chunk>

async function* bodyOf<Answer extends AnsweredChunk & Pick<LineChunk, 'memory'>>(
  results: AsyncIterable<Answer | undefined>,
  taken: (answer: Answer) => boolean,
): AsyncGenerator<Uint8Array> {
  for await (const result of results) {
    if (result === undefined) continue
    const { memory, length, rest } = result
    if (length > 0) yield memory.subarray(0, length)
    if (rest) yield rest
    if (!taken(result)) return
  }
}

/** The buffers for the chunks of one batch. */
class ChunkMemory {
  readonly #buffers: BufferPool
  readonly #taken = new Map<Uint8Array, Buffer>()

  constructor(buffers: BufferPool) {
    this.#buffers = buffers
  }

  /** Allocates space for the bytes of a chunk, and as much for its answers. */
  take(bytes: number): Uint8Array<SharedArrayBuffer> {
    if (2 * bytes > CHUNK_BYTES) return new Uint8Array(new SharedArrayBuffer(2 * bytes))
    const buffer = this.#buffers.take()
    const memory = new Uint8Array(buffer.buffer as SharedArrayBuffer)
    this.#taken.set(memory, buffer)
    return memory
  }

  give(memory: Uint8Array): void {
    const buffer = this.#taken.get(memory)
    if (!buffer) return
    this.#taken.delete(memory)
    this.#buffers.give(buffer)
  }

  /** Gives back all buffers. Call it only after all writers have finished. */
  giveAll(): void {
    for (const memory of this.#taken.keys()) this.give(memory)
  }
}

/** Wraps a source so that it fails as soon as the signal aborts, even if no data arrive. */
async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { done, value } = await nextOf(iterator, signal)
      if (done) return
      yield value
    }
  } finally {
    // The call is not awaited, because a pending read may last as long as its client sends nothing.
    iterator.return?.().then(undefined, () => {})
  }
}

function nextOf<T>(iterator: AsyncIterator<T>, signal: AbortSignal): Promise<IteratorResult<T>> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const abort = () => reject(signal.reason)
    // The listener is removed after each read, because a batch may have a million reads.
    signal.addEventListener('abort', abort, { once: true })
    iterator
      .next()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort))
  })
}
