import { LruCache } from '../../shared/concurrency/lru-cache.ts'
import type { Dataset } from '../datasets/define.ts'
import { type SelectionRequest, type SelectionWarnings, selectFields } from '../datasets/select.ts'
import { compileProjection, type Projection } from '../render/projection.ts'

/** What a request shows of each record, and what it named in vain. */
export interface Selected {
  readonly projection: Projection
  readonly warnings: SelectionWarnings
}

/** Most requests ask for the same few things. */
const CACHED = 128
/** Characters of a key: who names a thousand fields waits for them to be compiled. */
const MAX_KEY_LENGTH = 2000

/** Selections as projections; those used last are kept. */
export class Selections {
  readonly #known = new LruCache<Selected>(CACHED)

  of(
    dataset: Dataset,
    { fields = [], expand = [] }: SelectionRequest,
    mode: 'list' | 'single',
  ): Selected {
    const key = JSON.stringify([dataset.name, mode, fields, expand])
    const make = () => selected(dataset, { fields, expand }, mode)
    return key.length > MAX_KEY_LENGTH ? make() : this.#known.of(key, make)
  }
}

function selected(dataset: Dataset, request: SelectionRequest, mode: 'list' | 'single'): Selected {
  const { selection, warnings } = selectFields(dataset, request, mode)
  return { projection: compileProjection(dataset, selection), warnings }
}
