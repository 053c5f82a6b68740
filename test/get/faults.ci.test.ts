import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test as plainTest } from 'vitest'
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

/** A folder to download to, and servers that end with the test. */
class Ground {
  readonly folder = makeFolder()
  readonly #stubs: Stub[] = []

  async serve(files: readonly StubFile[], intercept: Intercept = () => false): Promise<Stub> {
    const stub = await startStub(...files)
    stub.intercept = intercept
    this.#stubs.push(stub)
    return stub
  }

  get({ address }: Stub, ...args: readonly string[]) {
    const { path } = this.folder
    return runGet(['--server', address, '-d', path, '--tries', '4', '--json', ...args])
  }

  [Symbol.dispose](): void {
    for (const stub of this.#stubs) stub.close()
    this.folder.remove()
  }
}

// The tests run concurrently, because much of their time is spent waiting before another try.
const test = plainTest.extend<{ readonly ground: Ground }>({
  // biome-ignore lint/correctness/noEmptyPattern: the names of what is used are read from here.
  ground: async ({}, use) => {
    using ground = new Ground()
    await use(ground)
  },
}).concurrent

const isData = (path: string) => path.startsWith('/data/')

test('connections that drop in the midst of a range go on at the byte where they dropped', async ({
  ground,
}) => {
  const asked: string[] = []
  const stub = await ground.serve([LARGE], ({ path, range, time }, response) => {
    if (!isData(path) || range === undefined) return false
    asked.push(range)
    const [, from = '', to = ''] = /(\d+)-(\d+)/.exec(range) ?? []
    const [start, end] = [Number(from), Number(to) + 1]
    if (end - start < 5 * MIB || time > 1) return false
    sendHeadOf(response, start, end)
    response.write(LARGE.bytes.subarray(start, start + 5 * MIB), () => response.destroy())
    return true
  })
  expect(await ground.get(stub, LARGE.id)).toMatchObject({ status: 0 })
  expect(md5sBelow(ground.folder.path)).toEqual({
    [join(LARGE.id, 'large.bin')]: md5Of(LARGE.bytes),
  })
  // No written bytes are requested again.
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

test.for([
  ['a 503', 503, {}],
  ['a 429 with Retry-After', 429, { 'Retry-After': '1' }],
  ['a 408', 408, {}],
] as const)(
  '%s is asked again, for records, files and archives',
  async ([, status, headers], { ground }) => {
    const other = { ...SMALL, id: idOf(3) }
    const stub = await ground.serve([LARGE, SMALL, other], ({ time }, response) =>
      time === 1 ? refuse(response, status, headers) : false,
    )
    expect(await ground.get(stub, LARGE.id, SMALL.id, other.id)).toMatchObject({ status: 0 })
    expect(Object.values(md5sBelow(ground.folder.path))).toEqual(
      [LARGE, SMALL, other].map(({ bytes }) => md5Of(bytes)),
    )
  },
)

test('a refusal that does not pass ends after the tries that were given', async ({ ground }) => {
  const stub = await ground.serve([LARGE], ({ path }, response) =>
    isData(path) ? refuse(response, 502) : false,
  )
  const ended = await ground.get(stub, LARGE.id)
  expect(ended.status).toBe(1)
  expect(outcomesOf(ended).get(LARGE.id)).toMatchObject({
    status: 'failed',
    error: 'the server answered 502: refused with 502',
  })
  expect(stub.requests.filter(({ path }) => isData(path))).toHaveLength(4)
})

test('400, 401, 403 and 404 are final', async ({ ground }) => {
  const statuses = [400, 401, 403, 404]
  const stub = await ground.serve([], ({ path }, response) => {
    const status = statuses.find((each) => path === `/data/${idOf(each)}`)
    return status === undefined ? false : refuse(response, status)
  })
  const ended = await ground.get(stub, ...statuses.map(idOf))
  expect(ended.status).toBe(1)
  expect([...outcomesOf(ended).values()].map(({ error }) => error).sort()).toEqual(
    statuses.map((status) => `the server answered ${status}: refused with ${status}`),
  )
  expect(stub.requests.filter(({ path }) => isData(path))).toHaveLength(4)
})

test('a server that is not there is reported in one line', async ({ ground }) => {
  const stub = await ground.serve([])
  stub.close()
  const ended = await ground.get(stub, LARGE.id)
  expect(ended).toMatchObject({ status: 1, out: '' })
  expect(ended.err).toContain(
    `casemill: ${stub.address}: the connection failed: nothing listens there; `,
  )
})

test('wrong bytes are fetched once more, and then told', async ({ ground }) => {
  const wrong = { ...LARGE, bytes: madeBytes('wrong', 40 * MIB), md5: 'not sent' }
  let isLying = true
  const stub = await ground.serve([LARGE], ({ path, range, time }, response) => {
    if (!isData(path) || (time > 1 && !isLying)) return false
    const claimed = { ...wrong, etag: '"x"', hasMd5: false } as const
    sendFile(claimed, { headers: { range } }, response)
    return true
  })
  const failed = await ground.get(stub, LARGE.id)
  expect(failed.status).toBe(1)
  expect(outcomesOf(failed).get(LARGE.id)).toMatchObject({
    error: `the bytes have md5 ${md5Of(wrong.bytes)} instead of ${md5Of(LARGE.bytes)}`,
  })
  expect(md5sBelow(ground.folder.path)).toEqual({})
  expect(stub.requests.filter(({ path }) => isData(path))).toHaveLength(6)
  isLying = false
  expect(await ground.get(stub, LARGE.id)).toMatchObject({ status: 0 })
  expect(Object.values(md5sBelow(ground.folder.path))).toEqual([md5Of(LARGE.bytes)])
})

test('a file that changes meanwhile is begun again and is of one version', async ({ ground }) => {
  const bytes = madeBytes('newer', 50 * MIB)
  const newer = { ...LARGE, bytes, md5: md5Of(bytes), isUnlisted: true } as const
  const stub = await ground.serve([{ ...LARGE, isUnlisted: true }])
  stub.intercept = ({ range }) => {
    if (range?.startsWith(`bytes=${16 * MIB}-`)) stub.files.set(LARGE.id, newer)
    return false
  }
  expect(await ground.get(stub, LARGE.id)).toMatchObject({ status: 0 })
  expect(Object.values(md5sBelow(ground.folder.path))).toEqual([md5Of(newer.bytes)])
})

test('a redirect to another origin is followed without the token', async ({ ground }) => {
  const store = await ground.serve([LARGE])
  const stub = await ground.serve([LARGE], ({ path }, response) => {
    if (!isData(path)) return false
    response.writeHead(302, { Location: `${store.address}${path}` }).end()
    return true
  })
  const args = ['--server', stub.address, '-d', ground.folder.path, LARGE.id]
  expect(await runGet(args, { CASEMILL_TOKEN: 'secret' })).toMatchObject({ status: 0 })
  const tokens = (seen: Stub) => seen.requests.filter((r) => isData(r.path)).map((r) => r.token)
  expect(tokens(stub)).toEqual(['secret', 'secret', 'secret'])
  expect(tokens(store)).toEqual([undefined, undefined, undefined])
})

test('a server that repeats the token in its refusal does not get it printed', async ({
  ground,
}) => {
  const stub = await ground.serve([LARGE], ({ path, token }, response) => {
    if (!isData(path)) return false
    response.writeHead(403).end(JSON.stringify({ message: `\u001b[31mbad ${token}\n` }))
    return true
  })
  const args = ['--server', stub.address, '-d', ground.folder.path, LARGE.id]
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

test.for([
  ['of records, in archives', (name: string) => ({ name })],
  [
    'of headers',
    (name: string) => ({
      name: '',
      isUnlisted: true as const,
      disposition: `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    }),
  ],
] as const)('hostile names %s stay in the folder of their file', async ([, named], { ground }) => {
  const files = HOSTILE.map((name, i) => ({ ...SMALL, id: idOf(i), ...named(name) }))
  const out = join(ground.folder.path, 'a', 'b')
  const ids = files.map(({ id }) => id)
  const stub = await ground.serve(files)
  const ended = await runGet(['--server', stub.address, '-d', out, '--json', ...ids])
  expect(ended.status).toBe(0)
  expect(Object.values(md5sBelow(ground.folder.path))).toEqual(ids.map(() => md5Of(SMALL.bytes)))
  for (const [id, { path }] of outcomesOf(ended)) {
    expect(existsSync(path ?? '')).toBe(true)
    expect(resolve(path ?? '', '..')).toBe(join(out, id))
  }
})

test('two files of one name in one folder are two files', async ({ ground }) => {
  const index = { ...SMALL, id: idOf(7), name: 'LARGE.bin' }
  const stub = await ground.serve([{ ...LARGE, index }])
  expect(await ground.get(stub, '--related', LARGE.id)).toMatchObject({ status: 0 })
  expect(md5sBelow(ground.folder.path)).toEqual({
    [join(LARGE.id, `${index.id}_LARGE.bin`)]: md5Of(SMALL.bytes),
    [join(LARGE.id, 'large.bin')]: md5Of(BYTES),
  })
})

test('one range that is refused for good ends the others of its file, not of the next', async ({
  ground,
}) => {
  const stub = await ground.serve([LARGE, SMALL], ({ range }, response) => {
    if (range?.startsWith(`bytes=${16 << 20}-`)) return refuse(response, 503)
    return range?.startsWith(`bytes=${32 << 20}-`) ? refuse(response, 403) : false
  })
  const ended = await ground.get(stub, LARGE.id, SMALL.id)
  expect(ended.status).toBe(1)
  expect(outcomesOf(ended).get(LARGE.id)).toMatchObject({
    error: 'the server answered 403: refused with 403',
  })
  expect(outcomesOf(ended).get(SMALL.id)).toMatchObject({ status: 'complete' })
})

test('a server that goes away and comes back is waited for', async ({ ground }) => {
  let isAway = false
  const stub = await ground.serve([LARGE], ({ range, path }, response) => {
    if (range?.startsWith(`bytes=${16 << 20}-`) && !isAway) {
      isAway = true
      stub.restart(300)
      return true
    }
    return isData(path) && response.destroyed
  })
  expect(await ground.get(stub, LARGE.id)).toMatchObject({ status: 0 })
  expect(Object.values(md5sBelow(ground.folder.path))).toEqual([md5Of(BYTES)])
})
