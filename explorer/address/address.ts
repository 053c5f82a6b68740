import { type Filter, parseFilter } from '../filter/filter.ts'

/** A named set of cases. Without a filter it is all of them. */
export interface Cohort {
  readonly name: string
  readonly filter: Filter | undefined
}

/** What a page itself asks, by name. */
export type Query = ReadonlyMap<string, string>

/** Values of a query to be; without a value the name is left out. */
export type QueryChanges = Readonly<Record<string, string | undefined>>

/** All that the fragment of the address says. Whoever has the address sees the same. */
export interface Address {
  /** Such as `survival`; empty for the first page. */
  readonly page: string
  /** At least one. */
  readonly cohorts: readonly Cohort[]
  /** Which of the cohorts pages speak of. */
  readonly at: number
  /** What the page itself asks. */
  readonly query: Query
}

export const ALL_CASES: Cohort = { name: 'All cases', filter: undefined }

/** Reads `#/survival?cohort=Women:{...}&at=0&by=gender`. What cannot be read is left out. */
export function parseAddress(fragment: string): Address {
  const [path = '', search = ''] = fragment.replace(/^#?\/?/, '').split(/\?(.*)/s)
  const cohorts: Cohort[] = []
  const query = new Map<string, string>()
  let at = 0
  for (const [name, value] of new URLSearchParams(search)) {
    if (name === 'cohort') cohorts.push(cohortOf(value))
    else if (name === 'at') at = Number.parseInt(value, 10) || 0
    else query.set(name, value)
  }
  if (cohorts.length === 0) cohorts.push(ALL_CASES)
  return { page: path, cohorts, at: at in cohorts ? at : 0, query }
}

export function formatAddress({ page, cohorts, at, query }: Address): string {
  const search = new URLSearchParams()
  const [only] = cohorts
  const isUsual = cohorts.length === 1 && only?.name === ALL_CASES.name && !only.filter
  if (!isUsual) for (const cohort of cohorts) search.append('cohort', textOf(cohort))
  if (at > 0) search.set('at', String(at))
  for (const [name, value] of query) search.set(name, value)
  const asked = String(search)
  return `#/${page}${asked === '' ? '' : `?${asked}`}`
}

/** The cohort that pages speak of. */
export const activeCohort = ({ cohorts, at }: Address): Cohort => cohorts[at] ?? ALL_CASES

/** The address with the cohort that pages speak of in another form. */
export function withFilter(address: Address, filter: Filter | undefined): Address {
  const { cohorts, at } = address
  // Another cohort has other pages of its table.
  const query = new Map([...address.query].filter(([name]) => name !== 'from'))
  return {
    ...address,
    query,
    cohorts: cohorts.map((cohort, index) => {
      if (index !== at) return cohort
      const name = cohort.name === ALL_CASES.name && filter ? 'My cohort' : cohort.name
      return { name, filter }
    }),
  }
}

/** The address with some values of the page's own changed. */
export function withQuery(address: Address, changes: QueryChanges): Address {
  const query = new Map(address.query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') query.delete(name)
    else query.set(name, value)
  }
  return { ...address, query }
}

/** Another page, about the same cohorts. */
export const onPage = (
  { cohorts, at }: Address,
  page: string,
  query: Readonly<Record<string, string>> = {},
): Address => ({ page, cohorts, at, query: new Map(Object.entries(query)) })

/** The address with one more cohort, which pages then speak of. */
export function withCohort(address: Address, cohort: Cohort): Address {
  const cohorts = [...address.cohorts, cohort]
  return { ...address, cohorts, at: cohorts.length - 1 }
}

/** The address with another name for a cohort. */
export function withName(address: Address, cohort: Cohort, name: string): Address {
  const cohorts = address.cohorts.map((one) => (one === cohort ? { ...one, name } : one))
  return { ...address, cohorts }
}

/** The address without a cohort; all cases are left when it was the last one. */
export function withoutCohort(address: Address, cohort: Cohort): Address {
  const index = address.cohorts.indexOf(cohort)
  if (index < 0) return address
  const left = address.cohorts.filter((_, place) => place !== index)
  const at = address.at > index ? address.at - 1 : Math.min(address.at, left.length - 1)
  return { ...address, cohorts: left.length > 0 ? left : [ALL_CASES], at: Math.max(0, at) }
}

function cohortOf(text: string): Cohort {
  const [, name = '', filter = ''] = /^([^:]*):?(.*)$/s.exec(text) ?? []
  if (filter === '') return { name, filter: undefined }
  try {
    return { name, filter: parseFilter(filter) }
  } catch {
    return { name: `${name} (its filter cannot be read)`, filter: undefined }
  }
}

function textOf({ name, filter }: Cohort): string {
  const plain = name.replaceAll(':', ' ')
  return filter === undefined ? plain : `${plain}:${JSON.stringify(filter)}`
}
