import { type Bits, intersect, newBits, setBit } from '../../shared/arrays/bitset.ts'
import type { Contents } from './contents.ts'
import type { RecordQuery } from './record.ts'

/** Returns the live slots that pass the filters and ranges. The caller owns the returned bits. */
export function passingSlots(
  contents: Contents,
  { filters, ranges = [] }: Partial<Pick<RecordQuery, 'filters' | 'ranges'>>,
): Bits {
  const passing = contents.alive.slice()
  for (const [name, values] of Object.entries(filters ?? {})) {
    if (values) intersect(passing, havingOneOf(contents, name, values))
  }
  for (const range of ranges) {
    const bits = newBits(contents.alive.length * 32)
    intersect(passing, contents.orders.get(range.order)?.within(range, bits) ?? bits)
  }
  return passing
}

function havingOneOf(
  { alive, filters, filterSlots: { slots, starts, lengths } }: Contents,
  name: string,
  values: readonly string[],
): Bits {
  const bits = newBits(alive.length * 32)
  for (const value of new Set(values)) {
    const term = filters.get(name)?.get(value)
    if (term === undefined) continue
    const start = starts[term]!
    const end = start + lengths[term]!
    for (let i = start; i < end; i++) setBit(bits, slots[i]!)
  }
  return bits
}
