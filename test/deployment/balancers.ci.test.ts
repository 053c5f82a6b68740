import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProgram } from '../../bin/support/program.ts'
import { available } from '../available.ts'
import { sendRaw } from '../clients/raw-request.ts'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'
import { startHaproxy } from './haproxy.ts'
import { startNginx } from './nginx.ts'
import { OPERATORS_PATHS, REFUSALS } from './operators-paths.ts'

// Servers behind the documented balancers start and stop without any client noticing.

interface Node {
  readonly address: string
  /** The number of requests it has answered. */
  answered(): number
  hasEnded(): boolean
  /** Ends the server and returns its status. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Starts a server of an empty folder, at the given address if there is one. */
async function startNode(data: string, address = 'http://127.0.0.1:0'): Promise<Node> {
  const { port } = new URL(address)
  const child = startProgram(['serve', '--port', port, '--data', data, '--threads', '1'], {
    CASEMILL_DRAIN_LEAD_SECONDS: '5',
    CASEMILL_LOG_FORMAT: 'json',
    CASEMILL_TRUSTED_PROXIES: '1',
  })
  const ended = once(child, 'exit')
  let answered = 0
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.includes('"route":"/status"')) answered++
  })
  const output = createInterface({ input: child.stdout })
  const [line] = await Promise.race([once(output, 'line'), ended])
  const listening = /http:\/\/\S+/.exec(String(line))?.[0]
  if (listening === undefined) throw new Error(`it does not start: ${line}`)
  await eventually(async () => {
    expect((await fetch(`${listening}/health/ready`)).status).toBe(200)
  })
  return {
    address: listening,
    answered: () => answered,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    async end(signal) {
      child.kill(signal)
      const [status] = await ended
      return status
    },
  }
}

interface Balancer {
  readonly address: string
  close(): Promise<void>
}

interface Bounds {
  /** The approximate number of requests per minute of a client. */
  readonly perMinute: number
}

/** The three servers of the documentation: two that run, and one that never starts. */
const threeOf = async (nodes: readonly Node[]) => ({
  '192.0.2.11:8080': new URL(nodes[0]!.address).host,
  '192.0.2.12:8080': new URL(nodes[1]!.address).host,
  '192.0.2.13:8080': `127.0.0.1:${await freePort()}`,
})

async function haproxy(nodes: readonly Node[], { perMinute }: Bounds): Promise<Balancer> {
  const port = await freePort()
  const proxy = await startHaproxy({
    ...(await threeOf(nodes)),
    'bind :8000': `bind 127.0.0.1:${port}`,
    'bind :5432': `bind 127.0.0.1:${await freePort()}`,
    'gt 6000': `gt ${perMinute}`,
  })
  const address = `http://127.0.0.1:${port}`
  try {
    await eventually(async () => {
      await (await fetch(`${address}/health/live`)).text()
      // Until then, two servers may be down at once.
      expect(proxy.said()).toContain('Server servers/three is DOWN')
    })
  } catch (error) {
    await proxy.close()
    throw new Error(`HAProxy does not answer: ${proxy.said()}`, { cause: error })
  }
  return { address, close: proxy.close }
}

async function nginx(nodes: readonly Node[], { perMinute }: Bounds): Promise<Balancer> {
  return startNginx('nginx/casemill-balancer.conf', {
    ...(await threeOf(nodes)),
    'rate=100r/s': `rate=${perMinute}r/m`,
    'burst=500': `burst=${perMinute}`,
  })
}

const BALANCERS = [
  { name: 'HAProxy', isThere: available.haproxy, start: haproxy },
  { name: 'nginx', isThere: available.nginx, start: nginx },
]

const FREE = { perMinute: 1_000_000 }
const CLIENTS = 4
const PAUSE_MS = 30

let folder = ''
let nodes: Node[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-balancers-'))
  nodes = await Promise.all(['a', 'b'].map((name) => startNode(join(folder, name))))
})
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.end('SIGKILL')))
  await rm(folder, { recursive: true, force: true })
})

describe.each(BALANCERS.filter(({ isThere }) => isThere))('behind $name', ({ start }) => {
  let balancer: Balancer
  beforeAll(async () => {
    const [, second] = nodes as [Node, Node]
    // The server was killed in the test of the previous balancer.
    if (second.hasEnded()) nodes[1] = await startNode(join(folder, 'b'), second.address)
    balancer = await start(nodes, FREE)
  })
  afterAll(() => balancer?.close())

  /** The answers to clients during an action and for some requests afterwards. */
  async function askMeanwhile(
    address: string,
    methods: readonly string[],
    happens: () => Promise<void>,
  ): Promise<ReadonlySet<string>> {
    const told = new Set<string>()
    const over = new AbortController()
    const clients = Array.from({ length: CLIENTS }, async (_, i) => {
      const method = methods[i % methods.length]!
      for (let more = 20; more > 0; more -= over.signal.aborted ? 1 : 0) {
        const answer = await fetch(`${address}/status`, { method }).then(
          async (response) => {
            await response.text()
            return response.status
          },
          (error: Error) => error.message,
        )
        told.add(`${method} ${answer}`)
        await sleep(PAUSE_MS)
      }
    })
    try {
      await happens()
    } finally {
      over.abort()
      await Promise.all(clients)
    }
    return told
  }

  const answeredMore = async (node: Node) => {
    const before = node.answered()
    await eventually(() => expect(node.answered()).toBeGreaterThan(before + 10))
  }

  test('a request line is taken that is as long as casemill takes one', async () => {
    const target = `/status?${'x'.repeat(60_000)}`
    const direct = await fetch(nodes[0]!.address + target)
    const through = await fetch(balancer.address + target)
    expect([through.status, await through.text()]).toEqual([direct.status, await direct.text()])
    expect(direct.status).toBe(200)
  })

  test('what is for operators is not there for clients', async () => {
    for (const target of OPERATORS_PATHS) {
      const direct = await sendRaw(nodes[0]!.address, { target })
      const through = await sendRaw(balancer.address, { target })
      expect([target, direct.status]).toEqual([target, 200])
      expect(REFUSALS, `${target}: ${through.text}`).toContain(through.status)
    }
  })

  test('a client has a share of all servers together, and is told when it is over', async () => {
    const narrow = await start(nodes, { perMinute: 20 })
    try {
      const statuses = new Set<number>()
      for (let i = 0; i < 60; i++) {
        const response = await fetch(`${narrow.address}/status`)
        await response.text()
        statuses.add(response.status)
      }
      expect([...statuses]).toEqual([200, 429])
    } finally {
      await narrow.close()
    }
  })

  test('no request fails while a server stops, and while it comes back', async () => {
    const told = await askMeanwhile(balancer.address, ['GET', 'POST'], async () => {
      const [first, second] = nodes as [Node, Node]
      await Promise.all([answeredMore(first), answeredMore(second)])
      expect(await first.end('SIGTERM')).toBe(0)
      await answeredMore(second)
      nodes[0] = await startNode(join(folder, 'a'), first.address)
      await answeredMore(nodes[0])
    })
    // The path accepts no POST; it only matters that a server answers.
    const posted = await fetch(`${nodes[1]!.address}/status`, { method: 'POST' })
    expect(posted.status).toBeLessThan(500)
    expect([...told].sort()).toEqual(['GET 200', `POST ${posted.status}`])
  })

  test('no question fails while a server is killed', async () => {
    const [first, second] = nodes as [Node, Node]
    const told = await askMeanwhile(balancer.address, ['GET'], async () => {
      await Promise.all([answeredMore(first), answeredMore(second)])
      await second.end('SIGKILL')
      await answeredMore(first)
    })
    expect([...told]).toEqual(['GET 200'])
  })
})

describe('the proxy of the portal', () => {
  test.skipIf(!available.nginx)('hands on nothing for operators', { timeout: 0 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'casemill-portal-proxy-'))
    const node = await startNode(folder)
    const nginx = await startNginx('nginx/portal.conf', {
      '/var/www/portal': folder,
      '127.0.0.1:8080': new URL(node.address).host,
    })
    try {
      const below = OPERATORS_PATHS.filter((target) => target.startsWith('/auth/api/'))
      expect(below).not.toEqual([])
      for (const target of below) {
        const direct = await sendRaw(node.address, { target })
        const through = await sendRaw(nginx.address, { target })
        expect([target, direct.status]).toEqual([target, 200])
        expect(REFUSALS, `${target}: ${through.text}`).toContain(through.status)
      }
      const live = await sendRaw(nginx.address, { target: '/auth/api/v0/health/live' })
      expect(live.status).toBe(200)
    } finally {
      await nginx.close()
      await node.end('SIGTERM')
      await rm(folder, { recursive: true, force: true })
    }
  })
})
