import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { available } from '../../../../test/available.ts'
import { depth } from '../../../../test/depth.ts'
import { PYTHON } from '../../../../test/peers/run-peer.ts'
import type { StoredFile } from '../../../shared/catalogue/files.ts'
import { type Member, planTar, sizeOf, type TarPlan, TarReading } from './tar.ts'
import { tarHeader } from './tar-header.ts'
import type { ByteReading } from './transfer.ts'

const DATE = new Date('2024-06-03T00:00:00Z')
const ID = '0d000000-0000-4000-8000-000000000001'
const signal = new AbortController().signal

// Empty, short, exactly a block, one more, several; short, long and non-ASCII names.
const NAMES = ['a.txt', `${'n'.repeat(150)}.bam`, 'Müller β.tsv', 'y'.repeat(100), '-rf', 'a b']
const SIZES = [0, 1, 511, 512, 513, 5000]

const stored = (n: number, size: number): StoredFile => ({
  id: ID.slice(0, -2) + String(n).padStart(2, '0'),
  fileName: 'x',
  size,
  md5: String(n).padStart(32, '0'),
  dataFormat: null,
  access: 'open',
  acl: [],
  partOf: null,
  indexName: null,
  storage: 'folder',
  linkedModified: null,
  createdAt: '2025-01-01T00:00:00Z',
})

const members: readonly Member[] = NAMES.flatMap((name, i) =>
  SIZES.map((size, k): Member => {
    const path = `${ID.slice(0, -2)}${10 + i}/${k}${name}`
    const contents = k % 2 ? stored(10 * i + k, size) : Buffer.alloc(size, 65 + k)
    return { path, contents }
  }),
)

/** Contents of a stored member: the last digits of its md5, repeated. */
const byteOf = ({ md5 }: StoredFile) => Number(md5) % 256

interface Opened {
  now: number
  most: number
  total: number
}

function readingOf(plan: TarPlan, end = plan.size) {
  const opened: Opened = { now: 0, most: 0, total: 0 }
  const open = async (file: StoredFile): Promise<ByteReading> => {
    opened.now++
    opened.total++
    opened.most = Math.max(opened.most, opened.now)
    return {
      readBytes: 1 << 20,
      async read(into, position) {
        const count = Math.min(into.length, file.size - position)
        into.fill(byteOf(file), 0, count)
        return count
      },
      async close() {
        opened.now--
      },
    }
  }
  return { reading: new TarReading(plan, open, end), opened }
}

async function wholeOf(plan: TarPlan): Promise<Buffer> {
  const { reading } = readingOf(plan)
  const bytes = Buffer.alloc(plan.size, 0xff)
  expect(await reading.read(bytes, 0, { signal })).toBe(plan.size)
  await reading.close()
  return bytes
}

function temporaryFile(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'casemill-tar-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, name)
}

const PYTHON_LIST = `
import sys, tarfile
for m in tarfile.open(sys.argv[1]):
    assert m.isfile() and m.mode == 0o644 and m.uid == 0 and m.gid == 0 and not m.uname, m
    print(m.name, m.size, int(m.mtime))
`
const UTF8 = { env: { ...process.env, LC_ALL: 'C.UTF-8', PYTHONIOENCODING: 'utf-8' } }
const namesAndSizes = members.map((member) => `${member.path} ${sizeOf(member)}`)

test.skipIf(!available.python)('python reads every member, its size, mode and time', async () => {
  const path = temporaryFile('a.tar')
  writeFileSync(path, await wholeOf(await planTar(members, DATE)))
  const listed = execFileSync(PYTHON, ['-c', PYTHON_LIST, path], UTF8).toString()
  const seconds = DATE.getTime() / 1000
  expect(listed.trimEnd().split('\n')).toEqual(namesAndSizes.map((line) => `${line} ${seconds}`))
})

test.skipIf(!available.gnuTar)(
  'GNU tar reads every member with its contents, and no folder',
  async () => {
    const path = temporaryFile('a.tar')
    writeFileSync(path, await wholeOf(await planTar(members, DATE)))
    const listed = execFileSync('tar', ['--quoting-style=literal', '-tf', path], UTF8).toString()
    expect(listed.trimEnd().split('\n')).toEqual(members.map((member) => member.path))
    const out = execFileSync('tar', ['-xOf', path], UTF8)
    const expected = members.map(({ contents }) =>
      contents instanceof Uint8Array ? contents : Buffer.alloc(contents.size, byteOf(contents)),
    )
    expect(out.equals(Buffer.concat(expected))).toBe(true)
  },
)

test.skipIf(!available.bsdtar)('bsdtar reads every member', async () => {
  const path = temporaryFile('a.tar')
  writeFileSync(path, await wholeOf(await planTar(members, DATE)))
  const listed = execFileSync('bsdtar', ['-tf', path], UTF8).toString()
  expect(listed.trimEnd().split('\n')).toEqual(members.map((member) => member.path))
})

test.skipIf(!available.gnuTar || !available.python)(
  'a member beyond 8 GiB has its size',
  async () => {
    const size = 9 * 2 ** 30 + 5
    const plan = await planTar(
      [{ path: `${ID}/${'l'.repeat(150)}`, contents: stored(1, size) }],
      DATE,
    )
    // Writes the header only. The contents are a hole in the file.
    const path = temporaryFile('large.tar')
    writeFileSync(path, await tarHeader({ path: `${ID}/${'l'.repeat(150)}`, size }, DATE))
    truncateSync(path, plan.size)
    const listed = execFileSync(PYTHON, ['-c', PYTHON_LIST, path], UTF8).toString()
    expect(listed).toContain(` ${size} `)
    expect(execFileSync('tar', ['-tvf', path], UTF8).toString()).toContain(` ${size} `)
  },
)

test('any part of an archive is that part of the whole', async () => {
  const plan = await planTar(members, DATE)
  const whole = await wholeOf(plan)
  // Half of the positions are near the start or end of a member, header or block.
  const edges = fc
    .tuple(fc.constantFrom(...plan.starts), fc.constantFrom(0, 512, 1024, 1536, 2048))
    .chain(([start, block]) => fc.integer({ min: -3, max: 3 }).map((off) => start + block + off))
  const place = fc.oneof(edges, fc.nat(plan.size)).map((at) => Math.min(Math.max(at, 0), plan.size))
  const anyPart = fc.asyncProperty(place, place, async (one, other) => {
    const [start, end] = [Math.min(one, other), Math.max(one, other)]
    const { reading, opened } = readingOf(plan, end)
    const part = Buffer.alloc(end - start, 0xff)
    expect(await reading.read(part, start, { signal })).toBe(part.length)
    await reading.close()
    expect(part.equals(whole.subarray(start, end))).toBe(true)
    expect(opened.now).toBe(0)
  })
  await fc.assert(anyPart, { seed: 6, numRuns: depth(60, 300) })
})

test('at most two files are open, the current and the next; files outside the range are not opened', async () => {
  const plan = await planTar(members, DATE)
  const { reading, opened } = readingOf(plan)
  const small = Buffer.alloc(700)
  for (let at = 0; at < plan.size; at += small.length) await reading.read(small, at, { signal })
  await reading.close()
  expect(opened).toMatchObject({ now: 0, most: 2, total: NAMES.length * 3 })

  const [, second = 0] = plan.starts
  const beginning = readingOf(plan, second)
  await beginning.reading.read(Buffer.alloc(second), 0, { signal })
  expect(beginning.opened.total).toBe(0)
})

test('equal members make equal archives, and any difference another fingerprint', async () => {
  const plan = await planTar(members, DATE)
  const again = await planTar(members, DATE)
  expect(again.fingerprint).toBe(plan.fingerprint)
  expect((await wholeOf(again)).equals(await wholeOf(plan))).toBe(true)
  const [first = { path: '', contents: Buffer.of() }, ...rest] = members
  const file = stored(1, 5)
  const variants: Member[][] = [
    [...members.slice(1)],
    [...rest, first],
    [{ ...first, path: `${first.path}x` }, ...rest],
    [{ ...first, contents: Buffer.from('a') }, ...rest],
    [{ ...first, contents: Buffer.from('b') }, ...rest],
    [{ ...first, contents: file }, ...rest],
    [{ ...first, contents: { ...file, md5: 'f'.repeat(32) } }, ...rest],
    [{ ...first, contents: { ...file, size: 6 } }, ...rest],
  ]
  const others = await Promise.all(variants.map((variant) => planTar(variant, DATE)))
  const later = await planTar(members, new Date('2024-06-04T00:00:00Z'))
  const prints = [plan, later, ...others].map(({ fingerprint }) => fingerprint)
  expect(new Set(prints).size).toBe(prints.length)
})

test('a member that became shorter ends the archive', async () => {
  const file = stored(1, 5000)
  const plan = await planTar([{ path: `${ID}/a`, contents: file }], DATE)
  const short: ByteReading = { readBytes: 1, read: async () => 100, close: async () => {} }
  const reading = new TarReading(plan, async () => short, plan.size)
  await expect(reading.read(Buffer.alloc(plan.size), 0, { signal })).rejects.toMatchObject({
    code: 'corrupt_source',
    message: expect.stringContaining(file.id),
  })
})
