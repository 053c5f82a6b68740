import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EXTENT_CELLS, mostBlockBytes, NumberPacker, unpackNumbers } from './number-block.ts'

const packer = new NumberPacker()

function packed(cells: Float64Array): Uint8Array<ArrayBuffer> {
  const target = new Uint8Array(mostBlockBytes(cells.length))
  return target.slice(0, packer.pack(cells, target))
}

function unpacked(block: Uint8Array<ArrayBuffer>, cells: number): Float64Array | undefined {
  const numbers = new Float64Array(cells).fill(7)
  return unpackNumbers(block, numbers) ? numbers : undefined
}

/** Returns the bits of the numbers, which distinguish 0 from -0. */
const bitsOf = (numbers: Float64Array | undefined) =>
  numbers && Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength).toString('hex')

const number = fc.oneof(
  { weight: 5, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 300 }) },
  { weight: 1, arbitrary: fc.float({ noNaN: true }) },
  { weight: 1, arbitrary: fc.double({ noNaN: true }) },
  { weight: 1, arbitrary: fc.constant(-0) },
)

test('any numbers come back to the bit', () => {
  const lists = fc.oneof(
    fc.array(number, { maxLength: 400 }),
    fc.array(fc.constantFrom(0, 1, 2, 5), { maxLength: 400 }),
    fc.array(fc.float({ noNaN: true }), { maxLength: 700, size: 'max' }),
    fc.array(fc.double({ noNaN: true }), { maxLength: 700, size: 'max' }),
  )
  fc.assert(
    fc.property(lists, (list) => {
      const cells = Float64Array.from(list)
      expect(bitsOf(unpacked(packed(cells), cells.length))).toBe(bitsOf(cells))
    }),
    { seed: 61 },
  )
})

test('what is no number comes back as none', () => {
  const cells = Float64Array.of(0, Number.NaN, Infinity, -Infinity, 0.5)
  expect(unpacked(packed(cells), 5)).toEqual(cells)
})

test.each([
  ['zeros', () => 0, 0],
  ['counts of one cell in ten', (i: number) => (i % 10 === 0 ? 1 + ((i / 10) % 9) : 0), 7500],
  ['counts of one cell in a hundred', (i: number) => (i % 100 === 0 ? i % 7 : 0), 900],
  ['floats of one cell in ten', (i: number) => (i % 10 ? 0 : Math.fround(i / 7)), 17_300],
  ['a double in each', (i: number) => Math.sin(i + 1), 8 * EXTENT_CELLS + 8],
])('%s take few bytes', (_, numberOf, most) => {
  const cells = Float64Array.from({ length: EXTENT_CELLS }, (_, i) => numberOf(i))
  const block = packed(cells)
  expect(block.length).toBeLessThanOrEqual(most)
  expect(bitsOf(unpacked(block, cells.length))).toBe(bitsOf(cells))
})

test('bytes that are no block of so many cells are distinguished from one', () => {
  const block = packed(Float64Array.from({ length: 200 }, (_, i) => i % 3))
  expect(unpacked(block, 199)).toBeUndefined()
  expect(unpacked(block, 300)).toBeUndefined()
  expect(unpacked(block.slice(0, -1), 200)).toBeUndefined()
  expect(unpacked(block.slice(0, 4), 200)).toBeUndefined()
  expect(unpacked(block.fill(9, 0, 1), 200)).toBeUndefined()
})
