import type { Alignment } from './alignment.ts'
import type { EdgeStep } from './edge.ts'

/** The output of the edge job for one edge. */
export interface FinishedEdge {
  /** The compressed blocks. Slices share these bytes, so they must not be changed. */
  readonly bytes: Uint8Array
  readonly places: Float64Array
}

/** Maximum memory for finished edges in bytes, enough for some thousand regions. */
const MAX_BYTES = 32 << 20
/** Longest edge that is kept. */
const MAX_EDGE_BYTES = 1 << 17
/** Memory that an edge takes beside its bytes and its key. */
const ENTRY_BYTES = 400

/**
 * Caches edges while their file is open and unchanged, because pipelines and browsers request the same regions
 * again. The least recently used edges are dropped first.
 */
export class FinishedEdges {
  readonly #edges = new Map<string, FinishedEdge>()
  /** Numbers of open files, used in keys. A reopened file gets a new number, as its index may have changed. */
  readonly #numbers = new WeakMap<Alignment, number>()
  readonly #maxBytes: number
  #files = 0
  #bytes = 0

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  find(alignment: Alignment, steps: readonly EdgeStep[]): FinishedEdge | undefined {
    const key = this.#key(alignment, steps)
    const edge = this.#edges.get(key)
    if (!edge) return undefined
    this.#edges.delete(key)
    this.#edges.set(key, edge)
    return edge
  }

  /** Caches a copy of an edge unless the edge is too long. */
  keep(alignment: Alignment, steps: readonly EdgeStep[], { bytes, places }: FinishedEdge): void {
    if (bytes.length > MAX_EDGE_BYTES) return
    const key = this.#key(alignment, steps)
    if (this.#edges.has(key)) return
    const edge = { bytes: Uint8Array.from(bytes), places }
    this.#edges.set(key, edge)
    this.#bytes += sizeOf(key, edge)
    for (const [oldest, left] of this.#edges) {
      if (this.#bytes <= this.#maxBytes) break
      this.#edges.delete(oldest)
      this.#bytes -= sizeOf(oldest, left)
    }
  }

  #key(alignment: Alignment, steps: readonly EdgeStep[]): string {
    let number = this.#numbers.get(alignment)
    if (number === undefined) {
      number = this.#files++
      this.#numbers.set(alignment, number)
    }
    return JSON.stringify([number, steps], (_, value) => (value === Infinity ? 'Infinity' : value))
  }
}

const sizeOf = (key: string, { bytes, places }: FinishedEdge) =>
  key.length + bytes.length + places.byteLength + ENTRY_BYTES
