import { EngineError } from '../../shared/errors.ts'
import { isDay } from '../../shared/input/day.ts'
import { type PageRequest, readPage } from '../../shared/input/read-page.ts'
import type { OrderRange, RecordQuery } from '../full-text/record.ts'

/** A search request whose lists are already split (registry.md 1.5 b, 2.3). */
export interface CodeRequest extends PageRequest {
  /** All of these words must match. */
  readonly q?: string | undefined
  /** Any of these categories may match. */
  readonly category?: readonly string[] | undefined
  /** The name of a sort order; a leading `-` reverses it. */
  readonly order?: string | undefined
  /** A day (YYYY-MM-DD) or a timestamp. */
  readonly addedSince?: string | undefined
  readonly modifiedSince?: string | undefined
}

/** A page of results and the total number of matches. */
export interface CodePage<T> {
  readonly total: number
  readonly records: readonly T[]
}

/**
 * Converts a search request to an index query. Sort orders and ranges are named as in the request.
 * @throws EngineError `bad_input`, naming the parameter
 */
export function queryOf(request: CodeRequest, orders: readonly string[]): RecordQuery {
  const { q, category, order } = request
  return {
    q,
    mode: 'AND',
    ...readPage(request),
    filters: { category: category?.length ? category : undefined },
    ranges: [
      ...rangeSince('date_added', request.addedSince, 'added_since'),
      ...rangeSince('date_modified', request.modifiedSince, 'modified_since'),
    ],
    ...(order !== undefined && { order: readOrder(order, orders) }),
  }
}

const SINCE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/

/**
 * Returns the range of an order from a day or timestamp on.
 * @throws EngineError `bad_input`, naming the parameter
 */
export function rangeSince(order: string, since: string | undefined, at: string): OrderRange[] {
  if (since === undefined) return []
  const from = SINCE.test(since) ? Date.parse(since) : Number.NaN
  if (isDay(since.slice(0, 10)) && !Number.isNaN(from)) return [{ order, from }]
  throw new EngineError('bad_input', `"${at}" is no day; give YYYY-MM-DD`, { at })
}

function readOrder(given: string, orders: readonly string[]): RecordQuery['order'] {
  const descending = given.startsWith('-')
  const name = descending ? given.slice(1) : given
  if (orders.includes(name)) return { name, descending }
  const message = `"order" is none of ${orders.join(', ')}, with or without - before it`
  throw new EngineError('bad_input', message, { at: 'order' })
}
