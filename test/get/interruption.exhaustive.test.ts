import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeFolder, md5sBelow, runGet, startGet } from './get-command.ts'
import {
  askedBytes,
  type Intercept,
  idOf,
  madeBytes,
  md5Of,
  type Stub,
  type StubFile,
  sendFile,
  startStub,
} from './stub-server.ts'

const MIB = 1 << 20
const SIZE = 70 * MIB + 5
const BYTES = madeBytes('large', SIZE)
const MD5 = md5Of(BYTES)
const FILE: StubFile = { id: idOf(1), name: 'large.bin', bytes: BYTES, md5: MD5 }

let folder: ReturnType<typeof makeFolder>
let stub: Stub
beforeEach(async () => {
  folder = makeFolder()
  stub = await startStub(FILE)
})
afterEach(() => {
  stub.close()
  folder.remove()
})

const finalPath = () => join(folder.path, FILE.id, FILE.name)
const args = () => ['--server', stub.address, '-d', folder.path, FILE.id]

/** The number of bytes recorded in the note next to the partial file. */
function notedBytes(): number {
  const path = `${finalPath()}.part.json`
  if (!existsSync(path)) return 0
  const { there } = JSON.parse(readFileSync(path, 'utf8')) as { there: [number, number][] }
  return there.reduce((sum, [start, end]) => sum + end - start, 0)
}

async function untilNoted(bytes: number): Promise<void> {
  while (notedBytes() < bytes) await setTimeout(5)
}

/** Sends this many bytes of every range except the first, then stalls. */
const stallAfter =
  (sent: number): Intercept =>
  ({ path, range }, response) => {
    const [, from = '', to = ''] = /(\d+)-(\d+)/.exec(range ?? '') ?? []
    if (!path.startsWith('/data/') || from === '0') return false
    response.writeHead(206, {
      'Content-Length': String(Number(to) - Number(from) + 1),
      'Content-Range': `bytes ${from}-${to}/${SIZE}`,
      'Content-MD5': MD5,
    })
    response.write(BYTES.subarray(Number(from), Number(from) + sent))
    return true
  }

async function expectRest(): Promise<void> {
  const noted = notedBytes()
  expect(noted).toBeGreaterThan(0)
  stub.intercept = () => false
  stub.requests.length = 0
  expect(await runGet(args())).toMatchObject({ status: 0 })
  expect(md5sBelow(folder.path)).toEqual({ [join(FILE.id, FILE.name)]: MD5 })
  // One additional byte checks whether the file is the same as before.
  expect(askedBytes(stub.requests)).toBe(SIZE - noted + 1)
}

test('a run that is killed goes on where it was: only what is missing is asked for', async () => {
  stub.intercept = stallAfter(9 * MIB)
  const child = startGet(args())
  await untilNoted(16 * MIB + 3 * 7 * MIB)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(existsSync(finalPath())).toBe(false)
  await expectRest()
})

test('Ctrl-C ends it by the signal, and what came since the last note is kept too', async () => {
  stub.intercept = stallAfter(3.5 * MIB)
  const child = startGet([...args(), '-n', '1'])
  const said = text(child.stderr)
  await untilNoted(16 * MIB)
  while (statSync(`${finalPath()}.part`).size < 19 * MIB) await setTimeout(5)
  const before = notedBytes()
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([null, 'SIGINT'])
  expect(await said).not.toContain('unexpected')
  expect(before).toBeLessThan(19 * MIB)
  expect(notedBytes()).toBeGreaterThanOrEqual(19 * MIB)
  await expectRest()
})

test('what an interrupted run left of another version is not used', async () => {
  stub.intercept = stallAfter(9 * MIB)
  const child = startGet(args())
  await untilNoted(16 * MIB)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const newer = { ...FILE, bytes: madeBytes('newer', SIZE), md5: md5Of(madeBytes('newer', SIZE)) }
  stub.files.set(FILE.id, newer)
  stub.intercept = () => false
  expect(await runGet(args())).toMatchObject({ status: 0 })
  expect(md5sBelow(folder.path)).toEqual({ [join(FILE.id, FILE.name)]: newer.md5 })
})

test.each([
  ['is no JSON', '{'],
  ['is of something else', '[]'],
  ['tells of bytes beyond the end', '{"there":[[0,999999999999]]}'],
])('a note that %s is not believed', async (_, note) => {
  stub.intercept = stallAfter(9 * MIB)
  const child = startGet(args())
  await untilNoted(16 * MIB)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const facts = { size: SIZE, md5: MD5 }
  const there = note.startsWith('{"') ? { ...facts, ...JSON.parse(note) } : undefined
  writeFileSync(`${finalPath()}.part.json`, there ? JSON.stringify(there) : note)
  stub.intercept = ({ path, range }, response) => {
    if (path.startsWith('/data/')) sendFile(FILE, { headers: { range } }, response)
    return path.startsWith('/data/')
  }
  expect(await runGet(args())).toMatchObject({ status: 0 })
  expect(md5sBelow(folder.path)).toEqual({ [join(FILE.id, FILE.name)]: MD5 })
})
