import type { InputName } from './input.ts'

/** What becomes of the first table. */
interface Pins {
  readonly entities: number
  /** Above them. */
  readonly cases: number
  /** Digest of what is stored: names, parents, properties. */
  readonly rows: string
}

/** Counts are those of the input; digests are of rows made from it (`test/bench`). */
export const PINS: Readonly<Record<InputName, Pins>> = {
  full: { entities: 10_000, cases: 1000, rows: '33236f596cf3fc87ab06456e4db7a03d' },
  quick: { entities: 1000, cases: 100, rows: '1486912286c3cf8a4b0464dee55e73da' },
  test: { entities: 200, cases: 20, rows: '221cb2bdd790faf6d1033626ed124641' },
}
