import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** Passes everything on to a server but the two queries of the transfer client, which it answers. */
export async function withGraph(
  target: () => string,
  fileOf: (id: string) => Promise<Readonly<Record<string, string>> | undefined>,
) {
  const server = createServer(async (incoming, outgoing) => {
    if (incoming.url === '/v0/submission/graphql') {
      const { query } = (await json(incoming)) as { query: string }
      const [, type = '', id = ''] = /\{ (\w+) \(id: "([^"]*)"\)/.exec(query) ?? []
      const file = await fileOf(id)
      outgoing.end(JSON.stringify({ data: { [type]: file ? [file] : [] } }))
      return
    }
    const { method, headers, url } = incoming
    const passed = request(`${target()}${url}`, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { address, close: () => void server.close() }
}
