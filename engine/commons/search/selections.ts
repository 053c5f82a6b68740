import { LruCache } from '../../shared/concurrency/lru-cache.ts'
import type { Dataset } from '../datasets/define.ts'
import { type SelectionRequest, type SelectionWarnings, selectFields } from '../datasets/select.ts'
import { compileProjection, type Projection } from '../render/projection.ts'

/** Fields that a request shows of each record, and warnings about unknown names. */
interface Selected {
  readonly projection: Projection
  readonly warnings: SelectionWarnings
}

/** Maximum number of cached selections. Many requests share a few. */
const CACHED = 128
/** Longest cache key in characters. A request for a thousand fields is compiled each time. */
const MAX_KEY_LENGTH = 2000

/** Compiles selections to projections and caches the most recently used. */
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
