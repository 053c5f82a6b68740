import { rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { inlineExecutor } from '../engine/shared/executor.ts'
import { buildMadeRelease } from '../fixtures/release/build-made.ts'
import { ThreadPool } from '../workers/pool.ts'
import { type Credentials, makeCredentials } from './access/credentials.ts'
import { startIssuer } from './access/issuer.ts'
import type { Bench, BenchOptions, BenchOutcome, Comparison, ContestOutcome } from './bench.ts'
import { processorTime, type Service, startService } from './commons/search/service.ts'
import { prepareInput } from './commons/slicing/input.ts'
import { layoutOf, regionText, requestsOf } from './commons/slicing/layout.ts'
import { THREADS } from './commons/slicing/ours.ts'
import { controlledHome, PROJECT } from './commons/tickets/home.ts'
import { holdContest } from './rounds.ts'

/** Ratio of the processor time of the service to that with a token. */
const TARGET = { atMost: 1.15 }

/** What a workload sends. The headers of a user are added. */
interface Asked {
  readonly path: string
  readonly body?: object
  readonly status: number
}

interface Workload {
  readonly requests: readonly Asked[]
  /** Times that a turn sends them: the system counts processor time in steps of 10 ms. */
  readonly repeats: number
  readonly isOrientation?: boolean
}

/** The cost of each way to be known to the service, for requests that cost little else. */
export const access: Bench = { workloads: ['slices', 'searches', 'user'], run: runAccess }

async function runAccess(options: BenchOptions): Promise<BenchOutcome> {
  const { quick, note, chosen } = options
  const layoutName = quick ? 'quick' : 'full'
  const pool = new ThreadPool({ threads: THREADS })
  const home = await prepareInput(layoutName, pool, note).finally(() => pool.close())
  const controlled = await controlledHome(home)
  const { folder: dataFolder, file } = controlled
  const issuer = await startIssuer()
  try {
    await buildMadeRelease({ dataFolder, scale: 'tiny', seed: 1, executor: inlineExecutor })
    const credentials = await makeCredentials(dataFolder, PROJECT, issuer)
    const service = await startService(dataFolder, issuer.settings)
    const client = new Client(service)
    try {
      const slices = requestsOf(layoutOf(layoutName), 'small').map((regions) => ({
        path: `/slicing/view/${file.id}`,
        body: { regions: regions.map(regionText) },
        status: 206,
      }))
      const repeats = quick ? 1 : 20
      const workloads: Readonly<Record<string, Workload>> = {
        slices: { requests: slices, repeats },
        searches: { requests: [{ path: '/files?size=1', status: 200 }], repeats: 500 * repeats },
        user: {
          requests: [{ path: '/auth/user', status: 200 }],
          repeats: 500 * repeats,
          isOrientation: true,
        },
      }
      const contests: ContestOutcome[] = []
      for (const [name, workload] of Object.entries(workloads)) {
        if (!chosen(name)) continue
        await mustAgree(workload, credentials, client)
        contests.push(await contest(name, workload, { credentials, client, options }))
      }
      return { input: { layout: layoutName, threads: THREADS }, contests, findings: [] }
    } finally {
      client.close()
      await service.stop()
    }
  } finally {
    issuer.close()
    await rm(dataFolder, { recursive: true, force: true })
  }
}

interface Staged {
  readonly credentials: Credentials
  readonly client: Client
  readonly options: BenchOptions
}

async function contest(
  workload: string,
  { requests, repeats, isOrientation = false }: Workload,
  { credentials, client, options }: Staged,
): Promise<ContestOutcome> {
  const { note, quick, rounds = quick ? 3 : 9 } = options
  const contenders = Object.entries(credentials).map(([name, headers]) => ({
    async turn() {
      const before = client.processor()
      for (let i = 0; i < repeats; i++) {
        for (const asked of requests) await client.ask(asked, headers)
      }
      const each = (client.processor() - before) / (repeats * requests.length)
      return { [name]: each / 1000 }
    },
  }))
  // Compiled code and what is learned of blocks are not what is measured.
  for (const { turn } of contenders) await turn()
  const others = Object.keys(credentials).filter((name) => name !== 'token')
  const comparisons = others.map((ours): Comparison => {
    const compared = { ours, peer: 'token', as: 'times as long' } as const
    return isOrientation ? compared : { ...compared, target: TARGET }
  })
  return holdContest({ workload, unit: 'ms', rounds, contenders, comparisons }, note)
}

/** Compares the answers to all users, and checks that they are refused without a right. */
async function mustAgree(
  { requests }: Workload,
  credentials: Credentials,
  client: Client,
): Promise<void> {
  const [first, ...others] = Object.values(credentials)
  for (const asked of requests) {
    if (asked.path.startsWith('/slicing/')) await client.ask({ ...asked, status: 403 }, {})
    const expected = await client.ask(asked, first ?? {})
    for (const headers of others) {
      const given = await client.ask(asked, headers)
      // The name of a user differs.
      if (asked.path === '/auth/user' || given.equals(expected)) continue
      throw new Error(`${asked.path} is answered differently to another user`)
    }
  }
}

/** Sends one request after the other over one connection. */
class Client {
  readonly #service: Service
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })

  constructor(service: Service) {
    this.#service = service
  }

  /** @throws Error for another status */
  async ask(
    { path, body, status }: Asked,
    headers: Readonly<Record<string, string>>,
  ): Promise<Buffer> {
    const json = body && { 'content-type': 'application/json' }
    const method = body ? 'POST' : 'GET'
    const options = { agent: this.#agent, method, headers: { ...headers, ...json } }
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    const sent = request(this.#service.address + path, options, async (response) => {
      try {
        const bytes = await buffer(response)
        if (response.statusCode === status) resolve(bytes)
        else reject(new Error(`${path}: ${response.statusCode}: ${bytes.subarray(0, 500)}`))
      } catch (error) {
        reject(error)
      }
    })
    sent.on('error', reject).end(body && JSON.stringify(body))
    return promise
  }

  /** Microseconds of processor time of the service. */
  processor(): number {
    return processorTime(this.#service.pid)
  }

  close(): void {
    this.#agent.destroy()
  }
}
