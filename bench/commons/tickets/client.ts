import { Agent, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { NamedInterval } from '../../../engine/shared/input/region.ts'
import type { HtsgetUrl } from '../../../server/ga4gh/htsget-answer.ts'
import { regionText } from '../slicing/layout.ts'

export interface Ticket {
  readonly htsget: { readonly format: string; readonly urls: readonly HtsgetUrl[] }
}

/** Takes what comes; left out, it is dropped. */
export type Sink = (bytes: Uint8Array) => void

type Headers = Readonly<Record<string, string>>

interface Asked {
  readonly headers?: Headers
  /** Makes it a POST of JSON. */
  readonly body?: object
}

const INLINE = /^data:;base64,/
const drop: Sink = () => {}

/** A client that does one thing after the other over one connection, as htslib does. */
export class Client {
  readonly #address: string
  readonly #fileId: string
  readonly #token: Headers
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })

  constructor(address: string, fileId: string, token: string) {
    this.#address = address
    this.#fileId = fileId
    this.#token = { 'x-auth-token': token }
  }

  /**
   * Takes a slice; gives the milliseconds until its first byte.
   * @throws Error when it does not come in full
   */
  async slice(intervals: readonly NamedInterval[], sink = drop): Promise<number> {
    const start = performance.now()
    const url = `${this.#address}/slicing/view/${this.#fileId}`
    const body = { regions: intervals.map(regionText) }
    const response = await this.#ask(url, { headers: this.#token, body })
    let firstByte = 0
    await this.#take(response, 206, (bytes) => {
      firstByte ||= performance.now() - start
      sink(bytes)
    })
    return firstByte
  }

  /** The text of a ticket; undefined where one does not hold what it would have to. */
  async ticket(intervals: readonly NamedInterval[]): Promise<Buffer | undefined> {
    const regions = intervals.map(({ reference, start, end }) => {
      return { referenceName: reference, start, end }
    })
    const url = `${this.#address}/reads/${this.#fileId}`
    const response = await this.#ask(url, { headers: this.#token, body: { regions } })
    const text = await buffer(response)
    if (response.statusCode === 413) return undefined
    if (response.statusCode === 200) return text
    throw new Error(`${url} is answered by ${response.statusCode}: ${text.subarray(0, 500)}`)
  }

  /** A link to the whole file, of which any ranges can be fetched. */
  async link(): Promise<HtsgetUrl> {
    const url = `${this.#address}/reads/${this.#fileId}`
    const { htsget } = readTicket(await buffer(await this.#ask(url, { headers: this.#token })))
    return htsget.urls[0]!
  }

  /**
   * Takes what a ticket names, part after part.
   * @throws Error when a part does not come in full
   */
  async parts({ htsget }: Ticket, sink = drop): Promise<void> {
    for (const { url, headers } of htsget.urls) {
      if (INLINE.test(url)) sink(Buffer.from(url.replace(INLINE, ''), 'base64'))
      else {
        // Blocks that are made, and not ranges of the file, have a URL of their own.
        const status = headers && 'Range' in headers ? 206 : 200
        await this.#take(await this.#ask(url, { ...(headers && { headers }) }), status, sink)
      }
    }
  }

  close(): void {
    this.#agent.destroy()
  }

  #ask(url: string, { headers = {}, body }: Asked): Promise<IncomingMessage> {
    const text = body && JSON.stringify(body)
    const options = {
      agent: this.#agent,
      method: text === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...(text !== undefined && { 'content-type': 'application/json' }) },
    }
    return new Promise((resolve, reject) => {
      request(url, options, resolve).on('error', reject).end(text)
    })
  }

  /** An answer that breaks off throws, whether it has a length or comes in chunks. */
  async #take(response: IncomingMessage, status: number, sink: Sink): Promise<void> {
    if (response.statusCode !== status) {
      const text = (await buffer(response)).subarray(0, 500)
      throw new Error(`status ${response.statusCode} instead of ${status}: ${text}`)
    }
    for await (const bytes of response) sink(bytes as Buffer)
  }
}

export const readTicket = (text: Buffer): Ticket => JSON.parse(text.toString()) as Ticket

/** Returns the number of bytes that are in a ticket itself. */
export function inlinedBytes({ htsget }: Ticket): number {
  const inlined = htsget.urls.filter(({ url }) => INLINE.test(url))
  return inlined.reduce((sum, { url }) => {
    return sum + Buffer.from(url.replace(INLINE, ''), 'base64').length
  }, 0)
}
