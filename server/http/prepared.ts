import { packed } from './compress.ts'
import { codedEtag, etagOf } from './etag.ts'
import type { Coding } from './preference.ts'
import { reply } from './reply.ts'

/** A response that stays the same while the process runs, kept in each coding that was requested. */
export interface Prepared {
  readonly etag: string
  answer(coding: Coding, headers: Readonly<Record<string, string>>): Promise<Response>
}

/** Creates a response on first use, because many are never requested. */
export function prepare(contentType: string, make: () => string): () => Prepared {
  let made: Prepared | undefined
  return () => {
    made ??= preparedOfText(contentType, make())
    return made
  }
}

function preparedOfText(contentType: string, text: string): Prepared {
  return preparedOf(contentType, { bytes: new TextEncoder().encode(text), hash: text })
}

/**
 * Creates a response from bytes that are there already.
 * @param body.hash text that differs for other bytes, such as their SHA-256, so that megabytes are not hashed here
 */
export function preparedOf(
  contentType: string,
  { bytes: body, hash }: { readonly bytes: Uint8Array<ArrayBuffer>; readonly hash: string },
): Prepared {
  const etag = etagOf([contentType, hash])
  const bodies = new Map<Coding, Promise<Uint8Array<ArrayBuffer>>>([
    ['identity', Promise.resolve(body)],
  ])
  const bodyIn = (coding: Coding) => {
    let found = bodies.get(coding)
    if (found === undefined && coding !== 'identity') {
      found = packed(body, coding)
      bodies.set(coding, found)
    }
    // Never undefined, because identity is in the map from the start.
    return found ?? body
  }
  return {
    etag,
    async answer(coding, headers) {
      return reply(200, contentType, await bodyIn(coding), {
        ...headers,
        ETag: codedEtag(etag, coding),
        ...(coding === 'identity' ? {} : { 'Content-Encoding': coding }),
      })
    },
  }
}
