import type { Random } from '../../../../fixtures/random.ts'
import type { GivenSource } from './documents.ts'

/** Splits a table into several with the same header, in any order of rows. */
export function cutTable({ name, content }: GivenSource, random: Random): readonly GivenSource[] {
  const [header = '', ...rows] = String(content).replace(/\n$/, '').split('\n')
  return cut(rows, random).map((part, i) => ({
    name: `${i}-${name}`,
    content: `${[header, ...part].join('\n')}\n`,
  }))
}

/** Splits a list of JSON records into several, in any order. */
export function cutJson({ name, content }: GivenSource, random: Random): readonly GivenSource[] {
  const records = JSON.parse(String(content)) as readonly unknown[]
  return cut(records, random).map((part, i) => ({
    name: `${i}-${name}`,
    content: JSON.stringify(part),
  }))
}

/** Shuffles items into one, two or three parts. */
function cut<Item>(items: readonly Item[], random: Random): readonly (readonly Item[])[] {
  const parts = Array.from({ length: 1 + random.below(3) }, (): Item[] => [])
  for (const item of shuffled(items, random)) parts[random.below(parts.length)]?.push(item)
  return parts.filter((part) => part.length > 0)
}

export function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const order = items.map((item) => ({ item, place: random.unit() }))
  return order.sort((one, other) => one.place - other.place).map(({ item }) => item)
}
