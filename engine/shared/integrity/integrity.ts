import type { StoredFile } from '../catalogue/files.ts'
import { LoopTurns } from '../concurrency/loop-turns.ts'
import type { Executor } from '../executor.ts'
import type { CheckStore, Verdict } from './check-store.ts'
import { ChecksumSum, type ContentSum, Md5Sum } from './content-sum.ts'

interface IntegrityContext {
  readonly checks: CheckStore
  readonly executor: Executor
  /** Called for each check that found damage. */
  readonly onDamage: (fileId: string, cause: Error) => void
  /** Called if the result of a check cannot be stored. */
  readonly onError: (fileId: string, cause: unknown) => void
}

/** Size in bytes up to which computing the md5 is cheaper than querying the recorded CRC32. */
const MD5_BYTES = 256 << 10

/** Returns whether to verify a file with its recorded CRC32, if there is one, instead of its md5. */
const usesChecksum = ({ storage, size }: StoredFile) => storage === 'folder' && size > MD5_BYTES

/** Checks stored bytes against their recorded checksums and stores the results. */
export class Integrity {
  readonly #context: IntegrityContext
  readonly #turns = new LoopTurns()
  #damaged = 0

  constructor(context: IntegrityContext) {
    this.#context = context
  }

  /**
   * Creates the checksum for verifying a file. For a local file, it is the CRC32 if one was recorded when the
   * md5 was right, because a disk may decay but does not forge bytes. Otherwise it is the md5.
   */
  async sumFor(file: StoredFile): Promise<ContentSum> {
    const { checks, executor } = this.#context
    const known = usesChecksum(file) ? await checks.checksum(file) : undefined
    return known === undefined ? this.md5Of(file) : new ChecksumSum(known, executor)
  }

  md5Of({ md5 }: Pick<StoredFile, 'md5'>): Md5Sum {
    return new Md5Sum(md5, this.#turns)
  }

  /** Returns whether the last check of a file found damage. */
  isKnownDamaged(file: StoredFile): Promise<boolean> {
    return this.#context.checks.isDamaged(file)
  }

  /**
   * Compares the checksum of all bytes of a file with the recorded one. Returns the result, which the caller
   * records. Calls `onDamage` if they differ.
   */
  verdictOf(file: StoredFile, sum: ContentSum): Verdict {
    const problem = sum.difference()
    if (problem !== undefined) return this.damaged(file, problem)
    return sum instanceof Md5Sum && usesChecksum(file) ? { file, checksum: sum.checksum } : { file }
  }

  /** Reports that a file is damaged. */
  damaged(file: StoredFile, problem: string): Verdict {
    this.#damaged++
    this.#context.onDamage(file.id, new Error(problem))
    return { file, problem }
  }

  /** Stores the result of a check. A failure is only reported, because the response does not depend on it. */
  async record(verdict: Verdict): Promise<void> {
    try {
      await this.#context.checks.record([verdict])
    } catch (error) {
      this.#context.onError(verdict.file.id, error)
    }
  }

  /** Returns figures for monitoring. */
  load() {
    return { damageFound: this.#damaged }
  }
}
