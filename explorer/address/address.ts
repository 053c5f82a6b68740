import { type Filter, parseFilter } from '../filter/filter.ts'

/** A named set of cases. Without a filter it contains all cases. */
export interface Cohort {
  readonly name: string
  readonly filter: Filter | undefined
}

/** Parameters of the page itself, keyed by name. */
export type Query = ReadonlyMap<string, string>

/** Changes to a query. Undefined removes a parameter. */
export type QueryChanges = Readonly<Record<string, string | undefined>>

/** State of the explorer in the fragment of the URL. Everyone with the URL sees the same page. */
export interface Address {
  /** Name of the page, such as `survival`; empty for the home page. */
  readonly page: string
  /** Cohorts, at least one. */
  readonly cohorts: readonly Cohort[]
  /** Index of the active cohort. */
  readonly at: number
  /** Parameters of the page itself. */
  readonly query: Query
}

export const ALL_CASES: Cohort = { name: 'All cases', filter: undefined }

/** Parses a fragment such as `#/survival?cohort=Women:{...}&at=0&by=gender`. Invalid parts are ignored. */
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

/** Formats the state of the explorer as the fragment of its URL. */
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

/** Returns the active cohort. */
export const activeCohort = ({ cohorts, at }: Address): Cohort => cohorts[at] ?? ALL_CASES

/** Returns the address with a different filter for the active cohort. */
export function withFilter(address: Address, filter: Filter | undefined): Address {
  const { cohorts, at } = address
  // The page number of a table belongs to the previous cohort, so it is removed.
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

/** Returns the address with changed parameters of the page. */
export function withQuery(address: Address, changes: QueryChanges): Address {
  const query = new Map(address.query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') query.delete(name)
    else query.set(name, value)
  }
  return { ...address, query }
}

/** Parameter with the ids of the chosen files. */
export const CART = 'cart'

/** Parameters that all pages share: the chosen files and the groups. */
const OF_ALL_PAGES = [CART, 'groups', 'shared']

/** Returns the address of another page, with the same cohorts, chosen files and groups. */
export function onPage(
  { cohorts, at, query }: Address,
  page: string,
  own: Readonly<Record<string, string>> = {},
): Address {
  const kept = [...query].filter(([name]) => OF_ALL_PAGES.includes(name))
  return { page, cohorts, at, query: new Map([...kept, ...Object.entries(own)]) }
}

/** Returns the ids of the chosen files. */
export const cartOf = (query: Query): readonly string[] => query.get(CART)?.split(',') ?? []

/** Returns the address with one more cohort, which becomes the active one. */
export function withCohort(address: Address, cohort: Cohort): Address {
  const cohorts = [...address.cohorts, cohort]
  return { ...address, cohorts, at: cohorts.length - 1 }
}

/** Returns the address of a page for another cohort. It takes the place of all cases, or is added to the others. */
export function toCohort(address: Address, page: string, cohort: Cohort): Address {
  const next = onPage(address, page)
  const [only] = next.cohorts
  if (next.cohorts.length > 1 || only?.filter) return withCohort(next, cohort)
  return { ...next, cohorts: [cohort], at: 0 }
}

/** Returns the address with a cohort renamed. */
export function withName(address: Address, cohort: Cohort, name: string): Address {
  const cohorts = address.cohorts.map((one) => (one === cohort ? { ...one, name } : one))
  return { ...address, cohorts }
}

/** Returns the address without a cohort. If it was the only cohort, one with all cases takes its place. */
export function withoutCohort(address: Address, cohort: Cohort): Address {
  const index = address.cohorts.indexOf(cohort)
  if (index < 0) return address
  const left = address.cohorts.filter((_, place) => place !== index)
  const at = address.at > index ? address.at - 1 : Math.min(address.at, left.length - 1)
  return { ...address, cohorts: left.length > 0 ? left : [ALL_CASES], at: Math.max(0, at) }
}

function cohortOf(text: string): Cohort {
  const [, written = '', filter = ''] = /^([^:]*):?(.*)$/s.exec(text) ?? []
  const name = written.replaceAll('%3A', ':').replaceAll('%25', '%')
  if (filter === '') return { name, filter: undefined }
  try {
    return { name, filter: parseFilter(filter) }
  } catch {
    return { name: `${name} (its filter cannot be read)`, filter: undefined }
  }
}

function textOf({ name, filter }: Cohort): string {
  // The first colon ends the name.
  const plain = name.replaceAll('%', '%25').replaceAll(':', '%3A')
  return filter === undefined ? plain : `${plain}:${JSON.stringify(filter)}`
}
