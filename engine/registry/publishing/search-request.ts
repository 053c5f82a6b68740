import { EngineError } from '../../shared/errors.ts'
import { readCount } from '../../shared/input/read-count.ts'
import type { RecordQuery } from '../full-text/record.ts'
import type { SearchRequest } from './answers.ts'
import { readDays } from './days.ts'
import {
  OUTPUT_TYPES,
  type OutputType,
  type RecordContent,
  type RecordDefinition,
} from './definition.ts'
import { FIRST_PUBLISHED, NO_ORDER } from './record-source.ts'

const COUNT = { byDefault: 25, least: 1, most: 1000 }
const OFFSET = { byDefault: 0, least: 0, most: 1e9 }
/** Sort orders that only editors may use. */
const EDITORS_ORDERS: readonly string[] = ['status', 'assigned_to']
/** Sort orders that every area has. */
const ORDERS: readonly string[] = [...EDITORS_ORDERS, 'name', 'last_modified']
/**
 * Sort orders that every area accepts (registry.md 2.2). If the records of an area have no such values, all are
 * equal.
 */
const SOME_HAVE: readonly string[] = ['type', 'site_category', 'icdO3_morphology']

interface Search {
  readonly query: RecordQuery
  readonly output: OutputType
}

/**
 * Converts a search request to an index query. Callers who are not editors cannot search or sort by hidden or
 * unpublished state or by editors' notes.
 * @throws EngineError `bad_input`, naming the parameter
 */
export function readSearch<Content extends RecordContent>(
  request: SearchRequest,
  definition: RecordDefinition<Content>,
  asEditor: boolean,
): Search {
  const modified = readDays(request, { from: 'modified_from', to: 'modified_to' })
  const published = readDays(request, { from: 'published_from', to: 'published_to' })
  const order =
    request.order === undefined ? undefined : readOrder(request.order, definition, asEditor)
  return {
    output: readOneOf(request.output_type ?? 'MIN', OUTPUT_TYPES, 'output_type'),
    query: {
      q: request.q,
      mode: readOneOf(request.mode ?? 'OR', ['OR', 'AND'] as const, 'mode'),
      filters: {
        ...ownFilters(request, definition),
        ...(asEditor ? editorsFilters(request) : everybodysFilters(request)),
      },
      ranges: [...rangeOf('last_modified', modified), ...rangeOf(FIRST_PUBLISHED, published)],
      ...(order && { order }),
      offset: readCount(request.offset, 'offset', OFFSET),
      count: readCount(request.count, 'count', COUNT),
    },
  }
}

function rangeOf(
  order: string,
  { fromMilliseconds: from, toMilliseconds: to }: ReturnType<typeof readDays>,
): NonNullable<RecordQuery['ranges']> {
  return from === undefined && to === undefined ? [] : [{ order, from, to }]
}

function readOrder<Content extends RecordContent>(
  text: string,
  { orders }: RecordDefinition<Content>,
  asEditor: boolean,
): NonNullable<RecordQuery['order']> {
  const descending = text.startsWith('-')
  const known = [...new Set([...ORDERS, ...SOME_HAVE, ...orders])]
  const name = readOneOf(descending ? text.slice(1) : text, known, 'order')
  const isSeen = asEditor || !EDITORS_ORDERS.includes(name)
  const isThere = ORDERS.includes(name) || orders.includes(name)
  return { name: isSeen && isThere ? name : NO_ORDER, descending }
}

function ownFilters<Content extends RecordContent>(
  { filters = {} }: SearchRequest,
  { filters: accepted }: RecordDefinition<Content>,
): RecordQuery['filters'] {
  for (const [name, values = []] of Object.entries(filters)) {
    if (!Object.hasOwn(accepted, name)) {
      throw new EngineError('bad_input', `there is no filter "${name}"`, { at: name })
    }
    const words = accepted[name]
    if (words) for (const value of values) readOneOf(value, words, name)
  }
  return filters
}

/** Returns the filters of an editor's request. An unknown status has no results, as the public client expects. */
function editorsFilters({ status, assigned_to, hidden, been_published }: SearchRequest) {
  return {
    status,
    assigned_to: assigned_to === undefined ? undefined : [assigned_to],
    hidden: hidden === undefined ? undefined : [String(hidden)],
    been_published: been_published === undefined ? undefined : [String(been_published)],
  }
}

/** Returns the filters for records that everybody may see: published, and without status or assignee. */
function everybodysFilters(request: SearchRequest): RecordQuery['filters'] {
  const { status, assigned_to } = editorsFilters(request)
  const isNothing =
    status || assigned_to || request.hidden === true || request.been_published === false
  return { hidden: isNothing ? [] : ['false'] }
}

function readOneOf<Word extends string>(text: string, words: readonly Word[], at: string): Word {
  const known = words.find((word) => word === text)
  if (known !== undefined) return known
  throw new EngineError('bad_input', `"${at}" is none of ${words.join(', ')}`, { at })
}
