import { type Agent, request } from 'node:http'
import type { FuzzedRequest } from './fuzzed-requests.ts'

/** How a request ended: with a status, cut off by the client, or cut off by the server. */
export type Ending = number | 'left' | 'broken'

/** Far longer than any answer takes on a busy machine. */
const MAX_SILENCE_MS = 240_000

/** Sends a request and reads its answer to the end, or leaves at the point that the request names. */
export function sendFuzzed(
  address: string,
  agent: Agent,
  { method, target, headers, body, cut }: FuzzedRequest,
): Promise<Ending> {
  const { hostname, port } = new URL(address)
  return new Promise((resolve, reject) => {
    const length = body ? { 'content-length': body.length } : {}
    const options = { hostname, port, agent, method, path: target }
    const sent = request({ ...options, headers: { ...headers, ...length } })
    sent.setTimeout(MAX_SILENCE_MS, () => reject(new Error(`no answer to ${method} ${target}`)))
    sent.on('error', () => resolve(cut === undefined ? 'broken' : 'left'))
    sent.on('response', (response) => {
      const end = (ending: Ending) => () => resolve(ending)
      response.on('error', end(cut === undefined ? 'broken' : 'left'))
      if (cut === 'in the answer') {
        response.once('data', () => sent.destroy())
        response.on('end', end('left')).on('close', end('left'))
      } else {
        response.on('end', end(response.statusCode ?? 0)).resume()
      }
    })
    if (cut === 'in its body') {
      sent.write(body?.subarray(0, body.length >> 1))
      setTimeout(() => sent.destroy(), 5)
    } else sent.end(body)
  })
}
