import { afterAll, beforeAll, expect, test } from 'vitest'
import { blobKey } from '../../engine/shared/blobs/blob-key.ts'
import type { FileIdentity } from '../../engine/shared/blobs/identity.ts'
import { createApp } from '../../server/app.ts'
import { readConfig } from '../../server/config.ts'
import { createMetrics } from '../../server/http/metrics.ts'
import { fakeStatus, keptLog } from '../commons/contract/fake-engine.ts'
import {
  idOf,
  listed,
  type RetainedFile,
  recordOf,
  SURROUNDINGS,
  someBytes,
} from '../commons/contract/support/download-records.ts'
import { type DownloadWorld, openWorld } from '../commons/contract/support/download-world.ts'

// A signed link opens one file for one user until it expires, and grants no more than a token would.

const file = (n: number, name: string, length: number): RetainedFile => ({
  id: idOf(n),
  name,
  bytes: someBytes(length, n),
})
const CLOSED = file(1, 'closed.bam', 4000)
const INDEX = file(2, 'closed.bam.bai', 77)
const OTHER = file(3, 'other.bam', 4000)
const OPEN = file(4, 'open.bam', 500)
const RECORDS = {
  ...SURROUNDINGS,
  files: [
    recordOf(CLOSED, { access: 'controlled', acl: ['ALPHA-1'], index_files: [listed(INDEX)] }),
    recordOf(OTHER, { access: 'controlled', acl: ['ALPHA-1'] }),
    recordOf(OPEN),
  ],
}

const clock = { now: Date.parse('2026-03-01T00:00:00Z') }
let world: DownloadWorld
let app: ReturnType<typeof createApp>
let lines: readonly string[]
let tokens: DownloadWorld['engine']['shared']['tokens']

beforeAll(async () => {
  world = await openWorld(RECORDS, { clock: () => new Date(clock.now) })
  for (const one of [CLOSED, INDEX, OTHER, OPEN]) await world.store(one)
  const config = readConfig({ flags: { logLevel: 'trace' } })
  const kept = keptLog(config)
  lines = kept.lines
  const { engine } = world
  const metrics = createMetrics(engine)
  app = createApp({ engine, config, log: kept.log, metrics, status: fakeStatus })
  tokens = engine.shared.tokens
})
afterAll(() => world.close())

const ask = (path: string, headers: Record<string, string> = {}) => app.request(path, { headers })
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())
const statusOf = async (path: string, headers: Record<string, string>) => {
  const response = await ask(path, headers)
  await response.arrayBuffer()
  return response.status
}
const messageOf = async (response: Response) =>
  ((await response.json()) as { readonly message: string }).message
const tokenOf = (user: string, project: string) => tokens.create({ user, projects: [project] })

async function ticketOf(token: string, id = CLOSED.id): Promise<Record<string, string>> {
  const { ticket } = await world.engine.commons.links.of(id, token)
  return { 'x-ticket': ticket ?? '' }
}

test('a ticket opens its file, whole and by ranges, without the token', async () => {
  const ticket = await ticketOf((await tokenOf('ada', 'ALPHA-1')).secret)
  expect((await bytesOf(await ask(`/data/${CLOSED.id}`, ticket))).equals(CLOSED.bytes)).toBe(true)
  const part = await ask(`/data/${CLOSED.id}`, { ...ticket, range: 'bytes=10-19' })
  expect([part.status, (await bytesOf(part)).equals(CLOSED.bytes.subarray(10, 20))]).toEqual([
    206,
    true,
  ])
})

test('it opens nothing else', async () => {
  const { secret } = await tokenOf('ada', 'ALPHA-1')
  const ticket = await ticketOf(secret)
  expect(await statusOf(`/data/${OTHER.id}`, ticket)).toBe(403)
  expect(await statusOf(`/data/${CLOSED.id}.bai`, ticket)).toBe(403)
  expect(await statusOf(`/slicing/view/${CLOSED.id}`, ticket)).not.toBeLessThan(400)
  const archives = ['?tarfile', '?related_files=true', '?annotations=true', '?compress']
  for (const query of archives) {
    expect(await statusOf(`/data/${CLOSED.id}${query}`, ticket), query).toBe(400)
    // A token sent with it does not extend the link's rights.
    const both = { ...ticket, 'x-auth-token': secret }
    expect(await statusOf(`/data/${CLOSED.id}${query}`, both), query).toBe(400)
  }
  expect(await statusOf(`/data/${CLOSED.id},${OTHER.id}`, ticket)).toBe(400)
})

test('it is not made for who may not read the file', async () => {
  const links = world.engine.commons.links
  const { secret } = await tokenOf('otto', 'BETA-1')
  await expect(links.of(CLOSED.id, secret)).rejects.toMatchObject({ code: 'forbidden' })
  await expect(links.of(CLOSED.id, undefined)).rejects.toMatchObject({ code: 'unauthenticated' })
  await expect(links.of(idOf(99), secret)).rejects.toMatchObject({ code: 'not_found' })
})

test('it ends when it expires, and is refused as a bad token is', async () => {
  const ticket = await ticketOf((await tokenOf('ada', 'ALPHA-1')).secret)
  clock.now += 900_000
  const response = await ask(`/data/${CLOSED.id}`, ticket)
  expect([response.status, await messageOf(response)]).toEqual([
    403,
    'Your ticket is invalid or expired. Please get a new ticket.',
  ])
  expect(await statusOf(`/data/${CLOSED.id}`, { 'x-ticket': '' })).toBe(403)
})

test('it ends when the token is revoked', async () => {
  const made = await tokenOf('ada', 'ALPHA-1')
  const ticket = await ticketOf(made.secret)
  await tokens.revoke(made.id)
  expect(await statusOf(`/data/${CLOSED.id}`, ticket)).toBe(403)
})

test('it ends when the user loses the right', async () => {
  const ticket = await ticketOf((await tokenOf('eve', 'ALPHA-1')).secret)
  expect(await statusOf(`/data/${CLOSED.id}`, ticket)).toBe(200)
  await tokenOf('eve', 'BETA-1')
  expect(await statusOf(`/data/${CLOSED.id}`, ticket)).toBe(403)
})

test('other bytes in place of those that it was made for are not given', async () => {
  const { secret } = await tokenOf('ada', 'ALPHA-1')
  const ticket = await ticketOf(secret)
  // The number of bytes is the same, so only their identity differs.
  await world.replace({ ...CLOSED, bytes: someBytes(4000, 77) })
  const response = await ask(`/data/${CLOSED.id}`, { ...ticket, range: 'bytes=0-9' })
  expect([response.status, await messageOf(response)]).toEqual([
    412,
    `file ${CLOSED.id} has other bytes by now; request a new ticket`,
  ])
  expect(world.engine.load().activeDownloads).toBe(0)
  await world.replace(CLOSED)
})

test('an open file needs none; one for planned ranges holds as long as the file is open', async () => {
  const { links } = world.engine.commons
  expect((await links.of(OPEN.id, undefined)).ticket).toBeUndefined()
  const { blobs } = world.engine.shared
  const at = blobs.writing
  const identity = (await at.identity(blobKey(OPEN.id, OPEN.name))) as FileIdentity
  const { file } = await openFileOf()
  const { ticket } = await links.linkTo({ file, token: undefined }, { identity })
  const headers = { 'x-ticket': ticket ?? '' }
  expect(await statusOf(`/data/${OPEN.id}`, headers)).toBe(200)
  const [first, ...others] = RECORDS.files
  const closed = { ...others[1], access: 'controlled', acl: ['ALPHA-1'] }
  await world.serve({ ...RECORDS, files: [first, others[0], closed] } as typeof RECORDS, 'second')
  await expect
    .poll(async () => statusOf(`/data/${OPEN.id}`, headers), { timeout: 20_000 })
    .toBe(403)
})

const openFileOf = async () => {
  const { stored } = { stored: await world.engine.shared.files.find(OPEN.id) }
  if (!stored) throw new Error('the open file is stored')
  const guards = [{ isOpen: true, anyOf: [], allOf: [], consent: [] }]
  const about = { kind: 'file', fileName: OPEN.name, state: '', dataFormat: undefined } as const
  const size = { md5: stored.md5, size: stored.size, related: [], isReleased: true }
  return { file: { id: OPEN.id, guards, stored, ...about, ...size } }
}

test('the log has neither token nor ticket', async () => {
  const { secret } = await tokenOf('ada', 'ALPHA-1')
  const ticket = await ticketOf(secret)
  const before = lines.length
  await bytesOf(await ask(`/data/${CLOSED.id}`, ticket))
  await bytesOf(await ask(`/data/${OTHER.id}`, ticket))
  expect(lines.length).toBeGreaterThan(before)
  const text = lines.join('')
  expect(text).not.toContain(ticket['x-ticket'])
  expect(text).not.toContain(secret.slice(17))
})
