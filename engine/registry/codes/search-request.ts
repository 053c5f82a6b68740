import { EngineError } from '../../shared/errors.ts'
import { isDay } from '../../shared/input/day.ts'
import { type PageRequest, readPage } from '../../shared/input/read-page.ts'
import type { OrderRange, RecordQuery } from '../full-text/record.ts'

/** A search as the query has it, lists taken apart already (registry.md 1.5 b, 2.3). */
export interface CodeRequest extends PageRequest {
  /** Words, all of which are to be found. */
  readonly q?: string | undefined
  /** Any of these. */
  readonly category?: readonly string[] | undefined
  /** The name of an order; `-` before it turns it round. */
  readonly order?: string | undefined
  /** Days, YYYY-MM-DD, or points in time. */
  readonly addedSince?: string | undefined
  readonly modifiedSince?: string | undefined
}

/** A page of what was found, and how much was found in all. */
export interface CodePage<T> {
  readonly total: number
  readonly records: readonly T[]
}

/**
 * What the index is to be asked. Orders and ranges are named as in the query.
 * @throws EngineError bad_input naming the parameter
 */
export function queryOf(request: CodeRequest, orders: readonly string[]): RecordQuery {
  const { q, category, order } = request
  return {
    ...{ q, mode: 'AND', ...readPage(request) },
    filters: { category: category?.length ? category : undefined },
    ranges: [
      ...rangeSince('date_added', request.addedSince, 'added_since'),
      ...rangeSince('date_modified', request.modifiedSince, 'modified_since'),
    ],
    ...(order !== undefined && { order: readOrder(order, orders) }),
  }
}

const SINCE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/

/** @throws EngineError bad_input naming the parameter */
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
