import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { endOf, startProgram } from '../../../bin/support/program.ts'
import type { ListedOffer } from '../../../engine/commons/index.ts'
import { Releases } from '../../../engine/commons/release/releases.ts'
import { ObjectClient } from '../../../engine/shared/blobs/object-client.ts'
import { type S3Server, startS3 } from '../../../engine/shared/blobs/support/s3-server.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import { buildMadeRelease } from '../../../fixtures/release/build-made.ts'
import { available } from '../../available.ts'
import { depth, sample } from '../../depth.ts'
import { eventually } from '../../eventually.ts'
import { type ProcessService, serveByProcesses } from '../../http/support/process-service.ts'
import { PostgresServer } from '../../shared/database/support/postgres.ts'
import { filesOf } from './support/nodes.ts'

const CART = join(import.meta.dirname, '../../../examples/real-export/cart')
const KILLS = depth(8, 8, 20)

describe.skipIf(!available.postgresql)('nodes with PostgreSQL and a bucket', () => {
  const postgres = new PostgresServer()
  let s3: S3Server
  let environment: Record<string, string> = {}
  const folders: string[] = []
  const services: ProcessService[] = []

  beforeAll(() => postgres.start())
  afterAll(() => postgres.stop())
  beforeEach(async () => {
    s3 = await startS3()
    environment = { ...s3.environment, CASEMILL_STATE_URL: await postgres.url() }
  })
  afterEach(async () => {
    for (const service of services.splice(0)) {
      service.server.kill('SIGCONT')
      await service.stop()
    }
    await s3.stop()
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
  })

  const newFolder = () => {
    const folder = mkdtempSync(join(tmpdir(), 'casemill-nodes-'))
    folders.push(folder)
    return folder
  }
  const start = (folder: string, ...words: string[]) =>
    startProgram([...words, '--data', folder], environment)
  const run = async (folder: string, ...words: string[]) => {
    const ended = await endOf(start(folder, ...words))
    expect([ended.status, ended.err]).toEqual([0, ended.err])
    return ended
  }
  const list = async (folder: string) =>
    JSON.parse((await run(folder, 'release', 'list', '--json')).out) as ListedOffer[]
  const serve = async (folder: string, processes: number) => {
    const service = await serveByProcesses(folder, processes, environment)
    services.push(service)
    return service
  }
  const ask = async ({ address }: ProcessService, path: string) => fetch(address + path)
  const servedBy = async (service: ProcessService) =>
    (await ask(service, '/projects?size=0')).headers.get('x-casemill-release')
  const untilServed = (id: string, all: readonly ProcessService[]) =>
    eventually(async () => {
      for (const service of all) {
        // With several processes, each of them answers in turn.
        for (let i = 0; i < 4; i++) expect(await servedBy(service)).toBe(id)
        expect((await ask(service, '/health/ready')).status).toBe(200)
      }
    })

  test('imports are published, nodes switch together, an empty disk joins, and one goes back', async () => {
    const [a, b, c] = [newFolder(), newFolder(), newFolder()]
    const made = await run(a, 'import', 'commons', CART)
    expect(made.err).toContain('is offered')
    const [first] = await list(a)
    expect(first).toMatchObject({ isCurrent: true, nodes: [] })
    const old = first?.id ?? ''

    const one = await serve(a, 2)
    // The server starts with an empty disk.
    const other = await serve(b, 2)
    await untilServed(old, [one, other])
    expect(await filesOf(join(b, 'releases', old))).toEqual(await filesOf(join(a, 'releases', old)))
    await eventually(async () => expect((await list(a))[0]?.nodes).toHaveLength(2))

    const page = (from: number) =>
      `/cases?sort=submitter_id&size=1&fields=submitter_id&from=${from}&release=${old}`
    const pages: unknown[] = [await (await ask(one, page(0))).json()]
    // Without a server, the folder first has to fetch the current release.
    await run(c, 'import', 'commons', CART, '--no-switch')
    const [, offered] = await list(c)
    const next = offered?.id ?? ''
    expect(offered).toMatchObject({ isCurrent: false })
    expect(await new Releases(c).current()).toBe(old)
    expect(await servedBy(one)).toBe(old)
    const switched = await run(c, 'release', 'switch', next)
    expect(switched.out).toBe(
      `release ${next} is current in place of ${old}; 2 of 2 nodes are ready\n`,
    )
    await untilServed(next, [one, other])
    for (const from of [1, 2]) {
      const answer = await ask(from === 1 ? other : one, page(from))
      expect([answer.status, answer.headers.get('x-casemill-release')]).toEqual([200, old])
      pages.push(await answer.json())
    }
    expect(new Set(pages.map((text) => JSON.stringify(text))).size).toBe(pages.length)

    expect((await run(a, 'release', 'switch', old)).out).toContain('2 of 2 nodes are ready')
    await untilServed(old, [one, other])

    // The release is made before the node stops: a node that is silent for a minute counts as dead, and then the
    // others do not wait for it.
    const { id: newest } = await buildMadeRelease({
      dataFolder: c,
      executor: inlineExecutor,
      scale: 'tiny',
      seed: 1,
    })
    await new Releases(c).switchTo(old)
    // The process exists but is stopped, and the others switch without it.
    other.server.kill('SIGSTOP')
    for (const pid of other.pids()) process.kill(pid, 'SIGSTOP')
    await run(c, 'release', 'publish', newest)
    const late = await run(c, 'release', 'switch', newest, '--wait', '8')
    expect(late.out).toContain('1 of 2 nodes are ready')
    expect(late.err).toMatch(/^not ready: \S+\/[0-9a-f]{8}$/m)
    await untilServed(newest, [one])
    for (const pid of other.pids()) process.kill(pid, 'SIGCONT')
    other.server.kill('SIGCONT')
    await untilServed(newest, [one, other])
  }, 900_000)

  test(`a publication that was killed ${KILLS} times shows nothing and goes on each time`, async () => {
    const folder = newFolder()
    const { id } = await buildMadeRelease({
      dataFolder: folder,
      executor: inlineExecutor,
      scale: 'tiny',
      seed: 1,
    })
    const files = await filesOf(join(folder, 'releases', id))
    const contents = new Set<string>()
    for (const bytes of files.values()) {
      contents.add(`${createHash('sha256').update(bytes).digest('hex')}-${bytes.length}`)
    }
    const nameOf = (url: string) => url.split('?')[0]?.split('/').at(-1) ?? ''
    let seed = 7
    const below = (end: number) => {
      seed = (seed * 48_271) % 0x7fff_ffff
      return seed % end
    }
    for (let kill = 0; kill < KILLS; kill++) {
      const child = start(folder, 'release', 'publish', id)
      // The request at which to kill; the last two come after the last file: when the list of files is sent, and
      // after it.
      let left = 1 + below(Math.ceil((4 * contents.size) / KILLS))
      const isLast = kill >= KILLS - 2
      if (isLast) left = kill === KILLS - 1 ? 2 : 1
      let isBehind = !isLast
      s3.intercept = ({ method, url = '' }) => {
        isBehind ||= method === 'PUT' && !contents.has(nameOf(url))
        if (isBehind && --left === 0) child.kill('SIGKILL')
        // A request that the kill cut off is not stored.
        return isLast && kill !== KILLS - 1 && isBehind
      }
      const ended = await endOf(child)
      expect([kill, ended.signal, ended.err]).toEqual([kill, 'SIGKILL', ended.err])
      s3.intercept = () => false
      expect(await list(folder)).toEqual([])
    }
    const before = s3.requests.length
    await run(folder, 'release', 'publish', id)
    const again = s3.requests.slice(before).filter(({ method }) => method === 'PUT')
    expect(again.length).toBeLessThan(contents.size / 2)
    expect(await list(folder)).toMatchObject([{ id, isCurrent: false, nodes: [] }])
    await run(folder, 'release', 'switch', id)
    const empty = newFolder()
    const node = await serve(empty, 1)
    await untilServed(id, [node])
    expect(await filesOf(join(empty, 'releases', id))).toEqual(files)
    expect(
      (await readdir(join(empty, 'releases'))).filter((name) => name.startsWith('.pulling')),
    ).toEqual([])
  }, 900_000)

  test('a withdrawal that is killed at any step goes on, and no other release lacks a file', async () => {
    const folder = newFolder()
    await run(folder, 'import', 'commons', CART)
    const [{ id: current } = { id: '' }] = await list(folder)
    const bucket = async () => {
      const client = new ObjectClient(s3.options)
      const names: string[] = []
      for await (const name of client.keys('')) names.push(name)
      await client.close()
      return names
    }
    const before = await bucket()
    const { id } = await buildMadeRelease({
      dataFolder: folder,
      executor: inlineExecutor,
      scale: 'tiny',
      seed: 1,
    })
    await new Releases(folder).switchTo(current)
    await run(folder, 'release', 'publish', id)
    const all = await bucket()
    const own = all.length - before.length
    // The kills come before the first object, after it, and so on; the list of files is deleted last.
    const removals = [1, 2, Math.ceil(own / 2), own - 1, own]
    const steps = removals.flatMap((n) => [
      { n, isRemoved: false },
      { n, isRemoved: true },
    ])
    for (const { n, isRemoved } of sample([{ n: 0, isRemoved: false }, ...steps], 3)) {
      let removed = own - ((await bucket()).length - before.length)
      const child = start(folder, 'release', 'withdraw', id)
      s3.intercept = ({ method }) => {
        if (method === 'DELETE') removed++
        const isDue = n === 0 || (method === 'DELETE' && removed >= n)
        if (isDue) child.kill('SIGKILL')
        return isDue && !isRemoved
      }
      const ended = await endOf(child)
      s3.intercept = () => false
      expect([n, ended.signal, ended.err]).toEqual([n, 'SIGKILL', ended.err])
      expect(await list(folder)).toMatchObject([{ id: current, isCurrent: true }])
    }
    await run(folder, 'release', 'withdraw', id)
    expect(await bucket()).toEqual(before)
    // The next publication works, and the other release is intact.
    await run(folder, 'release', 'publish', id)
    expect(await bucket()).toEqual(all)
    const empty = newFolder()
    const node = await serve(empty, 1)
    await untilServed(current, [node])
    const [served, made] = [empty, folder].map((each) => join(each, 'releases', current))
    expect(await filesOf(served ?? '')).toEqual(await filesOf(made ?? ''))
    expect((await endOf(start(folder, 'release', 'withdraw', current))).err).toContain(
      'is the current one; switch to another one',
    )
  }, 900_000)
})
