import type { Socket } from 'node:net'
import { EngineError, LoopTurns } from '../../engine/shared/index.ts'

/** What a body has brought counts half after so long, when bodies are compared. */
const HALF_LIFE_MILLISECONDS = 2000
/** A body is not compared with others before: its client has had no time to send. */
const GRACE_MILLISECONDS = 1000
/**
 * What a body brings lately (see Body.recent) when it comes at 22 KiB a second: too slow to be whole
 * in time, if it is large. Faster ones give way to none but to faster ones.
 */
const SLOW_BYTES = 64 * 1024
/** The same for a body that comes with less than 400 bytes a second, or has stopped. */
const STALLED_BYTES = 1024

export interface InflowOptions {
  /** Bytes of all bodies together that may be in memory. */
  readonly maxBytes: number
  /** Milliseconds that never go back. */
  readonly clock?: () => number
  /** Of the process; by default its own. */
  readonly turns?: LoopTurns | undefined
}

export interface Sender {
  /** Called when the body has to give way: its client sends least of all. */
  readonly giveUp: (error: EngineError) => void
  readonly socket?: Socket | undefined
}

/** One request body that is arriving, or has arrived and is in memory. */
export interface Arrival {
  /**
   * Counts bytes that came and are held in memory.
   * @throws EngineError `busy` when there is no memory left for them
   */
  hold(bytes: number): void
  /** Counts bytes that came and are not held. */
  pass(bytes: number): void
  /** Nothing more is waited for. */
  end(): void
  /** Nothing of it is in memory any more. Again does no harm. */
  release(): void
}

/**
 * The request bodies of all clients. Bounds what they hold in memory together, and knows which
 * client sends least: where there is too little of something, that one gives way, so that clients
 * who stall cannot shut out those who send.
 */
export class Inflow {
  /** In which large bodies are parsed, one in each, and long answers are made. */
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

  /** Bytes of bodies in memory. */
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

  /** The connection whose body has all but stopped, and comes slowest of all, if there is one. */
  stalledSocket(): Socket | undefined {
    const slowest = this.#slowest(({ sender }) => sender.socket?.destroyed === false)
    const isStalled = slowest && slowest.recent(this.#clock()) < STALLED_BYTES
    return isStalled ? slowest.sender.socket : undefined
  }

  #freeSpace(bytes: number, asking: Body): void {
    // One alone may have more: what a single body may have is bounded elsewhere.
    while (this.#bytes > asking.held && this.#bytes + bytes > this.#maxBytes) {
      const slowest = this.#slowest(({ held }) => held > 0)
      if (!slowest || slowest === asking || !this.#yields(slowest, asking)) throw noMemory()
      this.#arriving.delete(slowest)
      this.#forget(slowest)
      slowest.sender.giveUp(noMemory())
    }
  }

  #yields(slowest: Body, asking: Body): boolean {
    const now = this.#clock()
    return slowest.recent(now) < Math.max(SLOW_BYTES, asking.recent(now))
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

  /** Bytes that came, the older the less. */
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
