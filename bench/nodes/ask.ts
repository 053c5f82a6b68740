import { once } from 'node:events'
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http'

/** Asks a node one question; its answer goes by in chunks. */
export type Ask = (address: string, see?: (chunk: Buffer) => void) => Promise<void>

/**
 * Whoever asks takes processor time from nodes of the same machine. Answers are not collected: that takes
 * more than making them does.
 * @returns a question, to be asked over connections that are kept
 */
export function question(path: string, { body, ...options }: Question = {}): Ask {
  const agent = new Agent({ keepAlive: true, scheduling: 'fifo' })
  return async (address, see = () => {}) => {
    const asked = request(new URL(path, address), { agent, ...options })
    asked.end(body)
    const [response] = (await once(asked, 'response')) as [IncomingMessage]
    response.on('data', see)
    await once(response, 'end')
    // A slice is a part of a file.
    if (response.statusCode === 200 || response.statusCode === 206) return
    throw new Error(`${address}${path} is answered by ${response.statusCode}`)
  }
}

interface Question extends Pick<RequestOptions, 'method' | 'headers'> {
  readonly body?: string
}
