import type { Release } from '../release/release.ts'
import { type Begun, LeasedBody, once } from './body.ts'
import type { CurrentRelease } from './current-release.ts'

/** A body that is made while it is taken. */
export interface SearchAnswer {
  readonly contentType: string
  readonly releaseId: string
  readonly body: AsyncIterable<Uint8Array>
  /** Bytes of the body, where they are known. */
  readonly length?: number
  /** Gives back what the body holds; again does no harm. */
  close(): Promise<void>
}

export interface SearchRun {
  readonly signal?: AbortSignal | undefined
}

/**
 * An answer from the current release, which stays open until the body has ended. What is complete
 * when it is made needs it no longer; what is not is stopped when the answer is closed.
 * @throws EngineError unavailable without a release; whatever `make` throws
 */
export async function leasedAnswer(
  current: CurrentRelease,
  contentType: string,
  { signal }: SearchRun,
  make: (release: Release, signal: AbortSignal) => Promise<Begun | Uint8Array>,
): Promise<SearchAnswer> {
  const lease = current.lease()
  const stop = new AbortController()
  try {
    const stopping = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
    const made = await make(lease.release, stopping)
    const releaseId = lease.release.id
    if (made instanceof Uint8Array) {
      lease.end()
      const { length } = made
      return { contentType, releaseId, body: once(made), length, close: () => Promise.resolve() }
    }
    const body = new LeasedBody(made, lease)
    const close = () => {
      stop.abort()
      return body.close()
    }
    return { contentType, releaseId, body, close }
  } catch (error) {
    lease.end()
    throw lease.fault(error)
  }
}
