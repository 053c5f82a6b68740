import { EngineError } from '../errors.ts'
import { readCount } from './read-count.ts'

/** Page parameters in the form in which the query has them. By default, the first page of 25. */
export interface PageRequest {
  readonly page?: string | number | undefined
  readonly perPage?: string | number | undefined
}

/** A request for a page of a history. */
export interface HistoryPageRequest extends PageRequest {
  /** ASC or DESC. Defaults to DESC, newest first. */
  readonly order?: string | undefined
}

type Direction = 'ASC' | 'DESC'

const PAGES = { byDefault: 1, least: 1, most: 1e9 }
const PER_PAGE = { byDefault: 25, least: 1, most: 1000 }

/**
 * Returns the range of a page (registry.md 1.5, 7.2).
 * @throws EngineError `bad_input` naming the parameter
 */
export function readPage(request: PageRequest): {
  readonly offset: number
  readonly count: number
} {
  const page = readCount(request.page, 'page', PAGES)
  const count = readCount(request.perPage, 'per_page', PER_PAGE)
  return { offset: (page - 1) * count, count }
}

/**
 * Parses the order of a history (registry.md 1.5 c).
 * @throws EngineError `bad_input` if it is neither ASC nor DESC
 */
export function readDirection(order = 'DESC'): Direction {
  if (order === 'ASC' || order === 'DESC') return order
  throw new EngineError('bad_input', '"order" is not one of ASC, DESC', { at: 'order' })
}
