import { once } from 'node:events'
import { StagingVersion } from '../../../engine/registry/staging/store/staging-version.ts'
import type { ByteStream } from '../../../engine/shared/index.ts'

/** How the engine's streams behave. */
export type Behaviour =
  | 'as they are'
  /** The stream is opened after the client has left. */
  | 'late'
  /** The stream never ends after its first chunk. */
  | 'endless'

/** Watches all streams that an engine returns, from whichever function. */
export class WatchedStreams {
  behaviour: Behaviour = 'as they are'
  opened = 0
  /** Streams that were disposed of, each counted once. */
  ended = 0
  /** The number of streams from which a second chunk is awaited. */
  waiting = 0

  /** Returns the service with its streams watched, including those of its members. */
  of<Service extends object>(service: Service, depth = 2): Service {
    return new Proxy(service, {
      get: (target, name): unknown => {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value === 'function') return this.#function(value, target)
        return depth > 0 && isService(value) ? this.of(value, depth - 1) : value
      },
    })
  }

  /** @param begun the signal of the call that opened this value, which applies to it as well */
  #function(act: CallableFunction, self: object, begun?: AbortSignal) {
    return (...given: readonly unknown[]): unknown => {
      const signal = signalOf(given) ?? begun
      const result: unknown = Reflect.apply(act, self, given)
      if (result instanceof StagingVersion) return this.of(result)
      return result instanceof Promise
        ? result.then((value: unknown) => this.#result(value, signal))
        : result
    }
  }

  async #result(value: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    if (isStream(value)) return this.#watch(value, signal)
    if (!isPlain(value)) return value
    // Stored files are opened in two steps: first the file, then its bytes.
    const members = Object.entries(value).map(([name, member]) => [
      name,
      typeof member === 'function' ? this.#function(member, value, signal) : member,
    ])
    // An object that holds resources before its bytes are opened keeps its own disposal.
    return { ...value, ...Object.fromEntries(members) }
  }

  async #watch(stream: ByteStream, signal: AbortSignal | undefined): Promise<ByteStream> {
    this.opened++
    const { behaviour } = this
    if (behaviour === 'late' && !signal?.aborted) await once(signal ?? new EventTarget(), 'abort')
    const gate = Promise.withResolvers<void>()
    let isEnded = false
    const held = async function* (watched: WatchedStreams): AsyncGenerator<Uint8Array> {
      for await (const chunk of stream.body) {
        yield chunk
        watched.waiting++
        await gate.promise
      }
    }
    return {
      ...stream,
      body: behaviour === 'endless' ? held(this) : stream.body,
      [Symbol.asyncDispose]: async () => {
        gate.resolve()
        await stream[Symbol.asyncDispose]()
        if (!isEnded) this.ended++
        isEnded = true
      },
    }
  }
}

function isStream(value: unknown): value is ByteStream {
  return typeof value === 'object' && value !== null && 'body' in value
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && Object.getPrototypeOf(value ?? 0) === Object.prototype
}

/** Whether a member of the engine is a service and not a plain value. */
function isService(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return !isPlain(value) && !(value instanceof Map)
}

function signalOf(given: readonly unknown[]): AbortSignal | undefined {
  for (const one of given) {
    if (isPlain(one) && one.signal instanceof AbortSignal) return one.signal
  }
  return undefined
}
