import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { NEWS_CHANNEL, type News, newsOf } from '../news.ts'

/** Milliseconds between two echoes, until an echo counts as lost, and before reconnecting. */
const PROOF_PAUSE = 1500
const PROOF_LIMIT = 3000
const RETRY_PAUSE = 1000

interface ListenerOptions {
  readonly url: string
  /** Monotonic clock in milliseconds. */
  readonly now: () => number
  readonly onNews: (news: News) => void
  /** Called when the connection is lost, because notifications may have been missed. */
  readonly onLost: () => void
}

/**
 * Listens to notifications of other nodes on a connection of its own. Regularly notifies itself, as an echo, to
 * prove that notifications arrive. The server delivers notifications in commit order, so an echo means that
 * those of all earlier commits have arrived. This also detects a connection pooler that breaks LISTEN.
 */
export class Listener {
  readonly #options: ListenerOptions
  readonly #closed = new AbortController()
  /** Name of the channel for the echo. No other listener uses it. */
  readonly #own = `casemill_${randomBytes(12).toString('hex')}`
  #running: Promise<void> | undefined
  #receivedUntil = Number.NEGATIVE_INFINITY

  constructor(options: ListenerOptions) {
    this.#options = options
  }

  /** Time up to which all committed notifications have been received. The first read starts listening. */
  get receivedUntil(): number {
    this.#running ??= this.#run()
    return this.#receivedUntil
  }

  async close(): Promise<void> {
    this.#closed.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed
    while (!signal.aborted) {
      await this.#listen().catch(() => {})
      this.#receivedUntil = Number.NEGATIVE_INFINITY
      this.#options.onLost()
      await sleep(RETRY_PAUSE, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  /** Listens until the connection is lost or closed. */
  async #listen(): Promise<void> {
    const { url, now, onNews } = this.#options
    const client = new pg.Client({
      connectionString: url,
      application_name: 'casemill',
      keepAlive: true,
      connectionTimeoutMillis: PROOF_LIMIT,
      query_timeout: PROOF_LIMIT,
    })
    const ending = new AbortController()
    const signal = AbortSignal.any([ending.signal, this.#closed.signal])
    client.on('error', () => ending.abort())
    client.on('end', () => ending.abort())
    let echo = () => {}
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === this.#own) return echo()
      const news = newsOf(payload)
      if (news) onNews(news)
    })
    try {
      await client.connect()
      await client.query(`LISTEN ${NEWS_CHANNEL}; LISTEN ${this.#own}`)
      while (!signal.aborted) {
        const sent = now()
        const received = new Promise<void>((resolve) => {
          echo = resolve
        })
        await client.query(`NOTIFY ${this.#own}`)
        await within(received, PROOF_LIMIT, signal)
        this.#receivedUntil = sent
        await sleep(PROOF_PAUSE, undefined, { signal, ref: false })
      }
    } finally {
      // The call is not awaited, because the server may not answer.
      client.end().catch(() => {})
    }
  }
}

async function within(
  received: Promise<void>,
  milliseconds: number,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController()
  const late = sleep(milliseconds, undefined, { signal: AbortSignal.any([over.signal, signal]) })
  const silence = late.then(() => {
    throw new Error('a notification did not arrive')
  })
  try {
    await Promise.race([received, silence])
  } finally {
    over.abort()
    silence.catch(() => {})
  }
}
