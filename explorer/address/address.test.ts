import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Address,
  ALL_CASES,
  activeCohort,
  cartOf,
  formatAddress,
  onPage,
  parseAddress,
  withCohort,
  withFilter,
  withName,
  withoutCohort,
  withQuery,
} from './address.ts'

const name = fc.string({ minLength: 1 })
const filter = fc.option(
  fc.record({
    op: fc.constant('in'),
    content: fc.record({ field: name, value: fc.array(fc.string(), { maxLength: 3 }) }),
  }),
  { nil: undefined },
)
const key = fc.stringMatching(/^[a-z]{1,8}$/).filter((text) => !['cohort', 'at'].includes(text))
const address: fc.Arbitrary<Address> = fc
  .record({
    page: fc.stringMatching(/^[a-z]{0,10}$/),
    cohorts: fc.array(fc.record({ name, filter }), { minLength: 1, maxLength: 3 }),
    at: fc.nat(2),
    query: fc.array(fc.tuple(key, fc.string({ minLength: 1 }))).map((pairs) => new Map(pairs)),
  })
  .map((made) => ({ ...made, at: made.at % made.cohorts.length }))

test('an address that is written is read as the same', () => {
  fc.assert(
    fc.property(address, (made) => {
      expect(parseAddress(formatAddress(made))).toEqual(made)
    }),
  )
})

test('whatever stands in the address, something is shown', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const { cohorts, at } = parseAddress(`#/cohort?${text}`)
      expect(cohorts[at]).toBeDefined()
    }),
  )
})

test('an address without anything is the first page with all cases', () => {
  const first = parseAddress('')
  expect(first).toEqual({
    page: '',
    cohorts: [{ name: 'All cases', filter: undefined }],
    at: 0,
    query: new Map(),
  })
  expect(formatAddress(first)).toBe('#/')
})

test('a filter that cannot be read is reported in the name of its cohort', () => {
  const { cohorts } = parseAddress('#/cohort?cohort=Lung:{oops')
  expect(cohorts).toEqual([{ name: 'Lung (its filter cannot be read)', filter: undefined }])
})

test('pages keep the cohorts, and cohorts come and go', () => {
  const lung = { op: 'in', content: { field: 'primary_site', value: ['lung'] } }
  const one = withFilter(withQuery(parseAddress('#/cohort'), { from: '20', by: 'x' }), lung)
  expect(one.query).toEqual(new Map([['by', 'x']]))
  expect(activeCohort(one)).toEqual({ name: 'My cohort', filter: lung })
  const two = withCohort(one, { name: 'Other', filter: undefined })
  expect(onPage(two, 'survival')).toEqual({ ...two, page: 'survival', query: new Map() })
  const chosen = withQuery(two, { cart: 'a,b', sort: 'x' })
  expect(cartOf(onPage(chosen, 'survival', { by: 'y' }).query)).toEqual(['a', 'b'])
  expect(onPage(chosen, 'files').query).toEqual(new Map([['cart', 'a,b']]))
  expect(activeCohort(two).name).toBe('Other')
  const [mine = ALL_CASES, other = ALL_CASES] = two.cohorts
  const left = withoutCohort(two, mine)
  expect(left).toMatchObject({ cohorts: [{ name: 'Other' }], at: 0 })
  expect(withoutCohort(two, other)).toMatchObject({ cohorts: [{ name: 'My cohort' }], at: 0 })
  expect(activeCohort(withoutCohort(left, other)).name).toBe('All cases')
  // Removing the cohort once more does not remove another one.
  expect(withoutCohort(left, mine)).toBe(left)
  expect(withName(two, mine, 'Lung').cohorts.map(({ name }) => name)).toEqual(['Lung', 'Other'])
})
