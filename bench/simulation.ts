import { type Random, randomFrom } from '../fixtures/random.ts'

// What becomes of thousands of slices at a time on many nodes, as discrete events: clients, a balancer, nodes
// with a main thread and a pool, a database and a bucket, and what fails of them. Times are milliseconds.
// `npm run bench -- nodes --only loads` holds it against real nodes.

/** What one slice costs; bench/nodes/loads.ts finds it. */
export interface Costs {
  /** Of a node's main thread: all but its bytes. */
  readonly main: number
  /** Of a main thread that was idle, in addition. */
  readonly wake: number
  /** Of a thread of its pool: the edges. */
  readonly edge: number
  /** Of the client's own processors, where it runs on the node's machine; else 0. */
  readonly client: number
  /** Waited for, with no processor: network, database, timers. */
  readonly latency: number
  /** Bytes that a main thread writes in a millisecond. */
  readonly bytesPerMs: number
  /** Standard deviation of the logarithm of a cost. */
  readonly spread: number
}

/** Assumed: of the order of a small slice over HTTP on two processors, and the rate of large ones. */
const COSTS: Costs = {
  main: 0.9,
  wake: 0,
  edge: 0.4,
  client: 0,
  latency: 0.4,
  bytesPerMs: 1_200_000,
  spread: 0.3,
}

/** Something that fails, from `at` on, for `lasts`. */
type Failure =
  | {
      readonly kind: 'nodes die'
      readonly at: number
      readonly share: number
      readonly lasts: number
    }
  | { readonly kind: 'database away'; readonly at: number; readonly lasts: number }
  | {
      readonly kind: 'bucket slow'
      readonly at: number
      readonly lasts: number
      readonly factor: number
    }

export interface Setting {
  readonly seed: number
  readonly nodes: number
  /** Of each node's machine. */
  readonly cores: number
  /** Whether all nodes, and the clients, are on one machine. */
  readonly onOneMachine: boolean
  /** Threads of each node's pool. */
  readonly threads: number
  /** Clients that ask again as soon as they are answered. */
  readonly clients: number
  /** Median of a slice's bytes, and the standard deviation of their logarithm. */
  readonly bytes: { readonly median: number; readonly spread: number }
  /** Bytes that a client takes in a millisecond. */
  readonly clientBytesPerMs: number
  readonly costs: Costs
  /** Slices of a node at a time, and waiting for that; beyond it 503. */
  readonly gate: { readonly active: number; readonly waiting: number }
  readonly balancer: {
    /** Requests of a node at a time; more wait in the balancer. */
    readonly maxPerNode: number
    readonly queueMs: number
    readonly checkMs: number
    /** Failed checks after which a node is out. */
    readonly fall: number
  }
  readonly database: {
    readonly servers: number
    readonly serviceMs: number
    /** Share of requests that a node's own cache answers. */
    readonly hits: number
  }
  readonly bucket: {
    readonly firstByteMs: number
    readonly bytesPerMs: number
    /** Of all streams together. */
    readonly totalBytesPerMs: number
  }
  readonly retry: {
    readonly firstMs: number
    readonly mostMs: number
    /** Of `Retry-After`, which a 503 has. */
    readonly toldMs: number
  }
  readonly failures: readonly Failure[]
  /** Not counted. */
  readonly warmMs: number
  readonly lastsMs: number
}

interface Outcome {
  readonly slices: number
  readonly perSecond: number
  /** Under way on average, from the first try to the last byte. */
  readonly underWay: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  /** Answers of 503 for each slice. */
  readonly refused: number
  /** Bodies that were cut, for each slice. */
  readonly cut: number
  /** After the last failure was over, until a second had the slices that one had before the first. */
  readonly recoveryMs: number | undefined
}

export const SMALL_CLUSTER: Setting = {
  seed: 1,
  nodes: 10,
  cores: 8,
  onOneMachine: false,
  threads: 6,
  clients: 10_000,
  bytes: { median: 2_000_000, spread: 1.2 },
  clientBytesPerMs: 20_000,
  costs: COSTS,
  gate: { active: 64, waiting: 512 },
  balancer: { maxPerNode: 512, queueMs: 10_000, checkMs: 1000, fall: 2 },
  database: { servers: 16, serviceMs: 0.07, hits: 0.9 },
  bucket: { firstByteMs: 30, bytesPerMs: 100_000, totalBytesPerMs: 50_000_000 },
  retry: { firstMs: 500, mostMs: 30_000, toldMs: 5000 },
  failures: [],
  warmMs: 10_000,
  lastsMs: 60_000,
}

/** Bytes of one piece of a slice, as nodes send it (ADR 5). */
const PIECE = 2 << 20
/** Pieces of a slice that are fetched ahead. */
const AHEAD = 2

type Act = () => void

/** What happens when, in order; of equal times what was told first. */
export class Events {
  now = 0
  readonly #heap: { readonly at: number; readonly number: number; readonly act: Act }[] = []
  #told = 0

  after(milliseconds: number, act: Act): void {
    const heap = this.#heap
    let child = heap.length
    const event = { at: this.now + milliseconds, number: this.#told++, act }
    heap.push(event)
    while (child > 0) {
      const parent = (child - 1) >> 1
      if (!before(event, heap[parent]!)) break
      heap[child] = heap[parent]!
      child = parent
    }
    heap[child] = event
  }

  run(until: number): void {
    for (let next = this.#heap[0]; next && next.at <= until; next = this.#heap[0]) {
      this.#take()
      this.now = next.at
      next.act()
    }
    this.now = until
  }

  #take(): void {
    const heap = this.#heap
    const last = heap.pop()
    if (!last || heap.length === 0) return
    let parent = 0
    for (;;) {
      let child = 2 * parent + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++
      if (!before(heap[child]!, last)) break
      heap[parent] = heap[child]!
      parent = child
    }
    heap[parent] = last
  }
}

const before = (
  a: { readonly at: number; readonly number: number },
  b: { readonly at: number; readonly number: number },
) => a.at < b.at || (a.at === b.at && a.number < b.number)

/** First in, first out; removal from the front costs nothing. */
class Line<Item> {
  #items: Item[] = []
  #first = 0

  get length(): number {
    return this.#items.length - this.#first
  }

  push(item: Item): void {
    this.#items.push(item)
  }

  shift(): Item | undefined {
    const item = this.#items[this.#first]
    if (item === undefined) return undefined
    this.#first++
    if (this.#first > 1024 && this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first)
      this.#first = 0
    }
    return item
  }
}

/** So many servers with one line before them. */
export class Station {
  readonly #events: Events
  readonly #line = new Line<{ readonly lasts: number; readonly act: Act }>()
  #free: number

  constructor(events: Events, servers: number) {
    this.#events = events
    this.#free = servers
  }

  do(lasts: number, act: Act): void {
    this.#line.push({ lasts, act })
    this.#next()
  }

  #next(): void {
    if (this.#free === 0) return
    const work = this.#line.shift()
    if (!work) return
    this.#free--
    this.#events.after(work.lasts, () => {
      this.#free++
      work.act()
      this.#next()
    })
  }
}

/** Threads of a process, which take turns on the processors of a machine. */
class Threads {
  readonly #machine: Station
  readonly #line = new Line<{ readonly lasts: number; readonly act: Act }>()
  #free: number

  constructor(machine: Station, threads: number) {
    this.#machine = machine
    this.#free = threads
  }

  /** Whether nothing is to be done. */
  get isIdle(): boolean {
    return this.#free > 0 && this.#line.length === 0
  }

  do(lasts: number, act: Act): void {
    if (lasts <= 0) {
      act()
      return
    }
    this.#line.push({ lasts, act })
    this.#next()
  }

  #next(): void {
    if (this.#free === 0) return
    const work = this.#line.shift()
    if (!work) return
    this.#free--
    this.#machine.do(work.lasts, () => {
      this.#free++
      work.act()
      this.#next()
    })
  }
}

/** A server; `life` counts its starts, so that what an earlier one did is void. */
interface Node {
  readonly main: Threads
  readonly pool: Threads
  readonly waiting: Line<Act>
  life: number
  isUp: boolean
  /** As the balancer knows it. */
  isIn: boolean
  failedChecks: number
  /** Requests that the balancer has given it. */
  requests: number
  active: number
}

interface Attempt {
  readonly bytes: number
  readonly done: Act
  readonly refused: Act
  readonly cut: Act
}

/** Simulates a setting. Equal settings give equal outcomes. */
export function simulate(setting: Setting): Outcome {
  return new Simulation(setting).run()
}

class Simulation {
  readonly #setting: Setting
  readonly #events = new Events()
  readonly #random: Random
  readonly #nodes: readonly Node[]
  /** One thread, where it counts at all. */
  readonly #clients: Threads
  readonly #database: Station
  /** One server: the rate of all streams together. */
  readonly #bucket: Station
  readonly #queue = new Line<{
    readonly attempt: Attempt
    readonly since: number
    given: boolean
  }>()
  readonly #durations: number[] = []
  readonly #perSecond: number[] = []
  #refusals = 0
  #cuts = 0
  #isDatabaseAway = false
  #bucketFactor = 1

  constructor(setting: Setting) {
    this.#setting = setting
    this.#random = randomFrom(setting.seed)
    const { cores, onOneMachine, threads, nodes, database } = setting
    const machine = () => new Station(this.#events, cores)
    const shared = machine()
    this.#clients = new Threads(shared, 1)
    this.#database = new Station(this.#events, database.servers)
    this.#bucket = new Station(this.#events, 1)
    this.#nodes = Array.from({ length: nodes }, () => {
      const own = onOneMachine ? shared : machine()
      return {
        main: new Threads(own, 1),
        pool: new Threads(own, threads),
        waiting: new Line<Act>(),
        life: 0,
        isUp: true,
        isIn: true,
        failedChecks: 0,
        requests: 0,
        active: 0,
      }
    })
  }

  run(): Outcome {
    const { clients, failures, warmMs, lastsMs } = this.#setting
    // Not all in one moment: nobody's clients begin so.
    for (let i = 0; i < clients; i++) {
      this.#events.after((warmMs / 4) * this.#random.unit(), () => this.#client())
    }
    for (const failure of failures)
      this.#events.after(warmMs + failure.at, () => this.#fail(failure))
    if (failures.length > 0) this.#check()
    this.#events.run(warmMs + lastsMs)
    return this.#outcome()
  }

  /** A cost, which varies. */
  #varied(cost: number): number {
    const { spread } = this.#setting.costs
    // The mean of a lognormal is above its median.
    return cost * Math.exp(this.#random.normal(0, spread) - (spread * spread) / 2)
  }

  #client(): void {
    const { bytes, warmMs } = this.#setting
    const size = Math.max(1000, bytes.median * Math.exp(this.#random.normal(0, bytes.spread)))
    const since = this.#events.now
    this.#insist(size, 0, () => {
      const at = this.#events.now - warmMs
      if (at >= 0) {
        this.#durations.push(this.#events.now - since)
        const second = Math.floor(at / 1000)
        this.#perSecond[second] = (this.#perSecond[second] ?? 0) + 1
      }
      this.#client()
    })
  }

  /** Tries until it is done: what is cut goes on after a pause, what is refused when it was told. */
  #insist(bytes: number, tries: number, done: Act): void {
    const { retry, costs, warmMs } = this.#setting
    const again = (least: number) => {
      const most = Math.min(retry.mostMs, retry.firstMs * 2 ** tries)
      const pause = least + most * this.#random.unit()
      this.#events.after(pause, () => this.#insist(bytes, tries + 1, done))
    }
    const isCounted = () => this.#events.now >= warmMs
    const attempt: Attempt = {
      bytes,
      done,
      refused: () => {
        if (isCounted()) this.#refusals++
        again(retry.toldMs)
      },
      cut: () => {
        if (isCounted()) this.#cuts++
        again(0)
      },
    }
    const sent = () => this.#events.after(this.#varied(costs.latency), () => this.#balance(attempt))
    this.#clients.do(this.#varied(costs.client), sent)
  }

  /** To the node with the fewest requests, else into the queue. */
  #balance(attempt: Attempt): void {
    const node = this.#least()
    if (node) {
      this.#give(node, attempt)
      return
    }
    const { queueMs } = this.#setting.balancer
    const waiting = { attempt, since: this.#events.now, given: false }
    this.#queue.push(waiting)
    this.#events.after(queueMs, () => {
      if (waiting.given) return
      waiting.given = true
      attempt.refused()
    })
  }

  #least(): Node | undefined {
    const { maxPerNode } = this.#setting.balancer
    let least: Node | undefined
    for (const node of this.#nodes) {
      if (!node.isIn || node.requests >= maxPerNode) continue
      if (!least || node.requests < least.requests) least = node
    }
    return least
  }

  #give(node: Node, attempt: Attempt): void {
    node.requests++
    const { life } = node
    const over = (act: Act) => {
      if (node.life === life) {
        node.requests--
        this.#giveNext()
      }
      act()
    }
    // A connection that is refused is tried at another node.
    if (node.isUp) this.#slice(node, attempt, over)
    else over(() => this.#events.after(1, () => this.#balance(attempt)))
  }

  #giveNext(): void {
    const node = this.#least()
    if (!node) return
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      if (next.given) continue
      next.given = true
      this.#give(node, next.attempt)
      return
    }
  }

  #slice(node: Node, attempt: Attempt, over: (act: Act) => void): void {
    const { costs, gate, database } = this.#setting
    const { life } = node
    /** Of a node that died the client learns when its connection breaks. */
    const alive = (act: Act) => () => {
      if (node.life === life) act()
      else over(attempt.cut)
    }
    const left = (act: Act) => {
      if (node.life === life) {
        node.active--
        node.waiting.shift()?.()
      }
      over(act)
    }
    const send = () => this.#send(node, attempt.bytes, alive, () => left(attempt.done))
    const enter = () => {
      node.active++
      node.pool.do(this.#varied(costs.edge), alive(send))
    }
    const admitted = () => {
      if (node.active < gate.active) enter()
      else if (node.waiting.length < gate.waiting) node.waiting.push(alive(enter))
      else over(attempt.refused)
    }
    const asked = () => {
      if (this.#random.chance(database.hits)) admitted()
      else if (this.#isDatabaseAway) over(attempt.refused)
      else this.#database.do(this.#varied(database.serviceMs), alive(admitted))
    }
    const woken = node.main.isIdle ? costs.wake : 0
    node.main.do(this.#varied(costs.main + woken), alive(asked))
  }

  /** Piece after piece: out of the bucket, through the main thread, over the client's line. */
  #send(node: Node, bytes: number, alive: (act: Act) => Act, done: Act): void {
    const { costs, bucket, clientBytesPerMs } = this.#setting
    const pieces = Math.ceil(bytes / PIECE)
    const sizeOf = (i: number) => (i < pieces - 1 ? PIECE : bytes - PIECE * (pieces - 1))
    let fetched = 0
    let fetching = 0
    let sent = 0
    let isSending = false
    const fetch = () => {
      if (fetching >= pieces || fetching - sent > AHEAD) return
      const size = sizeOf(fetching++)
      const one = bucket.firstByteMs + size / bucket.bytesPerMs
      // What all streams may have together is shared; what one takes besides is its own time.
      this.#bucket.do(size / bucket.totalBytesPerMs, () =>
        this.#events.after(
          this.#varied(one) * this.#bucketFactor,
          alive(() => {
            fetched++
            send()
          }),
        ),
      )
      fetch()
    }
    const send = () => {
      if (isSending || sent >= fetched) return
      isSending = true
      const size = sizeOf(sent)
      node.main.do(
        size / costs.bytesPerMs,
        alive(() =>
          this.#events.after(
            size / clientBytesPerMs,
            alive(() => {
              isSending = false
              sent++
              if (sent === pieces) {
                done()
                return
              }
              fetch()
              send()
            }),
          ),
        ),
      )
    }
    fetch()
  }

  /** The balancer looks at all nodes, again and again. */
  #check(): void {
    const { checkMs, fall } = this.#setting.balancer
    for (const node of this.#nodes) {
      node.failedChecks = node.isUp ? 0 : node.failedChecks + 1
      if (node.isUp) node.isIn = true
      else if (node.failedChecks >= fall) node.isIn = false
    }
    for (let i = this.#nodes.length; i > 0; i--) this.#giveNext()
    this.#events.after(checkMs, () => this.#check())
  }

  #fail(failure: Failure): void {
    if (failure.kind === 'nodes die') {
      const dead = this.#nodes.slice(0, Math.ceil(this.#nodes.length * failure.share))
      for (const node of dead) {
        node.isUp = false
        node.life++
        node.requests = 0
        node.active = 0
        for (let next = node.waiting.shift(); next; next = node.waiting.shift()) next()
      }
      this.#events.after(failure.lasts, () => {
        for (const node of dead) node.isUp = true
      })
    } else if (failure.kind === 'database away') {
      this.#isDatabaseAway = true
      this.#events.after(failure.lasts, () => {
        this.#isDatabaseAway = false
      })
    } else {
      this.#bucketFactor = failure.factor
      this.#events.after(failure.lasts, () => {
        this.#bucketFactor = 1
      })
    }
  }

  #outcome(): Outcome {
    const { lastsMs, clients } = this.#setting
    const sorted = Float64Array.from(this.#durations).sort()
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN
    const total = sorted.reduce((sum, duration) => sum + duration, 0)
    const slices = sorted.length
    return {
      slices,
      perSecond: (slices * 1000) / lastsMs,
      underWay: Math.min(clients, total / lastsMs),
      p50: at(0.5),
      p95: at(0.95),
      p99: at(0.99),
      refused: this.#refusals / Math.max(1, slices),
      cut: this.#cuts / Math.max(1, slices),
      recoveryMs: this.#recovery(),
    }
  }

  #recovery(): number | undefined {
    const { failures } = this.#setting
    if (failures.length === 0) return undefined
    const first = Math.min(...failures.map(({ at }) => at))
    const last = Math.max(...failures.map(({ at, lasts }) => at + lasts))
    const seconds = this.#perSecond.slice(0, Math.floor(first / 1000))
    const usual = seconds.reduce((sum, count) => sum + count, 0) / Math.max(1, seconds.length)
    const whole = Math.ceil(last / 1000)
    const after = this.#perSecond.slice(whole).findIndex((count) => count >= 0.9 * usual)
    return after < 0 ? Number.POSITIVE_INFINITY : whole * 1000 - last + after * 1000
  }
}

/** What `node bench/simulation.ts` prints: how 10,000 slices at a time fare. */
const SCENARIOS: readonly (readonly [string, Partial<Setting>])[] = [
  ...[10, 30, 100, 300, 1000].map((nodes) => [`${nodes} nodes`, { nodes }] as const),
  ['10 nodes, 128 of each', { balancer: { ...SMALL_CLUSTER.balancer, maxPerNode: 128 } }],
  ['10 nodes, 2,000 of each', { balancer: { ...SMALL_CLUSTER.balancer, maxPerNode: 2000 } }],
  [
    '30 nodes, 3 die for 15 s',
    { nodes: 30, failures: [{ kind: 'nodes die', at: 15_000, share: 0.1, lasts: 15_000 }] },
  ],
  [
    '30 nodes, 15 die for 15 s',
    { nodes: 30, failures: [{ kind: 'nodes die', at: 15_000, share: 0.5, lasts: 15_000 }] },
  ],
  [
    '30 nodes, no database for 20 s',
    { nodes: 30, failures: [{ kind: 'database away', at: 15_000, lasts: 20_000 }] },
  ],
  [
    '30 nodes, bucket ten times slower for 20 s',
    { nodes: 30, failures: [{ kind: 'bucket slow', at: 15_000, lasts: 20_000, factor: 10 }] },
  ],
]

if (import.meta.main) {
  const cells = ['setting', 'slices/s', 'p50 s', 'p99 s', '503/slice', 'cut/slice', 'recovery s']
  process.stdout.write(`| ${cells.join(' | ')} |\n|${'---|'.repeat(cells.length)}\n`)
  for (const [name, change] of SCENARIOS) {
    const outcome = simulate({ ...SMALL_CLUSTER, ...change })
    const { perSecond, p50, p99, refused, cut, recoveryMs } = outcome
    const row = [
      ...[name, perSecond.toFixed(0), (p50 / 1000).toFixed(2), (p99 / 1000).toFixed(1)],
      ...[refused.toFixed(3), cut.toFixed(4)],
      recoveryMs === undefined ? '' : (recoveryMs / 1000).toFixed(0),
    ]
    process.stdout.write(`| ${row.join(' | ')} |\n`)
  }
}
