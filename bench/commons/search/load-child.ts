import pg from 'pg'
import { quantile } from '../../rounds.ts'
import { DuckClient } from './duckdb/client.ts'
import { openDatabase } from './duckdb/database.ts'
import { duckForms } from './duckdb/forms.ts'
import { type Form, NOWHERE } from './form.ts'
import { HttpConnection, requestsTo } from './http-connection.ts'
import { PostgresClient } from './postgres/client.ts'
import { postgresForms } from './postgres/forms.ts'
import type { Kind, Question } from './questions.ts'
import { urlOf } from './request.ts'
import { processorTime } from './service.ts'

// A process of its own that asks over many connections, each as soon as it has its last answer.

export interface LoadRequest {
  readonly party: 'casemill' | 'DuckDB' | 'PostgreSQL'
  /** Address of the service, database file, or folder of the socket. */
  readonly place: string
  readonly questions: readonly Question[]
  /** The way that a peer takes, by kind. */
  readonly ways: Readonly<Partial<Record<Kind, string>>>
  readonly connections: number
  readonly milliseconds: number
  /** Process of the service, whose processor time is measured beside that of this one. */
  readonly service?: number
}

export interface LoadReport {
  readonly requests: number
  readonly milliseconds: number
  /** Microseconds of processor time per request: of who asks, with a database in the same process. */
  readonly askerMicroseconds: number
  /** The same of the service; undefined where it is no single process apart. */
  readonly serviceMicroseconds: number | undefined
  readonly p50: number
  readonly p95: number
}

/** Asks the i-th question and waits for its answer. */
type Connection = (i: number) => Promise<unknown>

async function connectionsOf(request: LoadRequest): Promise<Connection[]> {
  const { party, place, questions, connections } = request
  const each = <T>(open: () => Promise<T>) =>
    Promise.all(Array.from({ length: connections }, () => open()))
  if (party === 'casemill') {
    const requests = requestsTo(
      place,
      questions.map((question) => urlOf(question)),
    )
    const opened = await each(() => HttpConnection.open(place))
    return opened.map((connection) => (i) => connection.ask(requests[i % requests.length]!))
  }
  const forms =
    party === 'DuckDB' ? await duckConnections(place, each) : await postgresConnections(place, each)
  return forms.map((byKind) => (i) => {
    const question = questions[i % questions.length]!
    const ways = byKind[question.kind]
    const way = ways.find(({ name }) => name === request.ways[question.kind]) ?? ways[0]!
    return way.ask(question, NOWHERE)
  })
}

type Forms = Readonly<Record<Kind, readonly Form[]>>
type Each = <T>(open: () => Promise<T>) => Promise<T[]>

async function duckConnections(place: string, each: Each): Promise<Forms[]> {
  const database = await openDatabase(place, 'READ_ONLY')
  return each(async () => duckForms(new DuckClient(await database.connect())))
}

function postgresConnections(place: string, each: Each): Promise<Forms[]> {
  return each(async () => {
    const client = new pg.Client({ host: place, user: 'bench', database: 'postgres' })
    await client.connect()
    return postgresForms(new PostgresClient(client))
  })
}

async function load(request: LoadRequest): Promise<LoadReport> {
  const connections = await connectionsOf(request)
  let next = 0
  const run = async (milliseconds: number) => {
    const times: number[] = []
    const start = performance.now()
    const end = start + milliseconds
    await Promise.all(
      connections.map(async (ask) => {
        while (performance.now() < end) {
          const asked = performance.now()
          await ask(next++)
          times.push(performance.now() - asked)
        }
      }),
    )
    return { times, milliseconds: performance.now() - start }
  }
  // Plans are made and code is compiled before the clock starts.
  await run(request.milliseconds / 2)
  const { service } = request
  const asker = process.cpuUsage()
  const before = service === undefined ? undefined : processorTime(service)
  const { times, milliseconds } = await run(request.milliseconds)
  const after = service === undefined ? undefined : processorTime(service)
  const { user, system } = process.cpuUsage(asker)
  return {
    requests: times.length,
    milliseconds,
    askerMicroseconds: (user + system) / times.length,
    serviceMicroseconds:
      before === undefined || after === undefined ? undefined : (after - before) / times.length,
    p50: quantile(times, 0.5),
    p95: quantile(times, 0.95),
  }
}

if (import.meta.main) {
  console.log(JSON.stringify(await load(JSON.parse(process.argv[2] ?? '{}'))))
  // Connections are given up with the process.
  process.exit()
}
