import { EngineError } from '../../engine/shared/index.ts'

/** Limits of a document of an issuer: milliseconds until it is complete, and bytes. */
const TIME = 5000
const MAX_BYTES = 512 << 10

/**
 * Fetches a JSON document of an issuer of tokens. It follows no redirect, so that only the configured host and the
 * host that it names are asked.
 * @throws EngineError `unavailable` if it is not there in time, or too large, or no JSON
 */
export async function fetchDocument(url: string): Promise<unknown> {
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(TIME),
    })
    if (response.status !== 200) {
      await response.body?.cancel()
      throw new Error(`its status is ${response.status}`)
    }
    return JSON.parse(await textOf(response))
  } catch (cause) {
    throw new EngineError('unavailable', `the document ${url} cannot be read`, { cause })
  }
}

async function textOf({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body ?? []) {
    bytes += part.length
    // Leaving the loop cancels the rest.
    if (bytes > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}
