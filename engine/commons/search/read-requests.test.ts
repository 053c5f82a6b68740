import { expect, test } from 'vitest'
import { type ListRequest, ReadRequests } from './read-requests.ts'
import { Selections } from './selections.ts'

const REQUEST: ListRequest = { size: 10, from: 0 }

/**
 * A second value for each member of `ListRequest`. If a member is added, this does not compile without a value
 * for it.
 */
const OTHERS: { readonly [Member in keyof Required<ListRequest>]: ListRequest[Member] } = {
  filters: { op: '=', content: { field: 'access', value: 'open' } },
  caseFilters: { op: '=', content: { field: 'disease_type', value: 'Gliomas' } },
  fields: ['file_name'],
  expand: ['cases'],
  facets: ['access'],
  histograms: ['file_size:10'],
  sort: ['file_size'],
  size: 11,
  from: 1,
}

test('requests that differ in any one member are read apart, equal ones once', async () => {
  const requests = new ReadRequests(new Selections())
  const all = [
    REQUEST,
    ...Object.entries(OTHERS).map(([member, value]) => ({ ...REQUEST, [member]: value })),
  ]
  const read = await Promise.all(all.map((request) => requests.of('files', request)))
  expect(new Set(read).size).toBe(all.length)
  const again = await Promise.all(all.map((request) => requests.of('files', { ...request })))
  for (const [i, one] of again.entries()) expect(one).toBe(read[i])
})
