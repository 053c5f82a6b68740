import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeFolder, md5sBelow, outcomesOf, runGet } from './get-command.ts'
import {
  type Intercept,
  idOf,
  madeBytes,
  md5Of,
  refuse,
  type Stub,
  type StubFile,
  sendFile,
  startStub,
} from './stub-server.ts'

const MIB = 1 << 20
const BYTES = madeBytes('large', 40 * MIB)
const LARGE: StubFile = { id: idOf(1), name: 'large.bin', bytes: BYTES, md5: md5Of(BYTES) }
const SMALL: StubFile = { id: idOf(2), name: 'small.bin', bytes: madeBytes('small', 999) }

let folder: ReturnType<typeof makeFolder>
const stubs: Stub[] = []
beforeEach(() => {
  folder = makeFolder()
})
afterEach(() => {
  for (const stub of stubs.splice(0)) stub.close()
  folder.remove()
})

async function serve(files: readonly StubFile[], intercept: Intercept = () => false) {
  const stub = await startStub(...files)
  stub.intercept = intercept
  stubs.push(stub)
  return stub
}

const get = ({ address }: Stub, ...args: readonly string[]) =>
  runGet(['--server', address, '-d', folder.path, '--tries', '4', '--json', ...args])

const isData = (path: string) => path.startsWith('/data/')

test('connections that drop in the midst of a range go on at the byte where they dropped', async () => {
  const asked: string[] = []
  const stub = await serve([LARGE], ({ path, range, time }, response) => {
    if (!isData(path) || range === undefined) return false
    asked.push(range)
    const [, from = '', to = ''] = /(\d+)-(\d+)/.exec(range) ?? []
    const [start, end] = [Number(from), Number(to) + 1]
    if (end - start < 5 * MIB || time > 1) return false
    sendHeadOf(response, start, end)
    response.write(LARGE.bytes.subarray(start, start + 5 * MIB), () => response.destroy())
    return true
  })
  expect(await get(stub, LARGE.id)).toMatchObject({ status: 0 })
  expect(md5sBelow(folder.path)).toEqual({ [join(LARGE.id, 'large.bin')]: md5Of(LARGE.bytes) })
  // Nothing that was written is asked for again.
  const starts = asked.map((range) => Number(/\d+/.exec(range)?.[0]))
  expect(new Set(starts).size).toBe(starts.length)
})

function sendHeadOf(response: Parameters<Intercept>[1], start: number, end: number): void {
  response.writeHead(206, {
    'Content-Length': String(end - start),
    'Content-Range': `bytes ${start}-${end - 1}/${LARGE.bytes.length}`,
    'Content-MD5': md5Of(BYTES),
    'Content-Disposition': 'attachment; filename=large.bin',
  })
}

test.each([
  ['a 503', 503, {}],
  ['a 429 with Retry-After', 429, { 'Retry-After': '1' }],
  ['a 408', 408, {}],
])('%s is asked again, for records, files and archives', async (_, status, headers) => {
  const other = { ...SMALL, id: idOf(3) }
  const stub = await serve([LARGE, SMALL, other], ({ time }, response) =>
    time === 1 ? refuse(response, status, headers) : false,
  )
  expect(await get(stub, LARGE.id, SMALL.id, other.id)).toMatchObject({ status: 0 })
  expect(Object.values(md5sBelow(folder.path))).toEqual(
    [LARGE, SMALL, other].map(({ bytes }) => md5Of(bytes)),
  )
})

test('a refusal that does not pass ends after the tries that were given', async () => {
  const stub = await serve([LARGE], ({ path }, response) =>
    isData(path) ? refuse(response, 502) : false,
  )
  const ended = await get(stub, LARGE.id)
  expect(ended.status).toBe(1)
  expect(outcomesOf(ended).get(LARGE.id)).toMatchObject({
    ...{ status: 'failed', error: 'the server answered 502: refused with 502' },
  })
  expect(stub.requests.filter(({ path }) => isData(path))).toHaveLength(4)
})

test('400, 401, 403 and 404 are final', async () => {
  const statuses = [400, 401, 403, 404]
  const stub = await serve([], ({ path }, response) => {
    const status = statuses.find((each) => path === `/data/${idOf(each)}`)
    return status === undefined ? false : refuse(response, status)
  })
  const ended = await get(stub, ...statuses.map(idOf))
  expect(ended.status).toBe(1)
  expect([...outcomesOf(ended).values()].map(({ error }) => error).sort()).toEqual(
    statuses.map((status) => `the server answered ${status}: refused with ${status}`),
  )
  expect(stub.requests.filter(({ path }) => isData(path))).toHaveLength(4)
})

test('a server that is not there is told in one line', async () => {
  const stub = await serve([])
  stub.close()
  const ended = await get(stub, LARGE.id)
  expect(ended).toMatchObject({ status: 1, out: '' })
  expect(ended.err).toContain(`casemill: ${stub.address}: the connection failed: `)
})

test('wrong bytes are fetched once more, and then told', async () => {
  const wrong = { ...LARGE, bytes: madeBytes('wrong', 40 * MIB), md5: 'not sent' }
  let isLying = true
  const stub = await serve([LARGE], ({ path, range, time }, response) => {
    if (!isData(path) || (time > 1 && !isLying)) return false
    const claimed = { ...wrong, etag: '"x"', hasMd5: false } as const
    sendFile(claimed, { headers: { range } }, response)
    return true
  })
  const failed = await get(stub, LARGE.id)
  expect(failed.status).toBe(1)
  expect(outcomesOf(failed).get(LARGE.id)).toMatchObject({
    error: `the bytes have md5 ${md5Of(wrong.bytes)} instead of ${md5Of(LARGE.bytes)}`,
  })
  expect(md5sBelow(folder.path)).toEqual({})
  expect(stub.requests.filter(({ path }) => isData(path))).toHaveLength(6)
  isLying = false
  expect(await get(stub, LARGE.id)).toMatchObject({ status: 0 })
  expect(Object.values(md5sBelow(folder.path))).toEqual([md5Of(LARGE.bytes)])
})

test('a file that changes meanwhile is begun anew and is of one version', async () => {
  const bytes = madeBytes('newer', 50 * MIB)
  const newer = { ...LARGE, bytes, md5: md5Of(bytes), isUnlisted: true } as const
  const stub = await serve([{ ...LARGE, isUnlisted: true }])
  stub.intercept = ({ range }) => {
    if (range?.startsWith(`bytes=${16 * MIB}-`)) stub.files.set(LARGE.id, newer)
    return false
  }
  expect(await get(stub, LARGE.id)).toMatchObject({ status: 0 })
  expect(Object.values(md5sBelow(folder.path))).toEqual([md5Of(newer.bytes)])
})

test('a redirect to another origin is followed without the token', async () => {
  const store = await serve([LARGE])
  const stub = await serve([LARGE], ({ path }, response) => {
    if (!isData(path)) return false
    response.writeHead(302, { Location: `${store.address}${path}` }).end()
    return true
  })
  const args = ['--server', stub.address, '-d', folder.path, LARGE.id]
  expect(await runGet(args, { CASEMILL_TOKEN: 'secret' })).toMatchObject({ status: 0 })
  const tokens = (seen: Stub) => seen.requests.filter((r) => isData(r.path)).map((r) => r.token)
  expect(tokens(stub)).toEqual(['secret', 'secret', 'secret'])
  expect(tokens(store)).toEqual([undefined, undefined, undefined])
})

test('a server that repeats the token in its refusal does not get it printed', async () => {
  const stub = await serve([LARGE], ({ path, token }, response) => {
    if (!isData(path)) return false
    response.writeHead(403).end(JSON.stringify({ message: `\u001b[31mbad ${token}\n` }))
    return true
  })
  const args = ['--server', stub.address, '-d', folder.path, LARGE.id]
  const ended = await runGet(args, { CASEMILL_TOKEN: 'secret' })
  expect(ended.err).toContain(`casemill: ${LARGE.id}: the server answered 403: [31mbad [token]\n`)
})

const HOSTILE: readonly string[] = [
  ...[
    '../../x',
    '..\\..\\x',
    '/tmp/casemill-x',
    'C:\\x',
    'a\0b\r\nc',
    '..',
    '',
    'con',
    'x.part.json',
  ],
  ...[`${'n'.repeat(4000)}.bam.bai`, `${'\u{1f9ec}'.repeat(100)}.vcf.gz`],
]

test.each([
  ['of records, in archives', (name: string) => ({ name })],
  [
    'of headers',
    (name: string) => ({
      ...{ name: '', isUnlisted: true as const },
      disposition: `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    }),
  ],
])('hostile names %s stay in the folder of their file', async (_, named) => {
  const files = HOSTILE.map((name, i) => ({ ...SMALL, id: idOf(i), ...named(name) }))
  const out = join(folder.path, 'a', 'b')
  const ids = files.map(({ id }) => id)
  const stub = await serve(files)
  const ended = await runGet(['--server', stub.address, '-d', out, '--json', ...ids])
  expect(ended.status).toBe(0)
  expect(Object.values(md5sBelow(folder.path))).toEqual(ids.map(() => md5Of(SMALL.bytes)))
  for (const [id, { path }] of outcomesOf(ended)) {
    expect(existsSync(path ?? '')).toBe(true)
    expect(resolve(path ?? '', '..')).toBe(join(out, id))
  }
})

test('two files of one name in one folder are two files', async () => {
  const index = { ...SMALL, id: idOf(7), name: 'LARGE.bin' }
  const stub = await serve([{ ...LARGE, index }])
  expect(await get(stub, '--related', LARGE.id)).toMatchObject({ status: 0 })
  expect(md5sBelow(folder.path)).toEqual({
    [join(LARGE.id, `${index.id}_LARGE.bin`)]: md5Of(SMALL.bytes),
    [join(LARGE.id, 'large.bin')]: md5Of(BYTES),
  })
})

test('one range that is refused for good ends the others of its file, not of the next', async () => {
  const stub = await serve([LARGE, SMALL], ({ range }, response) => {
    if (range?.startsWith(`bytes=${16 << 20}-`)) return refuse(response, 503)
    return range?.startsWith(`bytes=${32 << 20}-`) ? refuse(response, 403) : false
  })
  const ended = await get(stub, LARGE.id, SMALL.id)
  expect(ended.status).toBe(1)
  expect(outcomesOf(ended).get(LARGE.id)).toMatchObject({
    error: 'the server answered 403: refused with 403',
  })
  expect(outcomesOf(ended).get(SMALL.id)).toMatchObject({ status: 'complete' })
})

test('a server that goes away and comes back is waited for', async () => {
  let isAway = false
  const stub = await serve([LARGE], ({ range, path }, response) => {
    if (range?.startsWith(`bytes=${16 << 20}-`) && !isAway) {
      isAway = true
      stub.restart(300)
      return true
    }
    return isData(path) && response.destroyed
  })
  expect(await get(stub, LARGE.id)).toMatchObject({ status: 0 })
  expect(Object.values(md5sBelow(folder.path))).toEqual([md5Of(BYTES)])
})
