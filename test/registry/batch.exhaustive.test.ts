import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Engine, openEngine } from '../../engine/index.ts'
import { withoutNulls } from '../../engine/registry/internal.ts'
import type { InputMap, StagingData } from '../../engine/registry/staging/algorithm/result.ts'
import type { Executor } from '../../engine/shared/executor.ts'
import type { RunningServer } from '../../server/main.ts'
import { ThreadPool } from '../../workers/pool.ts'
import { available } from '../available.ts'
import { listenFor } from '../commons/contract/support/listen.ts'
import { CASE, SCHEMA, TABLES } from './support/made-algorithm.ts'
import { archiveOf, filesOfCs, readVectors, sorted } from './support/staging-vectors.ts'

// Thousands of cases over HTTP and over threads.

const OF = { algorithm: 'made', version: '1.0' }
const MADE = '/rest/staging/made/1.0/stage/batch'
const ADMIN = { user: 'test', roles: new Set(['ADMIN'] as const) }

let folder: string
let pool: ThreadPool
let engine: Engine
let server: RunningServer
let key: string
let jobs = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-batch-'))
  pool = new ThreadPool({ threads: 2 })
  const clock = () => new Date('2026-03-01T12:00:00.000Z')
  const executor: Executor = {
    parallelism: 2,
    run: (job, input, options) => {
      jobs++
      return pool.run(job, input, options)
    },
  }
  engine = await openEngine({ dataFolder: folder, executor, clock })
  key = (await engine.shared.keys.create()).secret
  await engine.registry.staging.catalogue.createAlgorithm(ADMIN, 'made', {})
  await engine.registry.staging.catalogue.createVersion(ADMIN, OF, {})
  await engine.registry.staging
    .editableVersion(ADMIN, OF)
    .batch({ schemas: [SCHEMA], tables: TABLES })
  if (available.shared) {
    for (const name of ['cs', 'eod_public']) {
      await engine.registry.staging.import(archiveOf(name), { user: 'import' })
    }
  }
  server = await listenFor(engine)
})
afterAll(async () => {
  await server?.close()
  await engine?.close()
  await pool?.close()
  await rm(folder, { recursive: true, force: true })
})

function post(path: string, type = 'application/x-ndjson') {
  const sent = request(new URL(path, server.address), {
    method: 'POST',
    headers: { 'X-SEERAPI-Key': key, 'Content-Type': type },
  })
  sent.on('error', () => {})
  const answered = once(sent, 'response').then(([answer]) => answer as IncomingMessage)
  return { sent, answered }
}

async function linesOf(path: string, body: string | Uint8Array): Promise<string[]> {
  const { sent, answered } = post(path)
  sent.end(body)
  const answer = await answered
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['content-type']).toBe('application/x-ndjson')
  const lines = (await text(answer)).split('\n')
  expect(lines.pop()).toBe('')
  return lines
}

const linesText = (cases: readonly unknown[]) =>
  cases.map((one) => `${JSON.stringify(one)}\n`).join('')

async function idle(): Promise<void> {
  for (let i = 0; i < 200 && pool.running + pool.queued > 0; i++) await wait(20)
  expect(pool.running + pool.queued).toBe(0)
}

describe.skipIf(!available.shared)('published algorithms', () => {
  test('6,000 cases of CS are answered in order, as each alone is and as is recorded', async () => {
    const rows = filesOfCs()
      .slice(0, 3)
      .flatMap((file) => {
        const [header, ...cases] = readVectors<Record<string, string[]>>(`cs/${file}`)
        const keys = header?.columns_i ?? []
        return cases.map(({ i = [], r, s }) => ({
          input: Object.fromEntries(keys.map((name, place) => [name, i[place] ?? ''])),
          result: r,
          schema: s,
        }))
      })
    const path = '/rest/staging/cs/02.05.50/stage/batch'
    const lines = await linesOf(path, linesText(rows.map(({ input }) => input)))
    expect(lines).toHaveLength(6000)
    for (const [i, { input, result, schema }] of rows.entries()) {
      const answer = JSON.parse(lines[i] ?? '') as StagingData
      expect(answer).toMatchObject({ result, input })
      expect(answer.schema_id ?? null).toBe(schema)
      if (i % 10 > 0) continue
      const alone = await engine.registry.staging
        .version(ADMIN, { algorithm: 'cs', version: '02.05.50' })
        .stage(input)
      expect(lines[i]).toBe(JSON.stringify(alone))
    }
  })

  test('recorded cases of EOD agree, with explanations and without', async () => {
    const rows = readVectors<{ op: string; input: InputMap; expected: StagingData }>(
      'peer-eod_public-stage.jsonl.gz',
    ).filter(({ op }) => op === 'stage')
    const path = '/rest/staging/eod_public/latest/stage/batch'
    const body = linesText(rows.map(({ input }) => input))
    const plain = await linesOf(path, body)
    const explained = await linesOf(`${path}?explain=true`, body)
    expect(plain).toHaveLength(rows.length)
    for (const [i, { input, expected }] of rows.entries()) {
      const { explain, ...rest } = JSON.parse(explained[i] ?? '') as StagingData
      expect(JSON.stringify(rest)).toBe(plain[i])
      expect(Array.isArray(explain) || expected.schema_id === undefined).toBe(true)
      const { output, path: way, result } = JSON.parse(plain[i] ?? '') as StagingData
      expect(sorted({ output, path: way, result })).toBe(
        sorted({ output: expected.output, path: expected.path, result: expected.result }),
      )
      expect(rest.input).toEqual(withoutNulls(input))
    }
  })
})

const staged = (stage: string) => ({ result: 'STAGED', output: { stage } })

test('a bad line is one error line with its number, and the others are staged', async () => {
  const good = JSON.stringify(CASE)
  const lines = [
    ...[good, '', '{', '[]', 'null', '{"site":7}', `${good}\r`, `{"a":"${'x'.repeat(1 << 20)}"}`],
    ...['{"site":"C000","hist":null}', `{"${'y'.repeat(300)}":[]}`, good],
  ]
  const body = Buffer.concat([
    Buffer.from(`${lines.join('\n')}\n{"site":"`),
    Buffer.from([0xff]),
    Buffer.from(`"}\n${good}`),
  ])
  const failed = (line: number, code = 'bad_input') => ({
    line,
    error: { code, message: expect.stringMatching(/^[^\n]+$/) },
  })
  const answers = (await linesOf(MADE, body)).map((line) => (line ? JSON.parse(line) : ''))
  expect(answers).toMatchObject([
    ...[staged('1'), ''],
    ...[3, 4, 5, 6].map((line) => failed(line)),
    staged('1'),
    failed(8, 'too_large'),
    { result: 'FAILED_MISSING_SITE_OR_HISTOLOGY', input: { site: 'C000' } },
    ...[failed(10), staged('1'), failed(12), staged('1')],
  ])
  expect(answers[5].error.at).toBe('site')
  expect(Object.keys(answers[8].input)).toEqual(['site'])
})

test('nothing sent is nothing answered', async () => {
  expect(await linesOf(MADE, '')).toEqual([])
})

test('a line is answered while the next is still to be sent', async () => {
  const { sent, answered } = post(MADE)
  sent.write(`${JSON.stringify(CASE)}\n`)
  const answer = await answered
  const [first] = await once(answer, 'data')
  expect(JSON.parse(String(first))).toMatchObject(staged('1'))
  sent.end(`${JSON.stringify({ ...CASE, size: '500' })}\n`)
  const [second] = await once(answer, 'data')
  expect(JSON.parse(String(second))).toMatchObject(staged('2'))
})

test('of a reader who takes nothing no more is read, and once he reads all is there', async () => {
  const LINES = 60_000
  const body = linesText(
    Array.from({ length: LINES }, (_, i) => ({ ...CASE, size: String(i % 1000).padStart(3, '0') })),
  )
  jobs = 0
  const { sent, answered } = post(`${MADE}?explain=true`)
  sent.end(body)
  const answer = await answered
  for (let before = -1; before !== jobs; await wait(400)) before = jobs
  await idle()
  // Each job has up to 256 lines.
  expect(jobs * 256).toBeLessThan(LINES)
  const lines = (await text(answer)).trimEnd().split('\n')
  expect(lines).toHaveLength(LINES)
  for (const i of [0, 1234, LINES - 1]) {
    const size = String(i % 1000).padStart(3, '0')
    expect(JSON.parse(lines[i] ?? '')).toMatchObject({
      input: { size },
      explain: expect.any(Array),
    })
  }
})

test('clients that leave, at any moment, leave nothing behind', async () => {
  const some = linesText(Array.from({ length: 2000 }, () => CASE))
  for (let i = 0; i < 40; i++) {
    const { sent, answered } = post(MADE)
    sent.write(some)
    if (i % 2 === 0) {
      const answer = await answered
      answer.on('error', () => {})
      if (i % 4 === 0) await once(answer, 'data')
    } else await answered.catch(() => {})
    sent.destroy()
  }
  await idle()
  await expect.poll(async () => (await linesOf(MADE, some)).length).toBe(2000)
})

test('all cases are staged by what the version was when the first came', async () => {
  const table = TABLES[4]
  const { sent, answered } = post(MADE)
  const line = `${JSON.stringify(CASE)}\n`
  sent.write(line)
  const answer = await answered
  await once(answer, 'data')
  const rows = [['000-999', 'any', 'VALUE:9']]
  await engine.registry.staging.editableVersion(ADMIN, OF).updateEntity('table', 'sizes', {
    ...table,
    rows,
  })
  expect(JSON.parse((await linesOf(MADE, line))[0] ?? '')).toMatchObject(staged('9'))
  sent.end(line.repeat(3000))
  const rest = (await text(answer)).trimEnd().split('\n')
  expect(rest).toHaveLength(3000)
  for (const one of rest) expect(JSON.parse(one)).toMatchObject(staged('1'))
  await engine.registry.staging.editableVersion(ADMIN, OF).updateEntity('table', 'sizes', table)
})

test('no more than 32 are under way, and there is place again when one ends', async () => {
  const under = Array.from({ length: 32 }, () => post(MADE))
  for (const { sent } of under) sent.write(`${JSON.stringify(CASE)}\n`)
  await Promise.all(under.map(({ answered }) => answered))
  const { sent, answered } = post(MADE)
  sent.end()
  expect((await answered).statusCode).toBe(503)
  for (const one of under) {
    one.sent.end()
    expect(await text(await one.answered)).toMatch(/^\{.*\}\n$/)
  }
  expect(await linesOf(MADE, '')).toEqual([])
})
