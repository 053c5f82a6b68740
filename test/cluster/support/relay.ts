import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'

// Passes connections on, so that a service on loopback is reached from a machine with another loopback:
// `node relay.ts HOST PORT TO-HOST TO-PORT`.

interface Place {
  readonly host: string
  readonly port: number
}

/** Passes each connection to one place on to another. */
export async function relay(at: Place, to: Place): Promise<Server> {
  const server = createServer((near) => {
    const far = connect(to)
    near.pipe(far).pipe(near)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  })
  server.unref()
  await once(server.listen(at), 'listening')
  return server
}

if (import.meta.main) {
  const [host = '', port, toHost = '', toPort] = process.argv.slice(2)
  const server = await relay({ host, port: Number(port) }, { host: toHost, port: Number(toPort) })
  server.ref()
}
