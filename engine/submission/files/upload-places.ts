import { EngineError } from '../../shared/errors.ts'
import type { UploadBytes } from './upload-bytes.ts'
import type { Upload } from './upload-store.ts'

type Placed = Pick<Upload, 'id' | 'place'>

/** The places for bytes of uploads that this server gets at. */
export class UploadPlaces {
  /** Where new ones go. */
  readonly writing: UploadBytes
  readonly #all: readonly UploadBytes[]

  /** @param others of before, where uploads still go on */
  constructor(writing: UploadBytes, ...others: readonly UploadBytes[]) {
    this.writing = writing
    this.#all = [writing, ...others]
  }

  names(): Promise<readonly string[]> {
    return Promise.all(this.#all.map((one) => one.place()))
  }

  /** @throws EngineError `conflict` when the bytes are where this server does not get at them */
  async of({ id, place }: Placed): Promise<UploadBytes> {
    const found = await this.#find(place)
    if (found) return found
    const message = `upload ${id} was begun at a server with another data folder; go on with it there`
    throw new EngineError('conflict', message)
  }

  /** Removes the bytes of uploads that are not known any more; others' are for those to remove. */
  async remove(uploads: readonly Placed[]): Promise<void> {
    for (const { id, place } of uploads) await (await this.#find(place))?.remove(id)
  }

  async #find(place: string): Promise<UploadBytes | undefined> {
    const names = await this.names()
    return this.#all[names.indexOf(place)]
  }
}
