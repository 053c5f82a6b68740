import type { Caller } from '../../access/roles.ts'
import type { SamePrimarySource } from '../../multiple-primaries/same-primary.ts'
import type { PublishingArea } from '../publishing-area.ts'
import type { Disease } from './definition.ts'
import {
  listedPrimaries,
  type SamePrimaries,
  type SamePrimaryWish,
  samePrimaries,
} from './same-primary.ts'

/** Versions whose lists are kept. */
const MOST_KEPT = 4

/** Compares diseases by the lists of a version; what is made of the lists is kept. */
export class PrimaryComparison {
  readonly #diseases: Pick<PublishingArea<Disease>, 'contents'>
  readonly #general: SamePrimarySource<string>
  readonly #kept = new Map<string, SamePrimarySource<string>>()

  /** @param general - decides for diseases that have no list of their own */
  constructor(
    diseases: Pick<PublishingArea<Disease>, 'contents'>,
    general: SamePrimarySource<string>,
  ) {
    this.#diseases = diseases
    this.#general = general
  }

  /**
   * Whether two diseases are the same primary by a version.
   * @throws EngineError not_found for an unknown version, bad_input naming the parameter
   */
  compare(caller: Caller, version: string, wish: SamePrimaryWish): SamePrimaries {
    return samePrimaries(this.#source(caller, version), wish)
  }

  #source(caller: Caller, version: string): SamePrimarySource<string> {
    const { key, items } = this.#diseases.contents(caller, version)
    const known = this.#kept.get(key)
    if (known) return known
    const source = listedPrimaries({ items }, this.#general)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size >= MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest)
    this.#kept.set(key, source)
    return source
  }
}
