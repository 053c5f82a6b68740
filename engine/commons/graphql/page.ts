import { EngineError } from '../../shared/errors.ts'
import { placeOf } from '../../shared/graphql/document-limits.ts'
import { quotedName } from '../../shared/input/near-name.ts'
import type { Dataset } from '../datasets/define.ts'
import { sortKeys } from '../datasets/select.ts'
import { SEARCH_GRAPH_LIMITS } from './limits.ts'
import type { RequestedPage } from './search-requests.ts'
import type { RequestedField } from './selection.ts'

/** Default number of records per page (portal.md 2.1). */
const FIRST = 10
const SCORES: Readonly<Record<string, string>> = {
  genes: 'case.project.project_id',
  ssms: 'occurrence.case.project.project_id',
}

/** Sort keys for score and id. The public portal's search engine has the same names. */
const SCORE = '_score'
const ID = '_uid'

interface SortArgument {
  readonly field: string
  readonly order?: string | null
  readonly mode?: string | null
  readonly missing?: string | null
}

/**
 * Reads the page arguments of a list.
 * @throws EngineError bad_input for an unsupported argument
 */
export function pageOf({ args, node }: RequestedField, dataset: Dataset): RequestedPage {
  const first = numberFrom(args.first, 'first') ?? FIRST
  const offset = numberFrom(args.offset, 'offset') ?? 0
  if (first > SEARCH_GRAPH_LIMITS.first) {
    const message = `first is ${first}; the limit is ${SEARCH_GRAPH_LIMITS.first}; take pages with offset`
    throw new EngineError('bad_input', message, { at: 'first' })
  }
  return { first, offset, ...orderOf(args, dataset, placeOf(node)) }
}

/**
 * Reads the arguments `score` and `sort`.
 * @param place place in the document, for messages
 * @throws EngineError bad_input for an unsupported argument
 */
export function orderOf(
  { score: given, sort }: RequestedField['args'],
  dataset: Dataset,
  place: string,
): Pick<RequestedPage, 'score' | 'sort'> {
  const known = SCORES[dataset.name]
  if (typeof given === 'string' && given !== known) {
    const message = known
      ? `${dataset.name} have the score "${known}" alone`
      : `${dataset.name} have no score`
    throw new EngineError('bad_input', `${message} ${place}`, { at: 'score' })
  }
  const orders = (Array.isArray(sort) ? sort : []) as readonly SortArgument[]
  const byScore = orders.find(({ field }) => field === SCORE)
  const others = orders.filter((order) => order !== byScore)
  if (typeof given !== 'string') {
    // Without the argument `score`, all records have the same score (portal.md 3.6).
    const own = others.map((order) =>
      order.field === ID ? { ...order, field: dataset.idField } : order,
    )
    return { sort: sortKeys(dataset, own.map(sortText)), score: undefined }
  }
  const isById = ({ field, order }: SortArgument) => field === ID && order !== 'desc'
  if (!others.every(isById) || (others.length > 0 && orders[0] !== byScore)) {
    const message =
      'a list with a score is sorted by _score, and equal scores by _uid in ascending order; leave other fields of sort out'
    throw new EngineError('bad_input', message, { at: 'sort' })
  }
  return { sort: [], score: byScore?.order === 'asc' ? 'ascending' : 'descending' }
}

function sortText({ field, order, mode, missing }: SortArgument): string {
  const direction = order ?? 'asc'
  const usual = direction === 'desc' ? 'max' : 'min'
  if (missing === 'first' || (mode && mode !== usual)) {
    const message = `sort by ${quotedName(field)} has what is missing last, and ${usual} of several values for ${direction}; leave mode and missing out`
    throw new EngineError('bad_input', message, { at: 'sort' })
  }
  return `${field}:${direction}`
}

/**
 * Reads an integer that must not be negative. Returns undefined if it is absent.
 * @throws EngineError bad_input if it is negative or not a number
 */
export function numberFrom(value: unknown, at: string): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && value >= 0) return value
  throw new EngineError('bad_input', `${at} must be 0 or more`, { at })
}
