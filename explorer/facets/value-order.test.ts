import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inScaleOrder } from './value-order.ts'

const ordered = (values: readonly string[]) => inScaleOrder(values, (value) => value)

/** Stages, grades and T categories in the order of the AJCC Cancer Staging Manual. */
const SCALES: readonly (readonly string[])[] = [
  ['Stage 0', 'Stage I', 'Stage IA', 'Stage IA1', 'Stage IB', 'Stage II', 'Stage IIC', 'Stage III'],
  ['stage i', 'stage iiia', 'stage iiib', 'stage iv', 'stage iva', 'stage ivb', 'not reported'],
  ['g1', 'g2', 'g3', 'g4', 'gx'],
  ['Ta', 'Tis', 'T1', 'T1a', 'T1b', 'T2', 'T4', 'TX'],
  ['N0', 'N1', 'N1a', 'N2', 'NX'],
]

test('stages, grades and categories are in their own order, from whatever order they come', () => {
  for (const scale of SCALES) {
    fc.assert(
      fc.property(fc.shuffledSubarray([...scale], { minLength: scale.length }), (mixed) => {
        expect(ordered(mixed)).toEqual(scale)
      }),
    )
  }
})

test('other values keep the order in which they came', () => {
  const kinds: readonly (readonly string[])[] = [
    ['male', 'female'],
    ['stage ii', 'stage i', 'limited'],
    ['stage ii'],
    [],
  ]
  for (const values of kinds) expect(ordered(values)).toEqual(values)
})
