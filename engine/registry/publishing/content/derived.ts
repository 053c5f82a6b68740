import type { Caller } from '../../../shared/access/roles.ts'
import { LruCache } from '../../../shared/concurrency/lru-cache.ts'
import type { Contents } from '../answers.ts'
import type { RecordContent } from '../definition.ts'

/** Maximum number of versions in the cache. */
const MAX_CACHED = 4

/** Access to the contents of an area. */
export interface ContentSource<Content extends RecordContent> {
  contents(caller: Caller, version: string): Promise<Contents<Content>>
}

/**
 * A value derived from all contents of a version. It is computed without blocking the event loop and cached
 * until the contents change. If an edit happens during the computation, the value may reflect either state and
 * is computed again for the next caller.
 */
export class Derived<Content extends RecordContent, Value> {
  readonly #source: ContentSource<Content>
  readonly #make: (items: Contents<Content>['items']) => Promise<Value>
  readonly #cache = new LruCache<Promise<Value>>(MAX_CACHED)

  constructor(
    source: ContentSource<Content>,
    make: (items: Contents<Content>['items']) => Promise<Value>,
  ) {
    this.#source = source
    this.#make = make
  }

  /**
   * Returns the value for a version.
   * @throws EngineError `not_found` if the version does not exist, or is not public and the caller is not an
   *   editor
   */
  async of(caller: Caller, version: string): Promise<Value> {
    const { key, items } = await this.#source.contents(caller, version)
    // One edit may give several versions the same revision, so the key includes the version.
    return this.#cache.of(`${version} ${key}`, () => this.#make(items))
  }
}
