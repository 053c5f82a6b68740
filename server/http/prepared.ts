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
    made ??= preparedOf(contentType, new TextEncoder().encode(make()))
    return made
  }
}

function preparedOf(contentType: string, body: Uint8Array<ArrayBuffer>): Prepared {
  // latin1 keeps different bytes different: each byte becomes one character.
  const etag = etagOf([contentType, Buffer.from(body).toString('latin1')])
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
