import { setFilter } from '../cohort/sets.ts'
import type { Filter } from '../filter/filter.ts'
import type { Json, Service, ServiceRequest } from '../service/service.ts'

/** Sends requests once: equal ones get the kept answer. Remembers them, for people who repeat them. */
export class Asked {
  readonly requests: ServiceRequest[] = []
  readonly service: Service
  readonly signal: AbortSignal

  constructor(service: Service, signal: AbortSignal) {
    this.service = service
    this.signal = signal
  }

  /**
   * Returns the answer to a request.
   * @throws ServiceError
   */
  async ask<Answer>(request: ServiceRequest): Promise<Answer> {
    const kept = this.service.kept(request) as Answer | undefined
    return kept ?? this.service.ask<Answer>(request, this.signal)
  }

  /**
   * Returns the answer to a request that is shown with the groups.
   * @throws ServiceError
   */
  async askShown<Answer>(request: ServiceRequest): Promise<Answer> {
    this.requests.push(request)
    return this.ask<Answer>(request)
  }

  /**
   * Counts the cases of a filter.
   * @throws ServiceError
   */
  async count(filters: Filter | undefined): Promise<number> {
    const request = { path: '/cases', query: { size: 0 }, filters }
    const { data } = await this.ask<Counted>(request)
    return data.pagination.total
  }

  /**
   * Makes a set of the cases of a filter, or of all, which the service keeps for a day after its last use. A set is one
   * condition on the case itself: beside other conditions on the same genes or files, it still means its cases.
   * @throws ServiceError
   */
  async set(
    filter: Filter | undefined,
  ): Promise<{ readonly filter: Filter; readonly size: number }> {
    const body = {
      type: 'case',
      set_type: 'ephemeral',
      intent: 'explorer',
      filters: (filter ?? EVERY_CASE) as Json,
    }
    const { data } = await this.askShown<Made>({ path: '/sets', body })
    return { filter: setFilter(data), size: data.size }
  }
}

interface Counted {
  readonly data: { readonly pagination: { readonly total: number } }
}

interface Made {
  readonly data: { readonly set_id: string; readonly size: number }
}

/** The service makes no set without a filter. */
const EVERY_CASE: Filter = { op: 'not', content: { field: 'case_id', value: 'MISSING' } }

/** Returns the filter of the cases that are not in a set. */
export function notIn(set: Filter): Filter {
  if (Array.isArray(set.content)) throw new TypeError('a set is one condition')
  const { content } = set as Extract<Filter, { content: { readonly field: string } }>
  return { op: 'excludeifany', content }
}

/** Ids per set, because the filters of a request have a maximum number of values. */
const IDS_PER_SET = 50_000

const amongIds = (value: readonly string[]): Filter => ({
  op: 'in',
  content: { field: 'case_id', value },
})

/** Makes the filter of a list of case ids. */
export async function setOfIds(ids: readonly string[], asked: Asked): Promise<Filter> {
  const parts = Array.from({ length: Math.ceil(ids.length / IDS_PER_SET) }, (_, index) =>
    ids.slice(index * IDS_PER_SET, (index + 1) * IDS_PER_SET),
  )
  const sets = await Promise.all(parts.map((some) => asked.set(amongIds(some))))
  const value = sets.flatMap(({ filter }) =>
    Array.isArray(filter.content) ? [] : valuesOf(filter as SetCondition),
  )
  // An empty list would be refused, and no case has an empty id.
  return amongIds(value.length > 0 ? value : [''])
}

type SetCondition = { readonly content: { readonly value?: unknown } }

const valuesOf = ({ content }: SetCondition): readonly string[] =>
  [content.value].flat().filter((one) => typeof one === 'string')
