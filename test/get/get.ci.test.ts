import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeFolder, md5sBelow, outcomesOf, runGet } from './get-command.ts'
import { idOf, madeBytes, md5Of, type Stub, type StubFile, startStub } from './stub-server.ts'

let folder: ReturnType<typeof makeFolder>
let stub: Stub | undefined
beforeEach(() => {
  folder = makeFolder()
})
afterEach(() => {
  stub?.close()
  folder.remove()
})

const MIB = 1 << 20
const target = () => join(folder.path, 'out')
const file = (number: number, length: number, more: Partial<StubFile> = {}): StubFile => ({
  id: idOf(number),
  name: `file-${number}.bin`,
  bytes: madeBytes(`file ${number}`, length),
  ...more,
})

async function serve(...files: readonly StubFile[]): Promise<Stub> {
  stub = await startStub(...files)
  return stub
}

const get = ({ address }: Stub, ...args: readonly string[]) =>
  runGet(['--server', address, '-d', target(), '--tries', '4', ...args])

const below = (...files: readonly StubFile[]) =>
  Object.fromEntries(files.map(({ id, name, bytes }) => [join(id, name), md5Of(bytes)]))

test('a large file comes in ranges, and a second run asks for none of it', async () => {
  const large = file(1, 40 * MIB + 7)
  const server = await serve(large)
  const first = await get(server, large.id)
  expect(first).toMatchObject({
    status: 0,
    out: `${large.id}\t${join(target(), large.id, large.name)}\n`,
    err: '1 downloaded, 0 already present, 0 failed\n',
  })
  expect(md5sBelow(target())).toEqual(below(large))
  expect(server.requests.map(({ range }) => range).filter(Boolean)).toHaveLength(3)
  server.requests.length = 0
  const second = await get(server, '--json', large.id)
  expect(second.status).toBe(0)
  expect(outcomesOf(second).get(large.id)).toMatchObject({ status: 'present' })
  expect(server.requests.map(({ path }) => path)).toEqual(['/files'])
})

test('six hundred small files and a manifest come in a few archives', async () => {
  const files = Array.from({ length: 600 }, (_, i) => file(i, 50 + i))
  const server = await serve(...files)
  const manifest = join(folder.path, 'manifest.txt')
  const rows = files.map(({ id, name, bytes }) => [
    id,
    name,
    md5Of(bytes),
    bytes.length,
    'released',
  ])
  const table = [['id', 'filename', 'md5', 'size', 'state'], ...rows]
  writeFileSync(manifest, table.map((row) => `${row.join('\t')}\r\n`).join(''))
  const ended = await get(server, '-m', manifest, '--json')
  expect(ended.status).toBe(0)
  expect([...outcomesOf(ended).values()].every(({ verified }) => verified)).toBe(true)
  expect(md5sBelow(target())).toEqual(below(...files))
  // The manifest contains everything, so nothing is looked up; the 500 and 100 files are requested in groups of
  // at most 200.
  expect(server.requests.map(({ path, ids }) => [path, ids.length])).toEqual(
    expect.arrayContaining([['/data?tarfile', 200]]),
  )
  expect(server.requests).toHaveLength(4)
})

test('a member of an archive with wrong bytes is fetched by itself', async () => {
  const [good, bad] = [file(1, 100), file(2, 100)]
  const server = await serve(good, bad)
  server.intercept = ({ path }) => {
    const isArchive = path === '/data?tarfile'
    server.files.set(bad.id, isArchive ? { ...bad, bytes: madeBytes('other', 100) } : bad)
    return false
  }
  expect(await get(server, good.id, bad.id)).toMatchObject({ status: 0 })
  expect(md5sBelow(target())).toEqual(below(good, bad))
})

test('one refused file fails alone, with the words of the server, and the status is 1', async () => {
  const [open, closed] = [file(1, 100), file(2, 100, { token: 'secret-token' })]
  const server = await serve(open, closed)
  const ended = await get(server, '--json', open.id, closed.id, idOf(3))
  expect(ended.status).toBe(1)
  const outcomes = outcomesOf(ended)
  expect(outcomes.get(open.id)).toMatchObject({ status: 'complete', md5: md5Of(open.bytes) })
  expect(outcomes.get(closed.id)).toMatchObject({
    status: 'failed',
    error: 'the server answered 403: refused with 403',
  })
  expect(outcomes.get(idOf(3))).toMatchObject({ status: 'failed' })
  expect(md5sBelow(target())).toEqual(below(open))
})

test('a token of a file or the environment goes with requests for bytes alone', async () => {
  const token = 'secret-token'
  const files = [file(1, 100, { token }), file(2, 2 * MIB, { token }), file(3, 100, { token })]
  const server = await serve(...files)
  const path = join(folder.path, 'token')
  writeFileSync(path, `${token}\n`)
  const args = ['--server', server.address, '-d', target(), ...files.map(({ id }) => id)]
  const byFile = await runGet([...args, '--token-file', path], { CASEMILL_TOKEN: 'another' })
  expect(byFile).toMatchObject({ status: 0 })
  expect(byFile.out + byFile.err).not.toContain(token)
  const tokens = (isData: boolean) =>
    new Set(
      server.requests.filter((r) => r.path.startsWith('/data') === isData).map((r) => r.token),
    )
  expect([tokens(true), tokens(false)]).toEqual([new Set([token]), new Set([undefined])])
  const other = join(folder.path, 'other')
  const byEnvironment = await runGet([...args, '-d', other], { CASEMILL_TOKEN: token })
  expect(byEnvironment).toMatchObject({ status: 0 })
  expect(md5sBelow(other)).toEqual(below(...files))
})

test('--latest fetches what the server names, --related the index into the folder', async () => {
  const index = file(3, 200, { name: 'new.bam.bai' })
  const latest = file(2, 3 * MIB, { name: 'new.bam', index })
  const server = await serve(latest)
  server.latest.set(idOf(1), latest.id)
  expect(await get(server, '--latest', '--related', idOf(1))).toMatchObject({ status: 0 })
  expect(md5sBelow(target())).toEqual({
    [join(latest.id, 'new.bam')]: md5Of(latest.bytes),
    [join(latest.id, 'new.bam.bai')]: md5Of(index.bytes),
  })
})

test.each([
  ['no ranges', { hasRanges: false }],
  ['no length', { hasRanges: false, hasLength: false }],
] as const)('a server with %s sends a large file in one stream', async (_, lack) => {
  const large = file(1, 20 * MIB, { ...lack, isUnlisted: true })
  const server = await serve(large)
  expect(await get(server, large.id)).toMatchObject({ status: 0 })
  expect(md5sBelow(target())).toEqual(below(large))
  expect(server.requests).toHaveLength(2)
  // The second run takes the md5 from the head of the answer.
  const again = await get(server, '--json', large.id)
  expect(outcomesOf(again).get(large.id)).toMatchObject({ status: 'present' })
})

test('a file without md5 is fetched, and said not to be verified', async () => {
  const lacking = file(1, 17 * MIB, { hasMd5: false, isUnlisted: true })
  const server = await serve(lacking)
  const ended = await get(server, '--json', lacking.id)
  expect(ended.status).toBe(0)
  expect(outcomesOf(ended).get(lacking.id)).toEqual({
    id: lacking.id,
    path: join(target(), lacking.id, lacking.name),
    bytes: 17 * MIB,
    md5: md5Of(lacking.bytes),
    status: 'complete',
    verified: false,
  })
  expect((await get(server, lacking.id)).err).toContain('not verified')
})

test('an empty file is a file', async () => {
  const files = [file(1, 0), file(2, 0, { isUnlisted: true }), file(3, 0, { hasLength: false })]
  const server = await serve(...files)
  for (const { id } of files) expect(await get(server, id)).toMatchObject({ status: 0 })
  expect(md5sBelow(target())).toEqual(below(...files))
})

test('what lies at the place with other bytes is replaced, a folder there is reported', async () => {
  const files = [file(1, 300), file(2, 300)]
  const server = await serve(...files)
  mkdirSync(join(target(), idOf(1), 'file-1.bin'), { recursive: true })
  mkdirSync(join(target(), idOf(2)), { recursive: true })
  writeFileSync(join(target(), idOf(2), 'file-2.bin'), madeBytes('older', 300))
  const ended = await get(server, '--json', idOf(1), idOf(2))
  expect(ended.status).toBe(1)
  expect(outcomesOf(ended).get(idOf(1))).toMatchObject({ error: expect.stringContaining('EISDIR') })
  expect(md5sBelow(target())).toMatchObject(below(file(2, 300)))
})

test('a manifest of other bytes than the server has is not content with them', async () => {
  const only = file(1, 300)
  const server = await serve(only)
  const manifest = join(folder.path, 'manifest.tsv')
  writeFileSync(manifest, `md5\tid\tsize\n${md5Of(madeBytes('x', 3))}\t${only.id}\t300\n`)
  const ended = await get(server, '-m', manifest)
  expect(ended).toMatchObject({ status: 1, out: '' })
  expect(ended.err).toContain(`the server has a file of md5 ${md5Of(only.bytes)}, expected is`)
})

test.each([
  [[], 'no file is named; give ids or --manifest FILE'],
  [['--server', 'ftp://host', idOf(1)], 'Give a URL such as https://host:port.'],
  [['--server', 'http://me:word@host', idOf(1)], 'Give a URL such as https://host:port.'],
  [['-n', '0', idOf(1)], 'Give a number from 1 to 64.'],
  [['../x'], '"../x" is not a file id; it can have letters, digits, - _ .'],
])('wrong usage %j is reported in a line', async (args, told) => {
  const ended = await runGet(['--server', 'http://127.0.0.1:9', ...args])
  expect(ended.status).not.toBe(0)
  expect(ended.err).toMatch(/^casemill: [^\n]+\n$/)
  expect(ended.err).toContain(told)
})
