import type { OpenBlob } from '../../../shared/blobs/blob.ts'
import type { StoredFile } from '../../../shared/catalogue/files.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Verdict } from '../../../shared/integrity/check-store.ts'
import type { ContentSum } from '../../../shared/integrity/content-sum.ts'
import type { Integrity } from '../../../shared/integrity/integrity.ts'
import type { ByteReading } from './transfer.ts'

/**
 * A stored file whose bytes are summed up as they are read. They are to be read in their order. The
 * read that has the last of them fails if the sum is not the one on record: a reader gets what was
 * read before, and never the end.
 */
export class CheckedReading implements ByteReading {
  readonly readBytes: number
  readonly #blob: OpenBlob
  readonly #file: StoredFile
  readonly #sum: ContentSum
  readonly #integrity: Integrity
  #position = 0
  #verdict: Verdict | undefined

  private constructor(blob: OpenBlob, file: StoredFile, sum: ContentSum, integrity: Integrity) {
    this.readBytes = blob.readBytes
    this.#blob = blob
    this.#file = file
    this.#sum = sum
    this.#integrity = integrity
  }

  /**
   * Takes the blob over: closes it when this fails.
   * @throws EngineError unavailable when the database does not answer
   */
  static async of(blob: OpenBlob, file: StoredFile, integrity: Integrity): Promise<CheckedReading> {
    try {
      return new CheckedReading(blob, file, await integrity.sumFor(file), integrity)
    } catch (error) {
      await blob.close()
      throw error
    }
  }

  /** @throws EngineError corrupt_source when the bytes are not those on record; as OpenBlob.read */
  async read(
    into: Uint8Array,
    position: number,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<number> {
    if (position !== this.#position) throw new Error('a file that is summed up is read in order')
    const filled = await this.#blob.read(into, position, { signal })
    await this.#sum.add(into.subarray(0, filled), { signal })
    this.#position += filled
    if (this.#position === this.#file.size) await this.#conclude()
    return filled
  }

  async #conclude(): Promise<void> {
    const { id } = this.#file
    const verdict = this.#integrity.verdictOf(this.#file, this.#sum)
    if (verdict.problem === undefined) {
      this.#verdict = verdict
      return
    }
    await this.#integrity.record(verdict)
    const message = `the bytes of file ${id} are not those on record; import it again`
    throw new EngineError('corrupt_source', message)
  }

  async close(): Promise<void> {
    await this.#blob.close()
    // Behind the last byte, which nobody has to wait for.
    if (this.#verdict?.checksum !== undefined) await this.#integrity.record(this.#verdict)
  }
}
