/** Validators of the current bytes. A missing validator is not compared. */
export interface Validators {
  /** Strong entity tag with its quotes. */
  readonly etag?: string | undefined
  /** Modification time. Given only if the bytes cannot change without changing it. */
  readonly modified?: Date | undefined
}

export type Precondition = 'proceed' | 'unchanged' | 'failed'

/** Evaluates preconditions in the order of RFC 9110 section 13.2.2. `unchanged` is 304, `failed` 412. */
export function precondition(
  method: string,
  headers: Headers,
  { etag, modified }: Validators,
): Precondition {
  const ifMatch = headers.get('if-match')
  const ifUnmodifiedSince = timeOf(headers.get('if-unmodified-since'))
  if (ifMatch !== null) {
    if (!names(ifMatch, etag, 'strong')) return 'failed'
  } else if (modified && ifUnmodifiedSince !== undefined) {
    if (seconds(modified) > ifUnmodifiedSince) return 'failed'
  }
  const isRead = method === 'GET' || method === 'HEAD'
  const ifNoneMatch = headers.get('if-none-match')
  if (ifNoneMatch !== null) {
    if (!names(ifNoneMatch, etag, 'weak')) return 'proceed'
    return isRead ? 'unchanged' : 'failed'
  }
  const ifModifiedSince = timeOf(headers.get('if-modified-since'))
  if (!isRead || !modified || ifModifiedSince === undefined) return 'proceed'
  return seconds(modified) <= ifModifiedSince ? 'unchanged' : 'proceed'
}

const PRECONDITIONS = ['If-Match', 'If-None-Match', 'If-Modified-Since', 'If-Unmodified-Since']

/** Returns whether a request has a precondition other than `If-Range`. */
export const hasPrecondition = (headers: Headers): boolean =>
  PRECONDITIONS.some((name) => headers.has(name))

/** Returns whether a range may be sent. A client with other bytes gets the whole body (RFC 9110 13.1.5). */
export function allowsRange(headers: Headers, { etag, modified }: Validators): boolean {
  const ifRange = headers.get('if-range')?.trim()
  if (ifRange === undefined) return true
  if (ifRange.startsWith('"')) return ifRange === etag
  return modified !== undefined && timeOf(ifRange) === seconds(modified)
}

/** Formats a time for `Last-Modified`. */
export const httpDate = (time: Date): string => time.toUTCString()

/** Returns whether a list of entity tags includes the current one. The list `*` includes every tag. */
function names(list: string, etag: string | undefined, comparison: 'strong' | 'weak'): boolean {
  if (list.trim() === '*') return true
  const tags = list.match(/(W\/)?"[^"]*"/g) ?? []
  return tags.some((tag) => (comparison === 'weak' ? tag.replace(/^W\//, '') : tag) === etag)
}

const seconds = (time: Date) => Math.floor(time.getTime() / 1000)

const DAY = '(Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
/** Date formats of HTTP (RFC 9110 section 5.6.7): the current one and two obsolete ones, the last without a zone. */
const DATES = [
  new RegExp(`^${DAY}, \\d\\d [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT$`),
  /^[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/,
]
const ASCTIME = new RegExp(`^${DAY} [A-Z][a-z]{2} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d \\d{4}$`)

/** Parses an HTTP date to seconds since the epoch. Returns `undefined` for an invalid date, which is ignored. */
function timeOf(header: string | null): number | undefined {
  const text = header?.trim() ?? ''
  const isDate = DATES.some((form) => form.test(text))
  if (!isDate && !ASCTIME.test(text)) return undefined
  const time = Date.parse(isDate ? text : `${text} GMT`)
  return Number.isFinite(time) ? time / 1000 : undefined
}
