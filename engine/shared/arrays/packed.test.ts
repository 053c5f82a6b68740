import fc from 'fast-check'
import { expect, test } from 'vitest'
import { atOnce } from '../concurrency/at-once.ts'
import { pack, packMembers, unpack, unpackMembers } from './packed.ts'

const VALUE = fc.oneof(fc.string({ unit: 'binary' }), fc.bigInt(), fc.double(), fc.constant(null))

test('what was packed in pieces comes back as it was', () => {
  const long = { minLength: 0, maxLength: 1600 }
  const made = fc.record({
    list: fc.array(VALUE, { ...long, size: 'max' }),
    map: fc
      .array(fc.tuple(fc.string(), VALUE), { ...long, size: 'max' })
      .map((all) => new Map(all)),
    set: fc.array(fc.string(), { ...long, size: 'max' }).map((all) => new Set(all)),
    record: fc.record({ a: VALUE, b: fc.array(VALUE) }),
    text: fc.string(),
  })
  const holds = fc.property(made, (value) => {
    expect(atOnce(unpackMembers(atOnce(packMembers(value))))).toEqual(value)
  })
  fc.assert(holds, { numRuns: 20, seed: 50 })
})

test('bytes have a buffer of their own, which can be moved', () => {
  const bytes = pack(new Map([['a', /b/]]))
  const moved = structuredClone(bytes, { transfer: [bytes.buffer] })
  expect(bytes).toHaveLength(0)
  expect(unpack(moved)).toEqual(new Map([['a', /b/]]))
})
