import type { Socket } from 'node:net'
import { EngineError, LoopTurns } from '../../engine/shared/index.ts'

/** Half-life of received bytes when bodies are compared. */
const HALF_LIFE_MILLISECONDS = 2000
/** Age below which a body is not compared with others, because its client has had no time to send. */
const GRACE_MILLISECONDS = 1000
/**
 * Score (see Body.recent) of a body that arrives at 22 KiB per second, too slowly to complete a large body in
 * time. A faster body is dropped only in favour of even faster ones.
 */
const SLOW_BYTES = 64 * 1024
/** Score of a body that arrives at less than 400 bytes per second or has stopped. */
const STALLED_BYTES = 1024

interface InflowOptions {
  /** Maximum total size of all bodies in memory. */
  readonly maxBytes: number
  /** Monotonic clock in milliseconds. */
  readonly clock?: () => number
  /** Turns of the event loop, shared by the process. By default the instance has its own. */
  readonly turns?: LoopTurns | undefined
}

export interface Sender {
  /** Called when this body is dropped, because its client sends the least. */
  readonly giveUp: (error: EngineError) => void
  readonly socket?: Socket | undefined
}

/** A request body that is arriving or in memory. */
export interface Arrival {
  /**
   * Counts received bytes that stay in memory.
   * @throws EngineError `busy` if there is no memory left
   */
  hold(bytes: number): void
  /** Counts received bytes that do not stay in memory. */
  pass(bytes: number): void
  /** Tells that no more of the body will arrive. Its memory stays counted until `release`. */
  end(): void
  /** Releases the memory of the body. Further calls do nothing. */
  release(): void
}

/**
 * Tracks the request bodies of all clients. It limits their total memory and knows which client sends the least.
 * When a resource is short, the body of that client is dropped, so that stalling clients cannot shut out active
 * ones.
 */
export class Inflow {
  /** Turns of the event loop, for parsing large bodies and building long responses. */
  readonly turns: LoopTurns
  readonly #maxBytes: number
  readonly #clock: () => number
  readonly #arriving = new Set<Body>()
  #bytes = 0

  constructor({
    maxBytes,
    clock = () => performance.now(),
    turns = new LoopTurns(),
  }: InflowOptions) {
    this.turns = turns
    this.#maxBytes = maxBytes
    this.#clock = clock
  }

  /** Total size of bodies in memory. */
  get bytes(): number {
    return this.#bytes
  }

  begin(sender: Sender): Arrival {
    const body = new Body(sender, this.#clock())
    this.#arriving.add(body)
    const end = () => this.#arriving.delete(body)
    return {
      hold: (bytes) => {
        body.count(bytes, this.#clock())
        this.#freeSpace(bytes, body)
        body.held += bytes
        this.#bytes += bytes
      },
      pass: (bytes) => body.count(bytes, this.#clock()),
      end,
      release: () => {
        end()
        this.#forget(body)
      },
    }
  }

  /** Returns the connection of the slowest body if that body has almost stopped. */
  stalledSocket(): Socket | undefined {
    const slowest = this.#slowest(({ sender }) => sender.socket?.destroyed === false)
    const isStalled = slowest && slowest.recent(this.#clock()) < STALLED_BYTES
    return isStalled ? slowest.sender.socket : undefined
  }

  #freeSpace(bytes: number, growing: Body): void {
    // A single body may exceed the limit, because the size of each body is limited elsewhere.
    while (this.#bytes > growing.held && this.#bytes + bytes > this.#maxBytes) {
      const slowest = this.#slowest(({ held }) => held > 0)
      if (!slowest || slowest === growing || !this.#yields(slowest, growing)) throw noMemory()
      this.#arriving.delete(slowest)
      this.#forget(slowest)
      slowest.sender.giveUp(noMemory())
    }
  }

  #yields(slowest: Body, growing: Body): boolean {
    const now = this.#clock()
    return slowest.recent(now) < Math.max(SLOW_BYTES, growing.recent(now))
  }

  #slowest(isCandidate: (body: Body) => boolean): Body | undefined {
    const now = this.#clock()
    let slowest: Body | undefined
    for (const body of this.#arriving) {
      if (now - body.startedAt < GRACE_MILLISECONDS || !isCandidate(body)) continue
      if (!slowest || body.recent(now) < slowest.recent(now)) slowest = body
    }
    return slowest
  }

  #forget(body: Body): void {
    this.#bytes -= body.held
    body.held = 0
  }
}

class Body {
  readonly sender: Sender
  readonly startedAt: number
  held = 0
  #recent = 0
  #countedAt: number

  constructor(sender: Sender, now: number) {
    this.sender = sender
    this.startedAt = now
    this.#countedAt = now
  }

  /** Returns the received bytes, weighted by age. */
  recent(now: number): number {
    return this.#recent * 2 ** ((this.#countedAt - now) / HALF_LIFE_MILLISECONDS)
  }

  count(bytes: number, now: number): void {
    this.#recent = this.recent(now) + bytes
    this.#countedAt = now
  }
}

function noMemory(): EngineError {
  return new EngineError(
    'busy',
    'the bodies of all requests together are larger than the service may hold; send it again in a moment',
    { retryAfterSeconds: 5 },
  )
}
