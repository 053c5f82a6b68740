import type { Warnings } from '../../shared/input/warnings.ts'
import type { ByteSpan } from '../../shared/streams/byte-span.ts'
import { type ByteStream, generatedStream, wholeStream } from '../../shared/streams/byte-stream.ts'
import type { Release } from '../release/release.ts'
import type { Begun } from './body.ts'
import type { CurrentRelease } from './current-release.ts'

/** What is answered from a release. */
export interface SearchAnswer extends ByteStream {
  readonly contentType: string
  readonly releaseId: string
  /**
   * Some of its bytes, in place of all of them, of an answer that is a file. Whoever asks disposes of
   * both.
   */
  readonly part?: ((span: ByteSpan) => ByteStream) | undefined
}

export interface SearchRun {
  readonly signal?: AbortSignal | undefined
  /** Takes what is said besides the answer; complete when the call resolves. */
  readonly warnings?: Warnings | undefined
  /** Of searches: the release to answer from, in place of the current one. */
  readonly release?: string | undefined
}

/**
 * Makes an answer from a release. `stopping` gives the signal by which a body that is made while it is
 * taken is stopped, when the request ends or nobody wants it any more.
 */
export type Making = (release: Release, stopping: () => AbortSignal) => Promise<Begun | Uint8Array>

/**
 * An answer from the current release, which stays open until the answer has ended and its jobs have
 * settled. What is complete when it is made needs it no longer.
 * @throws EngineError unavailable without a release; whatever `make` throws
 */
export function leasedAnswer(
  current: CurrentRelease,
  contentType: string,
  run: SearchRun,
  make: (release: Release, signal: AbortSignal) => Promise<Begun | Uint8Array>,
): Promise<SearchAnswer> {
  return smallOrLeased(current, contentType, run, (release, stopping) => make(release, stopping()))
}

/** As `leasedAnswer`, where many answers are whole when they are made. */
export async function smallOrLeased(
  current: CurrentRelease,
  contentType: string,
  { signal, release: named }: SearchRun,
  make: Making,
): Promise<SearchAnswer> {
  const lease = named === undefined ? current.lease() : await current.leaseNamed(named)
  let stop: AbortController | undefined
  const stopping = () => {
    stop ??= new AbortController()
    return signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
  }
  try {
    const made = await make(lease.release, stopping)
    const facts = { contentType, releaseId: lease.release.id }
    if (made instanceof Uint8Array) {
      lease.end()
      return { ...facts, ...wholeStream(made) }
    }
    const stream = generatedStream(made, {
      stop: () => stop?.abort(),
      giveBack: () => lease.end(),
      errorOf: (error) => lease.errorOf(error),
    })
    return { ...facts, ...stream }
  } catch (error) {
    lease.end()
    throw lease.errorOf(error)
  }
}

/** The answer, with something to do when it has ended or is given up. */
export function withEnd(answer: SearchAnswer, end: () => void): SearchAnswer {
  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      yield* answer.body
    } finally {
      end()
    }
  }
  return {
    ...answer,
    body: body(),
    [Symbol.asyncDispose]: () => answer[Symbol.asyncDispose]().finally(end),
  }
}
