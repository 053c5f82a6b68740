import type { Caller } from '../../../shared/access/roles.ts'
import { LruCache } from '../../../shared/concurrency/lru-cache.ts'
import type { Contents } from '../answers.ts'
import type { RecordContent } from '../definition.ts'

/** Versions of which it is cached. */
const MAX_CACHED = 4

/** What an area answers of its contents. */
export interface ContentSource<Content extends RecordContent> {
  contents(caller: Caller, version: string): Promise<Contents<Content>>
}

/**
 * What is made of all contents of a version, with pauses, and cached until they are
 * others. Of an edit in between either state may be in it; then it is made anew for the next one.
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

  /** @throws EngineError not_found */
  async of(caller: Caller, version: string): Promise<Value> {
    const { key, items } = await this.#source.contents(caller, version)
    // One edit may give the same revision to several versions.
    return this.#cache.of(`${version} ${key}`, () => this.#make(items))
  }
}
