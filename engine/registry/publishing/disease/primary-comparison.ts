import type { Caller } from '../../../shared/access/roles.ts'
import type { SamePrimarySource } from '../../multiple-primaries/same-primary.ts'
import { type ContentSource, Derived } from '../content/derived.ts'
import type { Disease } from './definition.ts'
import {
  listedPrimaries,
  type SamePrimaries,
  type SamePrimaryRequest,
  samePrimaries,
} from './same-primary.ts'

/** Compares diseases by the lists of a version. */
export class PrimaryComparison {
  readonly #sources: Derived<Disease, SamePrimarySource<string>>

  /** @param general - decides for diseases that have no list of their own */
  constructor(diseases: ContentSource<Disease>, general: SamePrimarySource<string>) {
    this.#sources = new Derived(diseases, (items) => listedPrimaries(items, general))
  }

  /**
   * Whether two diseases are the same primary by a version.
   * @throws EngineError not_found for an unknown version, bad_input naming the parameter
   */
  async compare(
    caller: Caller,
    version: string,
    request: SamePrimaryRequest,
  ): Promise<SamePrimaries> {
    return samePrimaries(await this.#sources.of(caller, version), request)
  }
}
