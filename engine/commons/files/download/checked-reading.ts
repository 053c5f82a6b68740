import type { OpenBlob } from '../../../shared/blobs/blob.ts'
import type { StoredFile } from '../../../shared/catalogue/files.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Verdict } from '../../../shared/integrity/check-store.ts'
import type { ContentSum } from '../../../shared/integrity/content-sum.ts'
import type { Integrity } from '../../../shared/integrity/integrity.ts'
import type { ByteReading } from './transfer.ts'

/**
 * Reads a stored file in order and computes its checksum. If the checksum differs from the recorded one, the
 * last read fails, so that a client never receives a damaged file completely.
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
   * Starts reading. The blob is closed when reading ends, or at once if reading cannot start.
   * @throws EngineError unavailable if the database does not respond
   */
  static async of(blob: OpenBlob, file: StoredFile, integrity: Integrity): Promise<CheckedReading> {
    try {
      return new CheckedReading(blob, file, await integrity.sumFor(file), integrity)
    } catch (error) {
      await blob.close()
      throw error
    }
  }

  /**
   * Reads the next bytes.
   * @throws EngineError corrupt_source if the bytes are not those on record; as OpenBlob.read
   */
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
    // The result is recorded after the last bytes are returned, so that the client does not wait for it.
    if (this.#verdict?.checksum !== undefined) await this.#integrity.record(this.#verdict)
  }
}
