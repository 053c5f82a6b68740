import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Grant, Grants } from '../../engine/shared/audit/grants.ts'
import { EngineError, generatedStream, LoopTurns } from '../../engine/shared/index.ts'
import { fakeEngine, fakeStatus, keptLog } from '../../test/commons/contract/fake-engine.ts'
import type { ServedEngine } from '../app.ts'
import { readConfig } from '../config.ts'
import { type RunningServer, startServer } from '../main.ts'

// The line of an answer is held back, to see that no byte of the answer comes before it.

const PRINCIPAL = { user: 'ada', admin: false, projects: new Map() }
const STREAMED = '/files'
const WHOLE = '/ga4gh/drs/v1/objects/f-1/access/https'

type Entities = ReturnType<NonNullable<Grant['entities']>>

/** The record whose lines wait until the test writes them. */
class HeldRecord {
  readonly lines: object[] = []
  readonly #gate = Promise.withResolvers<void>()

  async answer(answer: object, ids: { readonly entities: Entities }): Promise<void> {
    const { entities, ...others } = ids
    const recorded = 'count' in entities ? entities : [...entities]
    this.lines.push({ ...answer, ...others, entities: recorded })
    await this.#gate.promise
  }

  write(): void {
    this.#gate.resolve()
  }

  fail(error: Error): void {
    this.#gate.reject(error)
  }
}

let record: HeldRecord
let server: RunningServer
/** Files that are granted after the first chunk of a stream. */
let late: readonly string[]
/** Entities of further grants, before the first chunk. */
let entities: readonly Entities[]

beforeEach(async () => {
  record = new HeldRecord()
  late = []
  entities = []
  const grants = new Grants(true)
  const grant = (files: readonly string[]) =>
    grants.add({ principal: PRINCIPAL, files, release: 'release-1' })
  async function* chunks() {
    yield Buffer.from('first,')
    if (late.length > 0) grant(late)
    yield Buffer.from('second')
  }
  const fake = fakeEngine().engine
  const { commons } = fake
  const shared = { audit: record, grants, turns: new LoopTurns() }
  const engine = {
    ...fake,
    shared: shared as unknown as NonNullable<ServedEngine['shared']>,
    commons: {
      ...commons,
      search: {
        ...commons.search,
        search: async () => {
          grant(['f-1', 'f-2'])
          for (const each of entities) grants.add({ principal: PRINCIPAL, entities: () => each })
          const stream = generatedStream({ rest: chunks() }, { giveBack: () => {} })
          return { contentType: 'application/json', releaseId: 'release-1', ...stream }
        },
      },
      drs: {
        ...commons.drs,
        link: async () => {
          grant(['f-1'])
          return { fileId: 'f-1', ticket: 'a-ticket', expiresAt: new Date(0) }
        },
      },
    },
    submission: {
      ...fake.submission,
      credentials: { verify: async () => PRINCIPAL },
      graph: {
        ...fake.submission.graph,
        admit: () => {},
        query: async () => ({
          status: 400,
          json: '{"data":{"case":[{"id":"e-1"}]},"errors":["no sample"]}',
          given: { entities: new Set(['e-1']), projects: new Set(['P-1']) },
        }),
      },
    },
  } as typeof fake
  const flags = { port: 0, logLevel: 'silent', drainSeconds: 0, auditAddress: true } as const
  const config = readConfig({ flags })
  server = await startServer({ engine, config, status: fakeStatus, log: keptLog(config).log })
})
afterEach(() => server.close())

function ask(path: string, method = 'GET') {
  let answer: IncomingMessage | undefined
  const headers = { 'X-Request-Id': 'request-1' }
  const arrived = new Promise<IncomingMessage>((resolve, reject) => {
    get(`${server.address}${path}`, { method, headers }, (message) => {
      answer = message
      resolve(message)
    }).on('error', reject)
  })
  return { arrived, hasHead: () => answer !== undefined }
}

async function recording(): Promise<void> {
  while (record.lines.length === 0) await sleep(1)
}

describe.each([
  ['an answer in chunks', STREAMED],
  ['an answer in one piece', WHOLE],
])('%s', (_, path) => {
  test('waits for its line, with head and body', async () => {
    const { arrived, hasHead } = ask(path)
    await recording()
    // Time in which a head that does not wait would have arrived by far.
    await sleep(50)
    expect(hasHead()).toBe(false)
    record.write()
    const answer = await arrived
    expect(answer.statusCode).toBe(200)
    expect(await text(answer)).not.toBe('')
    expect(record.lines).toHaveLength(1)
  })

  test('is 503 if its line cannot be written', async () => {
    const { arrived } = ask(path)
    await recording()
    record.fail(new EngineError('unavailable', 'no room for a line', { retryAfterSeconds: 30 }))
    const answer = await arrived
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '30'])
    expect(await text(answer)).not.toMatch(/first|ticket/)
  })

  test('has no line for HEAD', async () => {
    const answer = await ask(path, 'HEAD').arrived
    answer.resume()
    expect(record.lines).toEqual([])
  })
})

test('an answer of GraphQL with data and errors has a line, although its status is 400', async () => {
  record.write()
  const answer = await fetch(`${server.address}/submission/graphql`, {
    method: 'POST',
    headers: { 'X-Auth-Token': 'any' },
    body: JSON.stringify({ query: '{ case { id } }' }),
  })
  expect(answer.status).toBe(400)
  expect(record.lines).toMatchObject([
    {
      action: 'POST /submission/graphql',
      subject: 'ada',
      status: 400,
      projects: new Set(['P-1']),
      entities: ['e-1'],
    },
  ])
})

test('the line says who had what, from where', async () => {
  record.write()
  ;(await ask(STREAMED).arrived).resume()
  expect(record.lines).toEqual([
    {
      request: 'request-1',
      action: 'GET /files',
      subject: 'ada',
      credential: null,
      address: '127.0.0.1',
      release: 'release-1',
      status: 200,
      bytes: null,
      files: new Set(['f-1', 'f-2']),
      cases: new Set(),
      projects: new Set(),
      entities: [],
    },
  ])
})

describe('a list of entities', () => {
  const LIST = { count: 1201, sha256: 'ab'.repeat(32) }
  beforeEach(() => record.write())

  test('is in the line as it is', async () => {
    entities = [LIST]
    ;(await ask(STREAMED).arrived).resume()
    expect(record.lines).toMatchObject([{ entities: LIST }])
  })

  test('together with others is refused, so that no line leaves any of them out', async () => {
    entities = [LIST, ['e-1']]
    const answer = await ask(STREAMED).arrived
    expect(answer.statusCode).toBe(500)
    expect(await text(answer)).not.toMatch(/first/)
    expect(record.lines).toEqual([])
  })
})

test('data that are granted after the line break the answer off', async () => {
  record.write()
  late = ['f-3']
  const answer = await ask(STREAMED).arrived
  await expect(text(answer)).rejects.toThrow()
})

test('data that are granted outside of a request are an error', () => {
  expect(() => new Grants(true).add({ principal: PRINCIPAL, files: ['f-1'] })).toThrow(/outside/)
  expect(() => new Grants(false).add({ principal: PRINCIPAL, files: ['f-1'] })).not.toThrow()
})
