import type { Extent } from './extents.ts'
import type { Answer } from './link.ts'
import { dispositionName } from './names.ts'

/** What the head of an answer says of the whole file, and of the bytes that follow. */
export interface Facts {
  readonly name: string | undefined
  /** Bytes of the whole file. */
  readonly size: number | undefined
  /** Of the whole file, lower-case hex. */
  readonly md5: string | undefined
  readonly etag: string | undefined
  /** The bytes that follow; undefined when it is the whole file. */
  readonly range: Extent | undefined
}

export function readFacts({ status, headers }: Pick<Answer, 'status' | 'headers'>): Facts {
  const part = status === 206 ? partOf(headers['content-range']) : undefined
  const length = headers['content-length']
  return {
    name: dispositionName(headers['content-disposition']),
    size: part ? part.size : length === undefined ? undefined : Number(length),
    md5: hexMd5(headers['content-md5']),
    etag: headers.etag,
    range: part?.range,
  }
}

/** Whether two answers speak of the same bytes. An md5 says more than a tag, which may be of a copy. */
export function areSameBytes(one: SameBytes, other: SameBytes): boolean {
  if (one.size !== other.size) return false
  if (one.md5 !== undefined && other.md5 !== undefined) return one.md5 === other.md5
  return one.etag !== undefined && one.etag === other.etag
}

/** Whether two answers of one run contradict each other; not all of them have to say all. */
export function areOfOneFile(one: SameBytes, other: SameBytes): boolean {
  if (one.size !== other.size) return false
  const isKnown = (name: 'md5' | 'etag') => one[name] !== undefined && other[name] !== undefined
  if (isKnown('md5')) return one.md5 === other.md5
  return !isKnown('etag') || one.etag === other.etag
}

type SameBytes = Pick<Facts, 'size' | 'md5' | 'etag'>

/** A tag that may stand in If-Range, which wants a strong one. */
export function strongTag(etag: string | undefined): string | undefined {
  return etag?.startsWith('"') ? etag : undefined
}

function partOf(header: string | undefined) {
  const match = /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16})$/i.exec(header?.trim() ?? '')
  if (!match) return undefined
  const [start = 0, last = 0, size = 0] = match.slice(1).map(Number)
  if (start > last || last >= size) return undefined
  return { range: [start, last + 1] as const, size }
}

/** Hex is what the interface sends; base64 is what the header's own standard says. */
function hexMd5(header: string | string[] | undefined): string | undefined {
  const text = String(header ?? '').trim()
  if (/^[0-9a-f]{32}$/i.test(text)) return text.toLowerCase()
  return /^[\w+/]{22}==$/.test(text) ? Buffer.from(text, 'base64').toString('hex') : undefined
}
