import type { Caller } from '../../../shared/access/roles.ts'
import { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import type { SamePrimarySource } from '../../multiple-primaries/same-primary.ts'
import { type ContentSource, Derived } from '../content/derived.ts'
import type { Disease } from './definition.ts'
import {
  type ListedPrimaries,
  listedPrimaries,
  type SamePrimaries,
  type SamePrimaryRequest,
  samePrimaries,
  sourceOf,
} from './same-primary.ts'

/** Compares diseases by the same-primary lists of a version. */
export class PrimaryComparison {
  readonly #lists: Derived<Disease, ListedPrimaries>
  readonly #general: () => Promise<SamePrimarySource<string>>

  /**
   * Creates a comparison.
   * @param general decides for diseases without a list of their own
   */
  constructor(
    diseases: ContentSource<Disease>,
    general: () => Promise<SamePrimarySource<string>>,
    turns = new LoopTurns(),
  ) {
    this.#lists = new Derived(diseases, (items) => listedPrimaries(items, turns))
    this.#general = general
  }

  /**
   * Decides whether two diseases are the same primary in a version.
   * @throws EngineError `not_found` for an unknown version; `bad_input`, naming the parameter
   */
  async compare(
    caller: Caller,
    version: string,
    request: SamePrimaryRequest,
  ): Promise<SamePrimaries> {
    const lists = await this.#lists.of(caller, version)
    return samePrimaries(sourceOf(lists, await this.#general()), request)
  }
}
