import type { StoredFile } from '../catalogue/files.ts'
import { LoopTurns } from '../concurrency/loop-turns.ts'
import type { Executor } from '../executor.ts'
import type { CheckStore, Verdict } from './check-store.ts'
import { ChecksumSum, type ContentSum, Md5Sum } from './content-sum.ts'

export interface IntegrityContext {
  readonly checks: CheckStore
  readonly executor: Executor
  /** Called for each look that found a file damaged. */
  readonly onDamage: (fileId: string, cause: Error) => void
  /** Called when what a look has shown cannot be written down. */
  readonly onError: (fileId: string, cause: unknown) => void
}

/** An md5 of so few bytes costs less than asking for their checksum. */
const MD5_BYTES = 256 << 10

/** Whether a checksum of a file would be asked for. */
const hasUse = ({ storage, size }: StoredFile) => storage === 'folder' && size > MD5_BYTES

/** Whether the bytes of stored files are those on record, and what was found out about it. */
export class Integrity {
  readonly #context: IntegrityContext
  readonly #turns = new LoopTurns()
  #damaged = 0

  constructor(context: IntegrityContext) {
    this.#context = context
  }

  /**
   * A sum for all bytes of a file. Of bytes on this machine it is their CRC32, where that was taken
   * once when the md5 was right: a disk decays, but does not lie. Others are always compared by md5.
   */
  async sumFor(file: StoredFile): Promise<ContentSum> {
    const { checks, executor } = this.#context
    const known = hasUse(file) ? await checks.checksum(file) : undefined
    return known === undefined ? this.md5Of(file) : new ChecksumSum(known, executor)
  }

  md5Of({ md5 }: Pick<StoredFile, 'md5'>): Md5Sum {
    return new Md5Sum(md5, this.#turns)
  }

  /** Whether the last look at the bytes of a file found them damaged. */
  isKnownDamaged(file: StoredFile): Promise<boolean> {
    return this.#context.checks.isDamaged(file)
  }

  /** What a sum over all bytes has shown; a damaged file is reported to whoever listens. */
  verdictOf(file: StoredFile, sum: ContentSum): Verdict {
    const problem = sum.difference()
    if (problem !== undefined) return this.damaged(file, problem)
    return sum instanceof Md5Sum && hasUse(file) ? { file, checksum: sum.checksum } : { file }
  }

  /** Reports to whoever listens that a file is damaged. */
  damaged(file: StoredFile, problem: string): Verdict {
    this.#damaged++
    this.#context.onDamage(file.id, new Error(problem))
    return { file, problem }
  }

  /** Writes down what a look has shown. What fails is reported and not thrown: the answer stands. */
  async record(verdict: Verdict): Promise<void> {
    try {
      await this.#context.checks.record([verdict])
    } catch (error) {
      this.#context.onError(verdict.file.id, error)
    }
  }

  /** Numbers for monitoring. */
  load() {
    return { damageFound: this.#damaged }
  }
}
