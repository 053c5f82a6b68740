import type { NamedInterval } from '../../../../engine/shared/input/region.ts'
import { type Random, randomFrom } from '../../../../fixtures/random.ts'
import type { StrictBam, StrictRecord } from './strict-bam.ts'

// Half of all requests end near an edge, because unbiased ones never found an error two bases before the edge of
// a bin.

export interface SliceRequest {
  /** The intervals as requested, neither merged nor sorted; 0-based half-open. */
  readonly intervals: readonly NamedInterval[]
  readonly unplaced: boolean
}

export function drawRequests(bam: StrictBam, seed: number, count: number): SliceRequest[] {
  const draw = new Drawing(bam, seed)
  return Array.from({ length: count }, () => draw.request())
}

class Drawing {
  readonly #random: Random
  readonly #references: StrictBam['references']
  readonly #placed: readonly StrictRecord[]

  constructor({ references, records }: StrictBam, seed: number) {
    this.#random = randomFrom(seed)
    this.#references = references
    this.#placed = records.filter(({ reference }) => reference >= 0)
  }

  request(): SliceRequest {
    const random = this.#random
    const unplaced = random.chance(0.1)
    const intervals: NamedInterval[] = []
    if (this.#references.length > 0 && !random.chance(0.01)) {
      const wanted = random.chance(0.4) ? 1 : 1 + random.below(8)
      while (intervals.length < wanted) intervals.push(this.#interval(intervals))
    }
    return { intervals, unplaced }
  }

  #interval(before: readonly NamedInterval[]): NamedInterval {
    const random = this.#random
    const last = before.at(-1)
    if (last && random.chance(0.5)) return this.#neighbour(last)
    const { reference, position } = this.#place()
    const { name } = this.#reference(reference)
    if (random.chance(0.04)) return { reference: name, start: 0, end: Infinity }
    if (random.chance(0.04)) return { reference: name, start: position, end: Infinity }
    if (random.chance(0.04)) return { reference: name, start: 0, end: position + 1 }
    return { reference: name, start: position, end: this.#endFrom(reference, position) }
  }

  /** An interval that touches, contains, abuts or repeats another one. */
  #neighbour({ reference, start, end }: NamedInterval): NamedInterval {
    const random = this.#random
    const to = Number.isFinite(end) ? end : start + 1000
    const length = 1 + random.below(2 * (to - start))
    const inner = start + random.below(to - start)
    const shapes: [number, number][] = [
      [to, to + length],
      [to + 1, to + 1 + length],
      [to - 1, to + length],
      [start - length, start],
      [start - length, start - 1],
      [inner, Math.min(to, inner + length)],
      [start, to],
      [start - 3, to + 3],
    ]
    const [low, high] = shapes[random.below(shapes.length)] ?? [start, to]
    const from = Math.max(0, low)
    return { reference, start: from, end: Math.max(from + 1, high) }
  }

  #endFrom(reference: number, start: number): number {
    const random = this.#random
    const lengths = [1, 2, 10, 1 + random.below(1000), 1 + random.below(1_000_000)]
    if (random.chance(0.7)) return start + (lengths[random.below(lengths.length)] ?? 1)
    const other = this.#place()
    // Another edge of the same reference gives intervals that also end at an edge.
    return other.reference === reference && other.position > start ? other.position : start + 1
  }

  /** A random position; three of four are within 4 bases of an edge of an index or a record. */
  #place(): { reference: number; position: number } {
    const random = this.#random
    const record = this.#placed[random.below(this.#placed.length)]
    if (!record || random.chance(0.1)) {
      const reference = random.below(this.#references.length)
      // A tenth of them lie beyond the reference's end.
      const { length } = this.#reference(reference)
      return { reference, position: random.below(Math.ceil(1.1 * length) + 10) }
    }
    const { reference, start, end } = record
    if (random.chance(0.15)) {
      const { length } = this.#reference(reference)
      return { reference, position: random.below(length + 1000) }
    }
    const window = [16384, 131072, 4096, 1][random.below(4)] ?? 1
    const near = random.chance(0.5) ? start : end
    const edge =
      window * (random.chance(0.5) ? Math.floor(near / window) : Math.ceil(near / window))
    return { reference, position: Math.max(0, edge - 4 + random.below(9)) }
  }

  #reference(number: number): { readonly name: string; readonly length: number } {
    return this.#references[number] ?? { name: 'none', length: 1 }
  }
}

/** Selects the records of a request by testing every record. */
export function select(
  { records, references }: StrictBam,
  { intervals, unplaced }: SliceRequest,
): StrictRecord[] {
  const wanted: NamedInterval[][] = references.map(() => [])
  const numbers = new Map(references.map(({ name }, number) => [name, number]))
  for (const interval of intervals) {
    wanted[numbers.get(interval.reference) ?? -1]?.push(interval)
  }
  return records.filter(({ reference, start, end }) =>
    reference < 0
      ? unplaced
      : wanted[reference]?.some((interval) => start < interval.end && end > interval.start),
  )
}

/** Converts intervals to BED, which is 0-based too. Open ends become the largest number that htslib accepts. */
export function bedOf({ intervals }: SliceRequest): string {
  const rows = intervals.map(
    ({ reference, start, end }) => `${reference}\t${start}\t${Math.min(end, 2 ** 31 - 1)}\n`,
  )
  return rows.join('')
}
