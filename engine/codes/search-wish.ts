import { EngineError } from '../errors.ts'
import type { OrderRange, RecordQuery } from '../record-index/record.ts'
import { isDay } from './day.ts'

/** A search as the query has it, lists taken apart already (registry.md 1.5 b, 2.3). */
export interface CodeWish {
  /** Words, all of which are to be found. */
  readonly q?: string | undefined
  /** Any of these. */
  readonly category?: readonly string[] | undefined
  readonly page?: string | number | undefined
  readonly perPage?: string | number | undefined
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

const DEFAULT_PER_PAGE = 25
const MOST_PER_PAGE = 1000
const LAST_PAGE = 1e9

/**
 * What the index is to be asked. Orders and ranges are named as in the query.
 * @throws EngineError bad_input naming the parameter
 */
export function queryOf(wish: CodeWish, orders: readonly string[]): RecordQuery {
  const { q, category, order } = wish
  const page = readCount(wish.page, 'page', 1, LAST_PAGE)
  const count = readCount(wish.perPage, 'per_page', DEFAULT_PER_PAGE, MOST_PER_PAGE)
  return {
    ...{ q, mode: 'AND', offset: (page - 1) * count, count },
    filters: { category: category?.length ? category : undefined },
    ranges: [
      ...rangeSince('date_added', wish.addedSince, 'added_since'),
      ...rangeSince('date_modified', wish.modifiedSince, 'modified_since'),
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

/** @throws EngineError bad_input naming the parameter */
export function readCount(
  value: string | number | undefined,
  at: string,
  byDefault: number,
  most: number,
): number {
  if (value === undefined) return byDefault
  const number = /^\d{1,15}$/.test(String(value)) ? Number(value) : Number.NaN
  if (number >= 1 && number <= most) return number
  throw new EngineError('bad_input', `"${at}" is no whole number from 1 to ${most}`, { at })
}
