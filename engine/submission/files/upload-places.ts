import { EngineError } from '../../shared/errors.ts'
import type { UploadBytes } from './upload-bytes.ts'
import type { Upload } from './upload-store.ts'

type Placed = Pick<Upload, 'id' | 'place'>

/** The places in which this server can access uploads. */
export class UploadPlaces {
  /** Storage in which new uploads are written. */
  readonly writing: UploadBytes
  readonly #all: readonly UploadBytes[]

  /** @param others storages of earlier configurations, which may have unfinished uploads */
  constructor(writing: UploadBytes, ...others: readonly UploadBytes[]) {
    this.writing = writing
    this.#all = [writing, ...others]
  }

  names(): Promise<readonly string[]> {
    return Promise.all(this.#all.map((one) => one.place()))
  }

  /**
   * Returns the storage that an upload is in.
   * @throws EngineError `conflict` if this server cannot access it
   */
  async of({ id, place }: Placed): Promise<UploadBytes> {
    const found = await this.#find(place)
    if (found) return found
    const message = `upload ${id} was started at a server with another data folder; continue there`
    throw new EngineError('conflict', message)
  }

  /** Removes the bytes of uploads without a record. Places that this server cannot access are left to others. */
  async remove(uploads: readonly Placed[]): Promise<void> {
    for (const { id, place } of uploads) await (await this.#find(place))?.remove(id)
  }

  async #find(place: string): Promise<UploadBytes | undefined> {
    const names = await this.names()
    return this.#all[names.indexOf(place)]
  }
}
