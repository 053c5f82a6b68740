import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { App } from '../../../server/http/compose.ts'
import { depth } from '../../depth.ts'
import { appOf } from '../search/support/app.ts'
import { idOf, md5Of, recordOf, SURROUNDINGS, someBytes } from './support/download-records.ts'
import { type DownloadWorld, openWorld } from './support/download-world.ts'

// Which downloads are handed over to a server in front, and which are not.

const PREFIX = '/internal-files/'
const OPEN = { id: idOf(1), name: '50% of a+b?.txt', bytes: someBytes(1000, 1) }
const CLOSED = { id: idOf(2), name: 'closed.bam', bytes: someBytes(400, 2) }
const DAMAGED = { id: idOf(3), name: 'damaged.txt', bytes: someBytes(50, 3) }
const LINKED = { id: idOf(4), name: 'linked.txt', bytes: someBytes(60, 4) }
const SHORT = { id: idOf(5), name: 'short.txt', bytes: someBytes(70, 5) }
const KEPT = [OPEN, CLOSED, DAMAGED, LINKED, SHORT]

let world: DownloadWorld
let app: App
let token = ''

beforeAll(async () => {
  const closed = recordOf(CLOSED, { access: 'controlled', acl: ['ALPHA-1'] })
  const files = KEPT.map((file) => (file === CLOSED ? closed : recordOf(file)))
  world = await openWorld({ ...SURROUNDINGS, files })
  for (const file of KEPT) await world.store(file, file === LINKED ? { linkedModified: '1' } : {})
  const { checks } = world.engine.shared
  const file = { id: DAMAGED.id, md5: md5Of(DAMAGED.bytes) }
  await checks.record([{ file, problem: 'made up' }])
  await world.replace({ ...SHORT, bytes: someBytes(69, 5) })
  app = appOf(world.engine, { accelPrefix: PREFIX })
  token = (await world.engine.shared.tokens.create({ user: 'ada', projects: ['ALPHA-1'] })).secret
})
afterAll(() => world.close())

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  app.request(path, { method, headers })
const handedOver = (response: Response) => response.headers.get('x-accel-redirect')

test('a stored file is handed over with what a client reads of it, and without its bytes', async () => {
  const response = await ask(`/data/${OPEN.id}`)
  expect(response.status).toBe(200)
  expect(handedOver(response)).toBe(`${PREFIX}${OPEN.id}/50%25%20of%20a%2Bb%3F.txt`)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-md5': md5Of(OPEN.bytes),
    etag: `"${md5Of(OPEN.bytes)}"`,
    'content-type': 'application/octet-stream',
    'x-content-type-options': 'nosniff',
  })
  expect(response.headers.has('accept-ranges')).toBe(false)
  expect(await response.text()).toBe('')
})

test('rights are judged before', async () => {
  const refused = await ask(`/data/${CLOSED.id}`)
  expect([refused.status, handedOver(refused)]).toEqual([403, null])
  const given = await ask(`/data/${CLOSED.id}`, { 'X-Auth-Token': token })
  expect(handedOver(given)).toBe(`${PREFIX}${CLOSED.id}/closed.bam`)
})

test.each([
  ['HEAD', `/data/${OPEN.id}`, {}, 'HEAD', 200],
  ['a tar', `/data/${OPEN.id}?tarfile`, {}, 'GET', 200],
  ['a tar.gz', `/data/${OPEN.id}?compress`, {}, 'GET', 200],
  ['several files', `/data/${OPEN.id},${DAMAGED.id}`, {}, 'GET', 200],
  ['a file found damaged', `/data/${DAMAGED.id}`, {}, 'GET', 200],
  ['a file that is linked to and changed', `/data/${LINKED.id}`, {}, 'GET', 500],
  ['a file of another size', `/data/${SHORT.id}`, {}, 'GET', 500],
  ['a precondition', `/data/${OPEN.id}`, { 'If-None-Match': '"x"' }, 'GET', 200],
  ['a range to be ignored', `/data/${OPEN.id}`, { Range: 'bytes=5-1' }, 'GET', 200],
  ['several ranges', `/data/${OPEN.id}`, { Range: 'bytes=0-1,3-4' }, 'GET', 200],
  ['a range behind the end', `/data/${OPEN.id}`, { Range: 'bytes=1000-' }, 'GET', 416],
  [
    'a range of other bytes',
    `/data/${OPEN.id}`,
    { Range: 'bytes=1-', 'If-Range': '"x"' },
    'GET',
    200,
  ],
] as const)('%s is answered here', async (_, path, headers, method, status) => {
  const response = await ask(path, headers, method)
  expect([response.status, handedOver(response)]).toEqual([status, null])
  await response.arrayBuffer()
})

test('one range is handed over', async () => {
  expect(handedOver(await ask(`/data/${OPEN.id}`, { Range: 'bytes=5-' }))).not.toBeNull()
})

test('without the setting nothing is handed over', async () => {
  const response = await appOf(world.engine).request(`/data/${OPEN.id}`)
  expect(handedOver(response)).toBeNull()
  expect(md5Of(Buffer.from(await response.arrayBuffer()))).toBe(md5Of(OPEN.bytes))
})

test('any name becomes a path that names it and stays below the prefix', async () => {
  const name = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 60 })
    .filter((text) => !/[/\\\p{Cc}]/u.test(text) && text !== '.' && text !== '..')
  let n = 100
  await fc.assert(
    fc.asyncProperty(name, async (text) => {
      const file = { id: idOf(n++), name: text, bytes: Buffer.from('x') }
      await world.store(file, { access: 'open' })
      const path = handedOver(await ask(`/data/${file.id}`)) ?? ''
      expect(path).toMatch(/^[\w./%~!'()*-]+$/)
      const [, prefix, id, last, ...rest] = path.split('/')
      expect([prefix, id, rest]).toEqual(['internal-files', file.id, []])
      expect(decodeURIComponent(last ?? '')).toBe(text)
    }),
    { seed: 1, numRuns: depth(20, 100) },
  )
})
