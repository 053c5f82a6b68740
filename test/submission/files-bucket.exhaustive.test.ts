import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type S3Server, startS3 } from '../../engine/shared/blobs/support/s3-server.ts'
import { inlineExecutor } from '../../engine/shared/index.ts'
import { SubmissionFiles } from '../../engine/submission/files/submission-files.ts'
import { randomFrom } from '../../fixtures/random.ts'
import { available } from '../available.ts'
import { depth } from '../depth.ts'
import { PostgresServer } from '../shared/database/support/postgres.ts'
import { FileService, md5Of, partList, someBytes } from './support/file-service.ts'
import { AS_ADMIN, MadeSubmission } from './support/service.ts'

// Services with separate folders share a PostgreSQL database and a bucket.

const MIB = 1 << 20
const PROGRAM = join(import.meta.dirname, 'support/serve-files.ts')
/** The number of kills. Twenty were run when this was written; each takes some seconds. */
const KILLS = depth(1, 4, 20)
const PIECES = [someBytes(6 * MIB, 1), someBytes(9 * MIB, 2), someBytes(1000, 3)]
const TOGETHER = Buffer.concat(PIECES)
const WHOLE = someBytes(12 * MIB, 4)

describe.skipIf(!available.postgresql)('services that share a database and a bucket', () => {
  const postgres = new PostgresServer()
  let s3: S3Server
  let stateUrl: string
  let one: FileService
  let other: FileService
  let killed: ChildProcess | undefined
  beforeAll(async () => {
    await postgres.start()
    s3 = await startS3()
    stateUrl = await postgres.url()
    one = await FileService.start(s3.options, undefined, stateUrl)
    other = await FileService.start(s3.options, undefined, stateUrl)
  })
  afterAll(async () => {
    killed?.kill('SIGKILL')
    await one?.close()
    await other?.close()
    await s3?.stop()
    await postgres.stop()
  })

  const idle = async () => {
    for (const { engine } of [one, other]) await engine.submission.files.idle()
  }

  /** The bytes of uploads in the bucket, and the database's records of them. */
  async function left() {
    const objects = (await s3.keys()).filter((key) => key.startsWith('uploads/'))
    const { database } = one.engine.submission
    const known = await database.ask('SELECT name FROM submission_upload_objects')
    return { objects, begun: await s3.begunUploads(), known }
  }
  const NOTHING = { objects: [], begun: [], known: [] }

  async function expectServed(id: string, bytes: Uint8Array): Promise<void> {
    expect(await one.stateOf(id)).toBe('validated')
    for (const service of [one, other]) {
      expect(await service.engine.shared.files.find(id)).toMatchObject({
        storage: 's3',
        size: bytes.length,
        md5: md5Of(bytes),
      })
      const answer = await fetch(`${service.address}/data/${id}`, {
        headers: { 'X-Auth-Token': service.admin },
      })
      expect(answer.status).toBe(200)
      expect(md5Of(new Uint8Array(await answer.arrayBuffer()))).toBe(md5Of(bytes))
    }
  }

  test.each([{ completes: 'the one' }, { completes: 'the other' }])(
    'a part goes to each, and $completes completes',
    async ({ completes }) => {
      const id = await one.add({ name: 'shared.bam', bytes: TOGETHER })
      const upload = await one.begin(id)
      for (const [i, piece] of PIECES.entries()) {
        const taken = await [one, other][i % 2]?.part(id, upload, i + 1, piece)
        expect(taken?.status).toBe(200)
      }
      const ending = completes === 'the one' ? one : other
      expect((await ending.complete(id, upload)).status).toBe(200)
      await expect.poll(() => one.stateOf(id), { timeout: 30_000 }).toBe('validated')
      await idle()
      await expectServed(id, TOGETHER)
      expect(await left()).toEqual(NOTHING)
      for (const { folder } of [one, other]) {
        expect(readdirSync(join(folder, 'uploads'))).toEqual(['place'])
      }
    },
  )

  test('of completions at both at the same time one counts', async () => {
    const id = await one.add({ name: 'twice.bam', bytes: TOGETHER })
    const upload = await one.begin(id)
    const tags: (readonly [number, string])[] = []
    for (const [i, piece] of PIECES.entries()) {
      await other.part(id, upload, i + 1, piece)
      tags.push([i + 1, md5Of(piece)])
    }
    const tail = `?uploadId=${upload}`
    const ends = await Promise.all(
      [one, other, one, other].map((service) =>
        service.file('POST', id, tail, { body: partList(tags) }),
      ),
    )
    expect(ends.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
    await expect.poll(() => one.stateOf(id), { timeout: 30_000 }).toBe('validated')
    await idle()
    await expectServed(id, TOGETHER)
    expect(await left()).toEqual(NOTHING)
  })

  test('while the bucket is away a part is 503, and can be sent again', async () => {
    const id = await one.add({ name: 'away.bam', bytes: WHOLE })
    const upload = await one.begin(id)
    s3.intercept = (_, response) => {
      response.writeHead(503).end()
      return true
    }
    const refused = await one.part(id, upload, 1, WHOLE)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('10')
    s3.intercept = () => false
    expect((await other.part(id, upload, 1, WHOLE)).status).toBe(200)
    expect((await one.complete(id, upload)).status).toBe(200)
    await expect.poll(() => one.stateOf(id), { timeout: 30_000 }).toBe('validated')
    await one.engine.submission.files.beat()
    await idle()
    expect(await left()).toEqual(NOTHING)
  })

  /** Starts a service in a separate process, and returns its address. */
  async function spawnServer(folder: string): Promise<string> {
    killed = spawn(process.execPath, [PROGRAM, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...s3.environment, CASEMILL_STATE_URL: stateUrl },
    })
    for await (const line of createInterface({ input: killed.stdout as NodeJS.ReadableStream })) {
      return line
    }
    throw new Error('the server ended before it listened')
  }

  /**
   * A server that survives when the one that takes uploads is killed. Its clock makes it notice dead servers at
   * once.
   */
  function survivor(folder: string) {
    let now = 0
    const { submission, shared } = other.engine
    const files = new SubmissionFiles({
      database: submission.database,
      files: shared.files,
      blobs: shared.blobs,
      executor: inlineExecutor,
      boundedExecutor: inlineExecutor,
      folder,
      dictionary: { current: () => MadeSubmission.dictionary() },
      now: () => now,
      bucket: shared.objects,
    })
    const minute = async () => {
      for (const step of [1000, 50_000, 11_000]) {
        now += step
        // The surviving servers send heartbeats.
        for (const { engine } of [one, other]) await engine.submission.files.beat()
        await files.beat()
      }
      await files.idle()
    }
    return { files, minute }
  }

  test('files acknowledged by a killed service are 503 at others until one takes over', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'casemill-taking-'))
    const { files, minute } = survivor(join(folder, 'survivor'))
    await files.start({ isAlone: false })
    const address = await spawnServer(join(folder, 'taking'))
    const whole = await one.add({ name: 'whole.bam', bytes: WHOLE })
    const parts = await one.add({ name: 'parts.bam', bytes: TOGETHER })
    const upload = await one.begin(parts)
    for (const [i, piece] of PIECES.entries()) {
      expect((await one.part(parts, upload, i + 1, piece)).status).toBe(200)
    }
    // Received bytes are written to the bucket, but reads of them and copies to their final place are held.
    const held: ServerResponse[] = []
    s3.intercept = (request, response) => {
      const isStoring =
        request.method === 'GET' || request.headers['x-amz-copy-source'] !== undefined
      if (!isStoring) return false
      held.push(response)
      return true
    }
    const headers = { 'X-Auth-Token': one.admin }
    const at = (id: string) => `${address}/submission/GDC/MISC/files/${id}`
    const body = partList(PIECES.map((piece, i) => [i + 1, md5Of(piece)] as const))
    const sent = await Promise.all([
      fetch(at(whole), { method: 'PUT', headers, body: WHOLE }),
      fetch(`${at(parts)}?uploadId=${upload}`, { method: 'POST', headers, body }),
    ])
    expect(sent.map(({ status }) => status)).toEqual([200, 200])
    const exit = once(killed as ChildProcess, 'exit')
    killed?.kill('SIGKILL')
    await exit
    for (const response of held) response.destroy()
    s3.intercept = () => false

    const stranger = await one.engine.shared.tokens.create({ user: 's', projects: ['GDC-OTHER'] })
    const asked = [whole, parts].flatMap((id) => [`/data/${id}`, `/slicing/view/${id}?region=1`])
    for (const service of [one, other]) {
      for (const path of asked) {
        const { status, headers: heard } = await service.ask('GET', path)
        expect([path, status, heard.get('retry-after')]).toEqual([path, 503, '10'])
        for (const token of [null, stranger.secret]) {
          expect((await service.ask('GET', path, { token })).status).not.toBe(503)
        }
      }
    }
    await minute()
    await idle()
    await files.idle()
    await expectServed(whole, WHOLE)
    await expectServed(parts, TOGETHER)
    expect(await left()).toEqual(NOTHING)
    await files.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('acknowledged files survive kills of the service that takes over, and nothing else does', {
    timeout: KILLS * 60_000,
  }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'casemill-taking-'))
    const random = randomFrom(1)
    const { files, minute } = survivor(join(folder, 'survivor'))
    await files.start({ isAlone: false })
    const seen = { parts: 0, whole: 0, completed: 0 }
    for (let round = 0; round < KILLS; round++) {
      const address = await spawnServer(join(folder, 'taking'))
      const whole = await one.add({ name: `whole ${round}.bam`, bytes: WHOLE })
      const parts = await one.add({ name: `parts ${round}.bam`, bytes: TOGETHER })
      const upload = await one.begin(parts)
      const send = async (method: string, id: string, tail: string, body: Uint8Array | string) => {
        const path = `${address}/submission/GDC/MISC/files/${id}${tail}`
        const headers = { 'X-Auth-Token': one.admin }
        const init = { method, headers, body } as RequestInit
        return fetch(path, init).then(
          (answer) => answer.status,
          () => undefined,
        )
      }
      const acknowledged = new Set<number>()
      const sending = (async () => {
        for (const [i, piece] of PIECES.entries()) {
          const tail = `?uploadId=${upload}&partNumber=${i + 1}`
          if ((await send('PUT', parts, tail, piece)) === 200) acknowledged.add(i + 1)
        }
        const list = partList(PIECES.map((piece, i) => [i + 1, md5Of(piece)] as const))
        return (await send('POST', parts, `?uploadId=${upload}`, list)) === 200
      })()
      const sendingWhole = send('PUT', whole, '', WHOLE)
      await sleep(random.below(2500))
      const exit = once(killed as ChildProcess, 'exit')
      killed?.kill('SIGKILL')
      await exit
      const isCompleted = await sending
      const isWhole = (await sendingWhole) === 200
      seen.parts += acknowledged.size
      if (isCompleted) seen.completed++
      if (isWhole) seen.whole++

      await minute()
      await idle()
      const at = { ...AS_ADMIN, program: 'GDC', project: 'MISC', path: '', id: parts }
      const there = { ...at, uploadId: upload }
      // The answer may have been lost in transit.
      const wasCompleted = (await one.stateOf(parts)) !== 'uploading'
      expect(wasCompleted || !isCompleted).toBe(true)
      if (!wasCompleted) {
        const known = await files.parts(there)
        expect(known.map(({ number }) => number)).toEqual(expect.arrayContaining([...acknowledged]))
        expect((await left()).objects).toHaveLength(known.length)
        expect((await left()).begun).toEqual([])
        for (const [i, piece] of PIECES.entries()) {
          if (known.some(({ number }) => number === i + 1)) continue
          expect((await one.part(parts, upload, i + 1, piece)).status).toBe(200)
        }
        expect((await other.complete(parts, upload)).status).toBe(200)
      }
      await idle()
      await files.idle()
      await expect.poll(() => one.stateOf(parts), { timeout: 30_000 }).toBe('validated')
      if ((await one.stateOf(whole)) === 'registered') {
        expect(isWhole).toBe(false)
        expect((await one.file('PUT', whole, '', { body: WHOLE })).status).toBe(200)
      }
      await expect.poll(() => one.stateOf(whole), { timeout: 30_000 }).toBe('validated')
      await idle()
      await files.idle()
      await expectServed(parts, TOGETHER)
      await expectServed(whole, WHOLE)
      expect(await left()).toEqual(NOTHING)
    }
    await files.close()
    rmSync(folder, { recursive: true, force: true })
    process.stdout.write(`acknowledged before ${KILLS} kills: ${JSON.stringify(seen)}\n`)
  })
})
