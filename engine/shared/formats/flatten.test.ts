import { expect, test } from 'vitest'
import { Flattening, type Scalar } from './flatten.ts'

function flat(flattening: Flattening, value: unknown): Record<string, Scalar> {
  const found: [number, Scalar][] = []
  flattening.flatten(value, (column, scalar) => found.push([column, scalar]))
  return Object.fromEntries(found.map(([column, scalar]) => [flattening.keys[column]!, scalar]))
}

test('names join with a dot, positions are numbers from zero', () => {
  const value = { a: 1, b: { c: 'x' }, d: [{ e: true }, { e: false, f: ['y', 'z'] }] }
  expect(flat(new Flattening(), value)).toEqual({
    a: 1,
    'b.c': 'x',
    'd.0.e': true,
    'd.1.e': false,
    'd.1.f.0': 'y',
    'd.1.f.1': 'z',
  })
})

test('null is a value, nothing and what is empty are none', () => {
  const value = { a: null, b: undefined, c: {}, d: [], e: [{}, null] }
  expect(flat(new Flattening(), value)).toEqual({ a: null, 'e.1': null })
})

test('columns keep their numbers from row to row', () => {
  const flattening = new Flattening(['z'])
  flat(flattening, { b: 1, a: 2 })
  flat(flattening, { a: 3, c: 4, z: 5 })
  expect(flattening.keys).toEqual(['z', 'b', 'a', 'c'])
})

test('two places with one key are one column', () => {
  const flattening = new Flattening()
  flat(flattening, { 'a.b': 1 })
  flat(flattening, { a: { b: 2 } })
  expect(flattening.keys).toEqual(['a.b'])
})
