import type { Extent } from './extents.ts'
import type { Answer } from './link.ts'
import { dispositionName } from './names.ts'

/** Metadata in the head of a response: about the whole file, and the bytes that follow. */
export interface Facts {
  readonly name: string | undefined
  /** Size of the whole file in bytes. */
  readonly size: number | undefined
  /** md5 of the whole file in lower-case hex. */
  readonly md5: string | undefined
  readonly etag: string | undefined
  /** Range of the bytes that follow, or undefined for the whole file. */
  readonly range: Extent | undefined
}

/** Reads the metadata of a file from the head of a response. */
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

/** Returns whether two responses describe the same bytes: by MD5 or, without one, by entity tag. */
export function areSameBytes(one: SameBytes, other: SameBytes): boolean {
  if (one.size !== other.size) return false
  if (one.md5 !== undefined && other.md5 !== undefined) return one.md5 === other.md5
  return one.etag !== undefined && one.etag === other.etag
}

/** Returns whether two responses of one run describe the same file. Either may lack some of the metadata. */
export function areOfOneFile(one: SameBytes, other: SameBytes): boolean {
  if (one.size !== other.size) return false
  const isKnown = (name: 'md5' | 'etag') => one[name] !== undefined && other[name] !== undefined
  if (isKnown('md5')) return one.md5 === other.md5
  return !isKnown('etag') || one.etag === other.etag
}

type SameBytes = Pick<Facts, 'size' | 'md5' | 'etag'>

/** Returns an entity tag for If-Range, which accepts only strong ones. Returns undefined for a weak tag. */
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

/** Parses Content-MD5. The interface sends it in hex, and the standard defines base64. */
function hexMd5(header: string | string[] | undefined): string | undefined {
  const text = String(header ?? '').trim()
  if (/^[0-9a-f]{32}$/i.test(text)) return text.toLowerCase()
  return /^[\w+/]{22}==$/.test(text) ? Buffer.from(text, 'base64').toString('hex') : undefined
}
