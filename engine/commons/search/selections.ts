import type { Dataset } from '../datasets/define.ts'
import { type SelectionRequest, type SelectionWarnings, selectFields } from '../datasets/select.ts'
import { compileProjection, type Projection } from '../render/projection.ts'

/** What a request shows of each record, and what it named in vain. */
export interface Selected {
  readonly projection: Projection
  readonly warnings: SelectionWarnings
}

/** Most requests ask for the same few things. */
const KEPT = 128
/** Characters of a key: who names a thousand fields waits for them to be compiled. */
const LONGEST_KEY = 2000

/** Selections as projections; those used last are kept. */
export class Selections {
  readonly #known = new Map<string, Selected>()

  of(
    dataset: Dataset,
    { fields = [], expand = [] }: SelectionRequest,
    mode: 'list' | 'single',
  ): Selected {
    const key = JSON.stringify([dataset.name, mode, fields, expand])
    const known = this.#known.get(key) ?? selected(dataset, { fields, expand }, mode)
    if (key.length > LONGEST_KEY) return known
    // Newest last.
    this.#known.delete(key)
    this.#known.set(key, known)
    if (this.#known.size > KEPT) {
      const [oldest = ''] = this.#known.keys()
      this.#known.delete(oldest)
    }
    return known
  }
}

function selected(dataset: Dataset, request: SelectionRequest, mode: 'list' | 'single'): Selected {
  const { selection, warnings } = selectFields(dataset, request, mode)
  return { projection: compileProjection(dataset, selection), warnings }
}
