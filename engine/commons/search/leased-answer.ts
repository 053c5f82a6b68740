import type { Warnings } from '../../shared/input/warnings.ts'
import type { ByteSpan } from '../../shared/streams/byte-span.ts'
import { type ByteStream, generatedStream, wholeStream } from '../../shared/streams/byte-stream.ts'
import type { Release } from '../release/release.ts'
import type { Begun } from './body.ts'
import type { CurrentRelease } from './current-release.ts'
import type { BegunFile } from './parquet-files.ts'

/** A response made from a release. */
export interface SearchAnswer extends ByteStream {
  readonly contentType: string
  readonly releaseId: string
  /**
   * Opens a range of bytes of a response that is a file, if its length is known. The caller must dispose of the
   * response too.
   */
  readonly part?: ((span: ByteSpan) => ByteStream) | undefined
}

export interface SearchRun {
  readonly signal?: AbortSignal | undefined
  /** Collects warnings until the promise resolves. */
  readonly warnings?: Warnings | undefined
  /** Id of the release to search instead of the current one. */
  readonly release?: string | undefined
  /** Whether a response that is a file needs its length, because only a range of it is sent, or nothing. */
  readonly isSized?: boolean | undefined
}

/**
 * Makes a response from a release. `stopping` returns a signal that aborts a streamed body when the request
 * ends or the body is discarded.
 */
export type Making = (
  release: Release,
  stopping: () => AbortSignal,
) => Promise<Begun | BegunFile | Uint8Array>

/**
 * Makes a response from the current release, which stays open until the body has ended and its jobs have
 * settled.
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

/** Makes a response like `leasedAnswer`, optimised for bodies that are complete at once. */
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
    if (!('part' in made)) return { ...facts, ...stream }
    return { ...facts, ...stream, length: made.length, part: made.part }
  } catch (error) {
    lease.end()
    throw lease.errorOf(error)
  }
}

/** Calls a function when the response has ended or is discarded. */
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
