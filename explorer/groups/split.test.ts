import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ALL_CASES } from '../address/address.ts'
import { cutsOf, type Split, splitOf, splitText } from './split.ts'

const name = fc.string({ minLength: 1 })
const cuts = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }))
const parts = fc.constantFrom(2, 3, 4, 5)
const split: fc.Arbitrary<Split> = fc.oneof(
  fc.record({ by: fc.constantFrom('cohorts', 'others') }),
  fc.record(
    { by: fc.constant('values'), field: name, values: fc.array(name), rest: fc.boolean() },
    { requiredKeys: ['by', 'field'] },
  ),
  fc.record({ by: fc.constant('ranges'), field: name, cuts }),
  fc.record({ by: fc.constant('quantiles'), field: name, parts }),
  fc.record(
    { by: fc.constant('expression'), gene: name, parts, cuts },
    { requiredKeys: ['by', 'gene', 'parts'] },
  ),
  fc.record({ by: fc.constant('burden'), parts, cuts }, { requiredKeys: ['by', 'parts'] }),
  fc.record(
    { by: fc.constant('gene-set'), genes: fc.array(name), set: name, parts, cuts },
    { requiredKeys: ['by', 'genes', 'parts'] },
  ),
  fc.record(
    { by: fc.constant('mutated'), gene: name, change: name },
    { requiredKeys: ['by', 'gene'] },
  ),
  fc.record({ by: fc.constant('copies'), gene: name }),
) as fc.Arbitrary<Split>

const cohorts = [ALL_CASES]
const readBack = (text: string) =>
  splitOf({ page: 'compare', cohorts, query: new Map([['groups', text]]) })

test('a split that is written is read as the same', () => {
  fc.assert(
    fc.property(split, (made) => {
      // JSON has no negative zero.
      expect(readBack(splitText(made))).toEqual(JSON.parse(JSON.stringify(made)))
    }),
  )
})

test('whatever stands in the address, there are groups', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      expect(readBack(text).by).toBeTypeOf('string')
    }),
  )
  expect(readBack('{"by":"ranges","field":"x","cuts":["1"]}')).toEqual({ by: 'cohorts' })
  expect(readBack('{"by":"quantiles","field":"x","parts":1e9}')).toMatchObject({ parts: 3 })
})

test('links by a field alone split survival, and not a comparison', () => {
  const query = new Map([['by', 'primary_site']])
  const bySite = { by: 'values', field: 'primary_site' }
  expect(splitOf({ page: 'survival', cohorts, query })).toEqual(bySite)
  expect(splitOf({ page: 'compare', cohorts, query })).toEqual({ by: 'cohorts' })
  expect(splitOf({ page: 'expression', cohorts, query: new Map() })).toEqual(bySite)
})

test('cuts are read as they are typed: each once, in ascending order, and at most eleven', () => {
  expect(cutsOf(' 70, 50;60 50\tx 1e2 ')).toEqual([50, 60, 70, 100])
  expect(cutsOf(Array.from({ length: 20 }, (_, cut) => cut).join())).toHaveLength(11)
  expect(cutsOf('')).toEqual([])
})
