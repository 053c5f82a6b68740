import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { extract } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openState, statePath } from '../../../engine/shared/catalogue/state.ts'
import { fileOf, WILD_NAMES, wildId } from './support/access-records.ts'
import { OUTSIDE_MARK, startWorld, WILD_BYTES, type World } from './support/access-world.ts'

// Whatever an id or a file name contains, only stored files are read, and headers stay intact. Files that must
// not be reachable lie above, beside and among the stored ones.

const OPEN = fileOf('open').id
const CONTROLLED = fileOf('byProject').id

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

interface RawAnswer {
  readonly status: number
  readonly lines: readonly string[]
  readonly body: Buffer
}

/** Sends raw text and splits the answer into header lines and body. */
async function sendText(text: string): Promise<RawAnswer> {
  const { hostname, port } = new URL(world.address)
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  socket.on('error', () => {}).on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(socket, 'connect')
  socket.write(text, 'latin1')
  if (!socket.closed) await once(socket, 'close')
  const all = Buffer.concat(chunks)
  const end = all.indexOf('\r\n\r\n')
  const [first = '', ...lines] = all.toString('latin1', 0, end).split('\r\n')
  expect(first).toMatch(/^HTTP\/1\.1 \d{3} [A-Za-z -]+$/)
  const isChunked = lines.some((line) => /^transfer-encoding: chunked$/i.test(line))
  const body = all.subarray(end + 4)
  return { status: Number(first.slice(9, 12)), lines, body: isChunked ? unchunk(body) : body }
}

function unchunk(body: Buffer): Buffer {
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf('\r\n', at)
    const size = Number.parseInt(body.toString('latin1', at, lineEnd), 16)
    if (!(size > 0)) return Buffer.concat(chunks)
    chunks.push(body.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}

const CLOSE = 'Host: x\r\nConnection: close'
const get = (target: string) => sendText(`GET ${target} HTTP/1.1\r\n${CLOSE}\r\n\r\n`)
const post = (target: string, body: string) => {
  const bytes = Buffer.from(body)
  const head = `POST ${target} HTTP/1.1\r\n${CLOSE}\r\nContent-Type: application/json`
  return sendText(`${head}\r\nContent-Length: ${bytes.length}\r\n\r\n${bytes.toString('latin1')}`)
}

/** Expects that every line of the head is a header of printable characters, and that none was injected. */
function expectWholeHead({ lines }: RawAnswer): void {
  for (const line of lines) expect(line).toMatch(/^[A-Za-z0-9-]+: [\x20-\x7e]*$/)
  const names = lines.map((line) => line.slice(0, line.indexOf(':')).toLowerCase())
  expect(names).not.toContain('x-evil')
  for (const once of ['content-length', 'content-type', 'content-disposition']) {
    expect(names.filter((name) => name === once).length).toBeLessThanOrEqual(1)
  }
}

function expectNothingOutside({ body }: RawAnswer): void {
  const all = body.subarray(0, 2).toString('hex') === '1f8b' ? gunzipSync(body) : body
  for (const text of [OUTSIDE_MARK, 'SQLite format 3', 'root:x:0', 'Zq7-bytes-of-byProject']) {
    expect(all.includes(text)).toBe(false)
  }
}

/** Texts to put in place of an id, as they are written in a path. */
const TRICKS: readonly string[] = [
  '../../planted.txt',
  '../planted.txt',
  '..%2f..%2fplanted.txt',
  '..%2F..%2F..%2Fplanted.txt',
  '%2e%2e/%2e%2e/planted.txt',
  '%2e%2e%2f%2e%2e%2fplanted.txt',
  '%252e%252e%252fplanted.txt',
  '..%5c..%5cplanted.txt',
  '..%c0%af..%c0%afplanted.txt',
  '%c0%ae%c0%ae%2fplanted.txt',
  '%ef%bc%8e%ef%bc%8e%ef%bc%8fplanted.txt',
  '%2fetc%2fpasswd',
  '/etc/passwd',
  'file:///etc/passwd',
  'planted.txt',
  'state.sqlite',
  `${OPEN}/planted.txt`,
  `${OPEN}%2fplanted.txt`,
  `${OPEN}/../planted.txt`,
  `${OPEN}%2f..%2f..%2fplanted.txt`,
  `${OPEN}%2f..%2f${CONTROLLED}`,
  `${OPEN}%00`,
  `${OPEN}%00.txt`,
  '%00',
  `${OPEN}%0d%0aX-Evil:%201`,
  `${OPEN}%0aX-Evil:%201`,
  `${OPEN}.`,
  `${OPEN};x`,
  `${OPEN}%3f`,
  `${OPEN}%23`,
  OPEN.replaceAll('0', '%ef%bc%90'),
  OPEN.replaceAll('-', '%e2%80%90'),
  OPEN.replace('a', 'a%cc%81'),
  OPEN.replace('a', '%c3%a1'),
  OPEN.replaceAll('-', ''),
  `{${OPEN}}`,
  `urn:uuid:${OPEN}`,
  '*',
  '%',
  '%zz',
  '%ff%fe',
  'con',
  'x'.repeat(60_000),
  'x'.repeat(100_000),
  `${'%2e%2e%2f'.repeat(5000)}planted.txt`,
  `${OPEN},`.repeat(1200),
  "' OR 1=1 --".replaceAll(' ', '%20'),
]

const shorten = (text: string) =>
  text.length > 70 ? `${text.slice(0, 60)}… (${text.length})` : text

describe.each([
  '/data/',
  '/slicing/view/',
  '/v0/data/',
  '/manifest/',
  '/files/',
  '/files/versions/',
])('at %s', (path) => {
  test.each(TRICKS.map((trick) => [shorten(trick), trick]))(
    '%s is no way out',
    async (_, trick) => {
      const got = await get(`${path}${trick}`)
      expectWholeHead(got)
      expectNothingOutside(got)
      // Lists drop empty and repeated ids, so the only id in this one was really requested.
      const isOpenList = trick.startsWith(`${OPEN},`)
      if (isOpenList && got.status === 200) return
      expect(got.status).toBeGreaterThanOrEqual(400)
      expect(got.status).toBeLessThan(500)
    },
  )
})

test.each(['%20', '%09', '%e2%80%a8'])('blanks around an id are trimmed: %s', async (blank) => {
  const got = await get(`/data/${blank}${OPEN}${blank}`)
  expect(got.status).toBe(200)
  expect(got.body.equals(world.bytes.get('open') ?? Buffer.alloc(0))).toBe(true)
})

test.each(['/data', '/data?tarfile', '/data?compress', '/manifest', '/files/versions'])(
  'as ids in a body for %s they are no way out either',
  async (target) => {
    for (const trick of TRICKS) {
      const id = decode(trick)
      for (const ids of [id, [id], [[id]], [id, OPEN], { $ne: id }]) {
        const got = await post(target, JSON.stringify({ ids }))
        expectWholeHead(got)
        expectNothingOutside(got)
        expect([shorten(trick), got.status < 500]).toEqual([shorten(trick), true])
      }
    }
  },
)

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

describe.each(WILD_NAMES.map((name, i) => [shorten(JSON.stringify(name)), i, name] as const))(
  'a file that a record calls %s',
  (_, i, name) => {
    test('is served alone with whole headers, under a plain name', async () => {
      const got = await get(`/data/${wildId(i)}`)
      expectWholeHead(got)
      expect(got.status).toBe(200)
      expect(got.body.equals(WILD_BYTES[i] ?? Buffer.alloc(0))).toBe(true)
      const [line = ''] = got.lines.filter((one) => /^content-disposition:/i.test(one))
      expect(line).toMatch(
        /^Content-Disposition: attachment; (filename\*=UTF-8''[\w.!#$&+^`|~%-]+; )?filename=[\w.@+=-]+$/i,
      )
      const told = decodeURIComponent(/''([^;]*)/.exec(line)?.[1] ?? '')
      expect(told).not.toMatch(/[/\\\p{Cc}]/u)
    })

    test('is a plain member of archives, in the folder of its id', async () => {
      const got = await get(`/data/${wildId(i)},${OPEN}?tarfile`)
      expectWholeHead(got)
      expect(got.status).toBe(200)
      expectNothingOutside(got)
      expect(got.body.includes(WILD_BYTES[i] ?? '')).toBe(true)
      const members = await membersOf(got.body)
      expect(members.size).toBe(3)
      expectTable(members.get('MANIFEST.txt') ?? '', 3)
      for (const member of members.keys()) {
        expect(member).toMatch(/^(MANIFEST\.txt|[0-9a-f-]{36}\/[^/\\\p{Cc}]+)$/u)
        expect(member.split('/')).not.toContain('..')
        expect(member.split('/')).not.toContain('.')
      }
    })

    test('leaves tables and records whole', async () => {
      const manifest = await get(`/manifest/${wildId(i)}`)
      expectWholeHead(manifest)
      expect(manifest.status).toBe(200)
      expectTable(manifest.body.toString(), 2)
      const record = await get(`/files/${wildId(i)}?fields=file_name`)
      expectWholeHead(record)
      const told: string = JSON.parse(record.body.toString()).data.file_name
      expect(told.toWellFormed()).toBe(name.toWellFormed())
    })
  },
)

/** Expects the given number of lines, each with the five columns of a manifest. */
function expectTable(table: string, rows: number): void {
  const lines = table.trimEnd().split(/\r\n|[\r\n]/)
  expect(lines.map((line) => line.split('\t').length)).toEqual(Array(rows).fill(5))
}

async function membersOf(tar: Buffer): Promise<Map<string, string>> {
  const members = new Map<string, string>()
  const reader = extract()
  reader.on('entry', async ({ name }, stream, next) => {
    members.set(name, await text(stream))
    next()
  })
  const done = once(reader, 'finish')
  reader.end(tar)
  await done
  return members
}

test('a row of the catalogue that names a file outside is not followed', async () => {
  const state = openState(statePath(world.place.dataFolder))
  state.exec('PRAGMA ignore_check_constraints = 1')
  const { id } = fileOf('supersededOpen')
  const change = state.prepare('UPDATE files SET file_name = ?, size = ? WHERE id = ?')
  const before = await world.engine.shared.files.find(id)
  for (const name of ['../planted.txt', '../../planted.txt', '/etc/passwd', '..', 'a\0b']) {
    change.run(name, OUTSIDE_MARK.length, id)
    for (const target of [`/data/${id}`, `/data/${id}?tarfile`, `/data/${id},${OPEN}`]) {
      const got = await get(target)
      expectWholeHead(got)
      expectNothingOutside(got)
      expect(got.status).toBeGreaterThanOrEqual(400)
    }
  }
  change.run(before?.fileName ?? '', before?.size ?? 0, id)
  state.close()
  expect((await get(`/data/${id}`)).status).toBe(200)
})
