import type { Filter } from '../filter/filter.ts'
import type { Json, Service } from '../service/service.ts'

/** A set of cases that the service stores, with the members that pages read. */
interface KeptSet {
  readonly set_id: string
  readonly size: number
}

/** Cases that are in certain sets and in none of the others. */
interface SetPart {
  readonly in: readonly string[]
  readonly not_in: readonly string[]
  readonly size: number
}

export type SetOperation = 'union' | 'intersection' | 'difference'

interface CombinedSet extends KeptSet {
  readonly parts: readonly SetPart[]
}

const PREFIX = 'set_id:'

/** Returns the filter that the cases of a set pass. */
export const setFilter = ({ set_id }: KeptSet): Filter => ({
  op: 'in',
  content: { field: 'case_id', value: [`${PREFIX}${set_id}`] },
})

/** Returns the ids of the sets that a filter names. */
export function setsOf(filter: Filter | undefined): readonly string[] {
  if (filter === undefined) return []
  if (Array.isArray(filter.content)) return filter.content.flatMap((part: Filter) => setsOf(part))
  const { value } = filter.content as { readonly value?: unknown }
  return [value]
    .flat()
    .flatMap((one) => (typeof one === 'string' && one.startsWith(PREFIX) ? [one] : []))
}

/** Shortens the id of a set for display. Returns all other values unchanged. */
export const shownValue = (value: string): string =>
  value.startsWith(PREFIX) ? `set ${value.slice(PREFIX.length, PREFIX.length + 6)}…` : value

/**
 * Creates a set of the cases that pass a filter. A frozen set is kept for 90 days after its last use, an
 * ephemeral one for a day.
 * @throws ServiceError
 */
export async function makeSet(
  service: Service,
  filter: Filter | undefined,
  kind: 'frozen' | 'ephemeral',
): Promise<KeptSet> {
  const filters = filter && { filters: filter as Json }
  const body = { type: 'case', set_type: kind, intent: 'explorer', ...filters }
  return dataOf<KeptSet>(await service.fetch({ path: '/sets', body }))
}

/**
 * Creates a frozen set from the cases of several filters, at most six, and counts all overlaps. `difference`
 * removes the cases of the other filters from those of the first. The overlaps name sets by their ids, in the
 * order of `ids`.
 * @throws ServiceError
 */
export async function combineFilters(
  service: Service,
  filters: readonly (Filter | undefined)[],
  operation: SetOperation,
): Promise<{ readonly ids: readonly string[]; readonly made: CombinedSet }> {
  const sets = await Promise.all(filters.map((filter) => makeSet(service, filter, 'ephemeral')))
  const ids = sets.map(({ set_id }) => set_id)
  const body = { sets: ids, operation, set_type: 'frozen', intent: 'explorer' }
  const made = await dataOf<CombinedSet>(await service.fetch({ path: '/sets/combine', body }))
  return { ids, made }
}

const dataOf = async <Data>(response: Response) =>
  ((await response.json()) as { readonly data: Data }).data
