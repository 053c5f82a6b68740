import { sameIdentity } from '../../shared/blobs/identity.ts'
import { LeasedCache } from '../../shared/concurrency/leased-cache.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import { type BinIndex, placedEnd } from '../../shared/formats/bam-index.ts'
import { MAX_BAI_BASES } from '../../shared/formats/bam-index-writer.ts'
import { type Alignment, indexMemory, openAlignment, readIndex } from './alignment.ts'
import { BEYOND_BAI } from './explain-file.ts'
import type { AlignmentHeader } from './header.ts'
import { behindIndexJob, unpackOffset } from './locate.ts'
import type { AlignmentParts } from './parts.ts'

/** An open file in use. */
export interface Lease {
  readonly alignment: Alignment
  /** Returns the parsed index, which is read on first use. */
  index(): Promise<BinIndex>
  /** Gives the file back. Repeated calls do nothing. */
  release(): void
}

/** An open file, with the parts that have been read so far. */
interface Opened {
  readonly alignment: Alignment
  index: Promise<BinIndex> | undefined
  indexBytes: number
  /** Time of the last identity check, from `performance.now()`. */
  checkedAt: number
}

interface CacheLimits {
  readonly openFiles: number
  readonly cacheBytes: number
}

/**
 * Keeps files open between slices, within a limit of files and of memory. A file that has changed is opened
 * again. Slices that are running finish on the file as they opened it.
 */
export class AlignmentCache {
  readonly #executor: Executor
  readonly #onOpen: ((alignment: Alignment) => void) | undefined
  readonly #files: LeasedCache<string, Opened>

  constructor(executor: Executor, limits: CacheLimits, onOpen?: (alignment: Alignment) => void) {
    this.#executor = executor
    this.#onOpen = onOpen
    this.#files = new LeasedCache({
      entries: limits.openFiles,
      bytes: limits.cacheBytes,
      bytesOf: ({ alignment, indexBytes }) => alignment.memory + indexBytes,
      dispose: ({ alignment }) => alignment.close(),
    })
  }

  get openFiles(): number {
    return this.#files.opened
  }

  /**
   * Leases an open file.
   * @throws EngineError unavailable, corrupt_source or bad_input, like openAlignment
   */
  async acquire(parts: AlignmentParts): Promise<Lease> {
    await this.#check(parts)
    const { value, release } = await this.#files.acquire(parts.key, () => this.#open(parts))
    const index = () => {
      value.index ??= this.#readIndex(value)
      return value.index
    }
    return { alignment: value.alignment, index, release }
  }

  /** Forgets the file if it has changed. A file that is just being opened is taken as current. */
  async #check({ key, identity, trustMilliseconds }: AlignmentParts): Promise<void> {
    if (trustMilliseconds > 0) {
      const trusted = this.#files.peek(key)
      if (!trusted || performance.now() - trusted.checkedAt < trustMilliseconds) return
    }
    const now = await identity()
    const known = this.#files.peek(key)
    if (!known) return
    if (sameIdentity(known.alignment.identity, now)) known.checkedAt = performance.now()
    else this.forget(key)
  }

  async #open(parts: AlignmentParts): Promise<Opened> {
    const checkedAt = performance.now()
    const alignment = await openAlignment(parts, this.#executor)
    this.#onOpen?.(alignment)
    return { alignment, index: undefined, indexBytes: 0, checkedAt }
  }

  async #readIndex(opened: Opened): Promise<BinIndex> {
    try {
      const index = await readIndex(opened.alignment, this.#executor)
      await mustReachEnd(opened.alignment, index, this.#executor)
      opened.indexBytes = indexMemory(index)
      return index
    } catch (error) {
      opened.index = undefined
      throw withReason(error, opened.alignment.header)
    }
  }

  /** Drops a file. Running slices keep it until they end. */
  forget(key: string): void {
    this.#files.forget(key)
  }

  /** Closes the files that are not in use. Each other file is closed when its last slice ends. */
  async close(): Promise<void> {
    await this.#files.close()
  }
}

/** Returns the error about the header that explains why the file has no index, or the given error. */
function withReason(cause: unknown, { sortOrder, lengths }: AlignmentHeader): unknown {
  if (!(cause instanceof EngineError) || cause.code !== 'no_index') return cause
  if (sortOrder === 'queryname') {
    const message =
      'file states sort order "queryname" and has no index; only coordinate-sorted files can be sliced'
    return new EngineError('bad_input', message, { cause })
  }
  if (lengths.every((length) => length <= MAX_BAI_BASES)) return cause
  return new EngineError(cause.code, cause.message, { cause, at: BEYOND_BAI })
}

/**
 * Checks that the index of a file outside the data folder reaches the end of the file. An index of an earlier,
 * shorter file with the same name would miss the rest.
 * @throws EngineError no_index if it does not
 */
async function mustReachEnd(
  { parts, blob, header }: Alignment,
  index: BinIndex,
  executor: Executor,
): Promise<void> {
  if (parts.file) return
  const end = placedEnd(index)
  const first = { block: header.firstBlock, inner: header.firstInner }
  const input = { format: header.format, begin: end === 0n ? first : unpackOffset(end) }
  const behind = await blob.run(executor, behindIndexJob, input).catch((cause: unknown) => {
    if (!(cause instanceof EngineError) || cause.code !== 'corrupt_source') throw cause
    const at = `byte ${end >> 16n} of ${blob.identity.size}`
    const message = `index ends before the file does, at ${at}, where no record begins: it is that of an earlier file`
    throw new EngineError('no_index', message, { cause })
  })
  if (behind === undefined) return
  const place = `${header.names[behind.reference] ?? 'a reference'}:${behind.start + 1}`
  throw new EngineError(
    'no_index',
    `index ends before the file does: what begins at ${place} and behind it is not in it, as in that of an earlier file`,
  )
}
