import { type ChildProcessByStdio, execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { runProgram, startProgram } from '../../bin/support/program.ts'
import { DiskSpace } from '../../engine/shared/disk-space.ts'
import { available } from '../available.ts'
import { caseDocument } from '../submission/publish/support/documents.ts'
import { someBytes } from '../submission/support/file-service.ts'
import { bodyOf, FullDiskPlan, leftoversIn, saysFull } from './support/full-disk.ts'
import { Tmpfs } from './support/tmpfs.ts'

let plan: FullDiskPlan
beforeAll(async () => {
  plan = await FullDiskPlan.make()
})
afterAll(() => plan?.remove())

describe.skipIf(!available.tmpfs)('a service whose disk is full', () => {
  let disk: Tmpfs
  let folder = ''
  let served: Served | undefined
  beforeEach(async () => {
    disk = Tmpfs.mount(48 << 20)
    folder = join(disk.path, 'data')
    await plan.copyTo(folder)
  })
  afterEach(async () => {
    await served?.stop()
    disk.unmount()
  })

  test('gives back what a failed upload took, starts again, reads, and recovers by itself', async () => {
    disk.leave(400_000)
    served = await Served.start(folder, { CASEMILL_RESERVE_BYTES: '0' })
    disk.leave(400_000)
    // The size was not announced in advance, so the write itself fails.
    const refused = await served.put(plan, plan.uploaded, { isAnnounced: false })
    expect(refused).toEqual({ status: 503, retryAfter: '30' })
    expect(readdirSync(join(folder, 'uploads'))).toEqual(['place'])
    expect(disk.freeBytes).toBeGreaterThan(200_000)
    expect(await served.state(plan)).toBe('registered')

    disk.leave(0)
    expect(await served.stop()).toBe(0)
    disk.leave(0)
    served = await Served.start(folder, { CASEMILL_RESERVE_BYTES: '0' })
    expect(disk.freeBytes).toBe(0)
    expect(await served.status('/cases?size=1')).toBe(200)
    expect(await served.status(`/data/${plan.storedId}`, plan.token)).toBe(200)
    expect(await served.state(plan)).toBe('registered')
    const document = caseDocument('C10', 'THREE')
    const unsubmitted = await served.send('POST', '/submission/PRO/THREE', plan.token, document)
    expect(unsubmitted).toEqual({ status: 503, retryAfter: '30' })
    expect(await served.put(plan, plan.uploaded)).toEqual({ status: 503, retryAfter: '30' })

    disk.clear()
    const { address } = served
    await vi.waitFor(
      async () => {
        const again = await served?.send('POST', '/submission/PRO/THREE', plan.token, document)
        expect([address, again?.status]).toEqual([address, 201])
      },
      { timeout: 60_000, interval: 200 },
    )
    expect((await served.put(plan, plan.uploaded)).status).toBe(200)
    await expect.poll(() => served?.state(plan), { timeout: 60_000 }).toBe('validated')
    expect(readdirSync(join(folder, 'uploads'))).toEqual(['place'])
  })

  test('sends no controlled data that it cannot record, and all others', async () => {
    const world = await plan.open(folder)
    await plan
      .steps()
      .find(({ name }) => name === 'import bam')
      ?.run(world)
    await world.close({ keep: true })
    served = await Served.start(folder, { CASEMILL_RESERVE_BYTES: '0', CASEMILL_AUDIT: 'true' })
    const path = '/data/00000000-0000-4000-8000-000000000090'
    const ask = () => served?.send('GET', path, plan.token, undefined)
    disk.leave(0)
    for (let i = 0; i < 3; i++) expect(await ask()).toEqual({ status: 503, retryAfter: '30' })
    expect(await served.status('/cases?size=1')).toBe(200)
    disk.clear()
    expect((await ask())?.status).toBe(200)
    // Lines fit into the last page of the file until it is full.
    disk.leave(0)
    let sent = 1
    while ((await ask())?.status === 200) sent++
    expect(sent).toBeGreaterThan(1)
    expect(await ask()).toEqual({ status: 503, retryAfter: '30' })
    disk.clear()
    expect((await ask())?.status).toBe(200)
    expect(await served.stop()).toBe(0)
    const { out } = await runProgram(['--data', folder, 'audit', 'export'])
    expect(out.trimEnd().split('\n')).toHaveLength(sent + 1)
    const verified = await runProgram(['--data', folder, 'audit', 'verify'])
    expect([verified.status, verified.err]).toEqual([0, 'the record is intact\n'])
  })

  test('refuses what has to be written before it can be sent, and gives back what that took', async () => {
    const world = await plan.open(folder)
    const step = plan.steps().find(({ name }) => name === 'import bam')
    await step?.run(world)
    const headers = { 'X-Auth-Token': plan.token }
    const spooled = [
      '/submission/PRO/TWO/export?node_label=case&format=json',
      '/submission/PRO/TWO/export?node_label=case',
    ]
    const ticket = '/reads/00000000-0000-4000-8000-000000000090?referenceName=chr1'
    const streamed = [ticket, '/cases?format=parquet']
    const ask = async (path: string) => {
      const answer = await world.ask(path, { headers })
      const text = await answer.text()
      if (answer.status === 503) expect(text).toMatch(/room/)
      return [path, answer.status, answer.headers.get('retry-after')]
    }
    disk.leave(0)
    for (const path of spooled) expect(await ask(path)).toEqual([path, 503, '30'])
    // Nothing of these answers is stored on disk.
    for (const path of streamed) expect(await ask(path)).toEqual([path, 200, null])
    expect(disk.freeBytes).toBe(0)
    expect(leftoversIn(folder)).toEqual([])
    disk.clear()
    for (const path of [...spooled, ...streamed]) expect(await ask(path)).toEqual([path, 200, null])
    await world.close({ keep: true })
  })

  test('ends a body that would take of the reserve, although nobody said how long it is', async () => {
    const reserveBytes = 4 << 20
    const world = await plan.open(folder, { reserveBytes })
    disk.leave(8 << 20)
    const request = plan.uploadRequest()
    const { chunks } = bodyOf(someBytes(16 << 20))
    let least = Number.POSITIVE_INFINITY
    async function* watched() {
      for await (const chunk of chunks) {
        least = Math.min(least, disk.freeBytes)
        yield chunk
      }
    }
    const failure = await world.engine.submission.files
      .upload(request, { chunks: watched() })
      .catch((error: unknown) => error)
    expect(saysFull(failure)).toBe(true)
    // Free space is checked after each mebibyte.
    expect(least).toBeGreaterThan(reserveBytes - (2 << 20))
    expect(leftoversIn(folder)).toEqual([])
    await world.close({ keep: true })
  })

  test('ends work of unknown size that takes of the reserve', async () => {
    const space = new DiskSpace(folder, 4 << 20)
    const guarded = space.guard(undefined, async (signal) => {
      disk.leave(1 << 20)
      if (!signal.aborted) await once(signal, 'abort')
      signal.throwIfAborted()
    })
    const failure = await guarded.catch((error: unknown) => error)
    expect(saysFull(failure)).toBe(true)
  })
})

describe('a reserve', () => {
  let folder = ''
  beforeEach(async () => {
    const root = mkdtempSync(join(tmpdir(), 'casemill-reserve-'))
    folder = join(root, 'data')
    await plan.copyTo(folder)
  })
  afterEach(() => rmSync(join(folder, '..'), { recursive: true }))

  test('is left free by whatever takes bytes in, while the rest goes on', async () => {
    const world = await plan.open(folder, { reserveBytes: 2 ** 50 })
    for (const step of plan.steps()) {
      if (['import of a release', 'deletion'].includes(step.name)) continue
      const failure = await step.run(world).catch((error: unknown) => error)
      expect([step.name, saysFull(failure)]).toEqual([step.name, true])
      expect([step.name, await step.isDone(world)]).toEqual([step.name, false])
    }
    expect(leftoversIn(folder)).toEqual([])
    expect(await world.status('/cases?size=1')).toBe(200)
    const headers = { 'X-Auth-Token': plan.token }
    const path = '/submission/PRO/TWO/export?node_label=case'
    expect((await world.ask(path, { headers })).status).toBe(503)
    expect(await world.engine.disk()).toMatchObject({ hasSpace: false, isWaiting: false })
    // Operations that free space are not rejected.
    await world.engine.submission.files.remove(plan.uploadRequest())
    const { status } = await world.engine.submission.transactions.delete({
      ...plan.uploadRequest(),
      ids: [plan.fileId],
    })
    expect(status).toBe(200)
    await world.close({ keep: true })
  })

  test('that is used up has a start remove what imports left, which otherwise stays for a while', async () => {
    const leave = () => {
      const names = ['incoming/commons/parts.spool', `incoming/${'a'.repeat(32)}/bytes`]
      for (const name of [...names, 'releases/.building-x/manifest.json']) {
        mkdirSync(join(folder, name, '..'), { recursive: true })
        writeFileSync(join(folder, name), 'left behind')
      }
      writeFileSync(join(folder, 'incoming/commons.lock'), '')
    }
    leave()
    const world = await plan.open(folder)
    expect(leftoversIn(folder)).toEqual([`incoming/${'a'.repeat(32)}`])
    await world.close({ keep: true })
    leave()
    const full = await plan.open(folder, { reserveBytes: 2 ** 50 })
    expect(leftoversIn(folder)).toEqual([])
    await full.close({ keep: true })
  })
})

describe('files of a data folder', () => {
  let root = ''
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'casemill-modes-'))
  })
  afterEach(() => rmSync(root, { recursive: true }))

  /** Lists the entries of a folder with any of the forbidden permissions. */
  function looseIn(folder: string, forbidden: number): readonly string[] {
    const names = ['.', ...readdirSync(folder, { recursive: true }).map(String)]
    return names.filter((name) => (statSync(join(folder, name)).mode & forbidden) !== 0)
  }

  const importBam = async (data: string, environment: Readonly<Record<string, string>>) => {
    const program = join(import.meta.dirname, '../../bin/casemill.ts')
    const line = 'umask 022; exec "$0" "$@"'
    const words = [program, '--data', data, 'import', 'bam', plan.source('reads.bam')]
    await promisify(execFile)('sh', ['-c', line, process.execPath, ...words], {
      env: { ...process.env, ...environment },
    })
  }

  test('are for their owner alone, or also for a group to read', async () => {
    const [alone, group] = [join(root, 'alone'), join(root, 'group')]
    await importBam(alone, {})
    await importBam(group, { CASEMILL_GROUP_READ: 'true' })
    expect(looseIn(alone, 0o077)).toEqual([])
    expect(looseIn(group, 0o027)).toEqual([])
    expect(statSync(join(group, 'state.sqlite')).mode & 0o777).toBe(0o640)
  })

  test('of an older folder are closed by a start, which tells it', async () => {
    const folder = join(root, 'data')
    await plan.copyTo(folder)
    await promisify(execFile)('chmod', ['-R', 'u=rwX,go=rX', folder])
    const served = await Served.start(folder, { CASEMILL_LOG_LEVEL: 'warn' })
    expect(await served.stop()).toBe(0)
    const told = await served.told
    for (const name of ['state.sqlite', 'database.sqlite', 'files', 'releases', 'uploads']) {
      expect(told).toContain(`changed \\"${name}\\" of the data folder from mode`)
      expect([name, statSync(join(folder, name)).mode & 0o077]).toEqual([name, 0])
    }
  })
})

/** A server in a separate process. */
class Served {
  readonly address: string
  /** The complete log, available once the server has ended. */
  readonly told: Promise<string>
  readonly #child: ChildProcessByStdio<null, Readable, Readable>

  private constructor(
    address: string,
    child: ChildProcessByStdio<null, Readable, Readable>,
    told: Promise<string>,
  ) {
    this.address = address
    this.#child = child
    this.told = told
  }

  static async start(
    folder: string,
    environment: Readonly<Record<string, string>>,
  ): Promise<Served> {
    const child = startProgram(['--data', folder, 'serve', '--port', '0', '--threads', '1'], {
      // The test runner sets this variable, which is not a setting of the server.
      CASEMILL_TESTS: undefined,
      CASEMILL_LOG_LEVEL: 'error',
      ...environment,
    })
    const pieces: string[] = []
    child.stderr.setEncoding('utf8').on('data', (piece: string) => pieces.push(piece))
    const told = once(child, 'close').then(() => pieces.join(''))
    for await (const line of createInterface({ input: child.stdout })) {
      const address = /at (http:\S+) /.exec(line)?.[1]
      if (address !== undefined) {
        child.stdout.resume()
        return new Served(address, child, told)
      }
    }
    throw new Error(`the server did not start: ${await told}`)
  }

  /** Stops the server, and returns its exit status or the signal that ended it. */
  async stop(): Promise<number | string | null> {
    const { exitCode, signalCode } = this.#child
    if (exitCode !== null || signalCode !== null) return exitCode ?? signalCode
    const exit = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    const [status, signal] = await exit
    return status ?? `${signal}: ${await this.told}`
  }

  async status(path: string, token?: string): Promise<number> {
    const headers = token === undefined ? {} : { 'X-Auth-Token': token }
    const answer = await fetch(this.address + path, { headers })
    await answer.arrayBuffer()
    return answer.status
  }

  async send(method: string, path: string, token: string, body: object | RequestInit['body']) {
    const isDocument = typeof body === 'object' && body !== null && 'type' in body
    const answer = await fetch(this.address + path, {
      method,
      headers: {
        'X-Auth-Token': token,
        ...(isDocument && { 'Content-Type': 'application/json' }),
      },
      body: isDocument ? JSON.stringify(body) : (body as RequestInit['body']),
      duplex: 'half',
    } as RequestInit)
    await answer.arrayBuffer()
    return { status: answer.status, retryAfter: answer.headers.get('retry-after') }
  }

  put(plan: FullDiskPlan, bytes: Uint8Array, { isAnnounced = true } = {}) {
    const path = `/submission/PRO/THREE/files/${plan.fileId}`
    const body = isAnnounced ? bytes : ReadableStream.from(bodyOf(bytes).chunks)
    return this.send('PUT', path, plan.token, body as RequestInit['body'])
  }

  async state({ fileId, token }: FullDiskPlan): Promise<unknown> {
    const path = `${this.address}/submission/PRO/THREE/entities/${fileId}`
    const answer = await fetch(path, { headers: { 'X-Auth-Token': token } })
    const { entities } = (await answer.json()) as { entities: { properties: object }[] }
    return (entities[0]?.properties as { readonly file_state?: string })?.file_state
  }
}
