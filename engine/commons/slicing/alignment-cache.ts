import { sameIdentity } from '../../shared/blobs/identity.ts'
import { LeasedCache } from '../../shared/concurrency/leased-cache.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import { type BinIndex, placedEnd } from '../../shared/formats/bam-index.ts'
import { type Alignment, indexMemory, openAlignment, readIndex } from './alignment.ts'
import { behindIndexJob, unpackOffset } from './locate.ts'
import type { AlignmentParts } from './parts.ts'

/** An open file in use. */
export interface Lease {
  readonly alignment: Alignment
  /** Its parsed index, read on first use. */
  index(): Promise<BinIndex>
  /** Gives the file back (idempotent). */
  release(): void
}

/** An open file with what was read of it since. */
interface Opened {
  readonly alignment: Alignment
  index: Promise<BinIndex> | undefined
  indexBytes: number
  /** When its identity was last asked for. */
  checkedAt: number
}

export interface CacheLimits {
  readonly openFiles: number
  readonly cacheBytes: number
}

/**
 * Keeps files open between slices, at most so many and with at most so much memory. A file that has
 * changed is opened anew, while slices under way finish on the one they have.
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
      dispose: ({ alignment }) => alignment.blob.close(),
    })
  }

  get openFiles(): number {
    return this.#files.opened
  }

  /** @throws EngineError unavailable, corrupt_source or bad_input, as openAlignment does */
  async acquire(parts: AlignmentParts): Promise<Lease> {
    await this.#check(parts)
    const { value, release } = await this.#files.acquire(parts.key, () => this.#open(parts))
    const index = () => {
      value.index ??= this.#readIndex(value)
      return value.index
    }
    return { alignment: value.alignment, index, release }
  }

  /** Forgets the file when it is not what it was. One that is being opened is as it is now. */
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
      // Indexing proves the order of what was indexed, which a file that is sorted by name was not.
      if (opened.alignment.header.sortOrder === 'queryname') {
        throw new EngineError(
          'bad_input',
          'file states sort order "queryname"; only coordinate-sorted files can be sliced',
        )
      }
      const index = await readIndex(opened.alignment, this.#executor)
      await mustReachEnd(opened.alignment, index, this.#executor)
      opened.indexBytes = indexMemory(index)
      return index
    } catch (error) {
      opened.index = undefined
      throw error
    }
  }

  /** Drops what is known of a file; slices under way keep it until they end. */
  forget(key: string): void {
    this.#files.forget(key)
  }

  /** Closes unused files now and the others when they are given back. */
  async close(): Promise<void> {
    await this.#files.close()
  }
}

/**
 * Of a file that is not stored, nobody has compared the index that lies beside it: that of an earlier file of the
 * same name ends before the file does, and finds nothing of what follows.
 * @throws EngineError no_index
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
