import { EngineError } from '../../shared/errors.ts'
import type { UploadPart } from './upload-store.ts'

/** Maximum number of parts of an upload. Object storage has the same limit. */
export const MAX_PARTS = 10_000

/** A part in the list of parts that a client sends to complete an upload. */
export interface ListedPart {
  readonly number: number
  /** ETag of the response to the part, with or without quotes. */
  readonly etag: string
}

/**
 * Returns the listed parts in the order of their numbers. Parts that arrived but are not listed are left out.
 * @param listed by the client
 * @param arrived parts of the upload that the server has received
 * @throws EngineError `bad_input` if the list is empty, or if a part is listed twice, has not arrived or has
 * another ETag
 */
export function checkPartList(
  listed: readonly ListedPart[],
  arrived: readonly UploadPart[],
): readonly UploadPart[] {
  if (listed.length === 0) throw badInput('the list of parts is empty')
  const byNumber = new Map(arrived.map((part) => [part.number, part]))
  const parts = new Set<UploadPart>()
  for (const { number, etag } of listed) {
    const part = byNumber.get(number)
    if (!part) throw badInput(`part ${number} has not arrived; upload it first`)
    if (parts.has(part)) throw badInput(`part ${number} is listed twice`)
    if (part.md5 !== plainTag(etag))
      throw badInput(`part ${number} has another ETag than is listed`)
    parts.add(part)
  }
  return [...parts].sort((a, b) => a.number - b.number)
}

/** Removes quotes. Some clients omit the quotes, others escape them for XML. */
function plainTag(etag: string): string {
  return etag.replaceAll(/&quot;|&#34;|"/g, '').trim()
}

const badInput = (message: string) => new EngineError('bad_input', message)
