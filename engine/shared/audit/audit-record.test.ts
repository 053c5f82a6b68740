import { createHash } from 'node:crypto'
import {
  constants,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open as openFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Database } from '../database/database.ts'
import { newState } from '../support/new-state.ts'
import { AuditRecord } from './audit-record.ts'
import { SegmentRegister } from './segment-register.ts'
import { verifyRecord } from './verify-record.ts'

let folder = ''
let root = ''
let database: Database
let now = new Date('2026-03-01T10:00:00Z')
const clock = () => now

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-audit-'))
  root = join(folder, 'audit')
  database = await newState()
  now = new Date('2026-03-01T10:00:00Z')
})
afterEach(async () => {
  await database.close()
  rmSync(folder, { recursive: true })
})

function open(days = 0, register = new SegmentRegister(database, clock)): AuditRecord {
  return new AuditRecord({ root, register, clock, report: () => {}, days })
}

function line(record: AuditRecord, request: string, files: Iterable<string> = ['file-1']) {
  const answer = {
    request,
    action: 'GET /data/{ids}',
    subject: 'reader',
    credential: { kind: 'token', id: '00000000000000aa' },
    release: 'release-1',
    status: 200,
    bytes: 10,
  }
  return record.answer(answer, { files })
}

async function problems(): Promise<readonly string[]> {
  const registered = await new SegmentRegister(database, clock).all()
  const { issues } = await verifyRecord([root], registered)
  return issues.filter(({ isNote }) => !isNote).map(({ problem }) => problem)
}

const filesBelow = (ending: string) =>
  readdirSync(root, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => join(root, name))
const segments = () => filesBelow('.ndjson')
const linesOf = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n')
const requestsIn = (path: string) =>
  linesOf(path).flatMap((text) => (JSON.parse(text) as { request?: string }).request ?? [])

/** Writes three days with several lines each, and a list of many ids. */
async function threeDays(): Promise<void> {
  const record = open()
  for (const day of [1, 2, 3]) {
    now = new Date(`2026-03-0${day}T10:00:00Z`)
    for (const n of [1, 2, 3]) await line(record, `day-${day}-${n}`)
    const many = Array.from({ length: 150 }, (_, i) => `file-${day}-${i}`)
    await line(record, `day-${day}-many`, many)
  }
  await record.close()
}

function targetOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    // The descriptor of the listing itself is closed by now.
    return ''
  }
}

async function prototypeOfHandles(path: string): Promise<FileHandle> {
  const handle = await openFile(path)
  await handle.close()
  return Object.getPrototypeOf(handle) as FileHandle
}

describe('the record', () => {
  test('has each line with the SHA-256 of the line before it, across days', async () => {
    await threeDays()
    let before = '0'.repeat(64)
    for (const path of segments()) {
      for (const text of linesOf(path)) {
        expect((JSON.parse(text) as { before: string }).before).toBe(before)
        before = createHash('sha256').update(text).digest('hex')
      }
    }
    expect(segments()).toHaveLength(3)
    expect(await problems()).toEqual([])
  })

  test('keeps lists of many ids by their hash', async () => {
    await threeDays()
    const [list = ''] = filesBelow('.txt')
    const text = readFileSync(list, 'utf8')
    expect(list).toContain(createHash('sha256').update(text).digest('hex'))
    expect(text.trimEnd().split('\n')).toHaveLength(150)
  })

  test('keeps more ids than are sorted in their order, each once', async () => {
    const record = open()
    const many = Array.from({ length: 25_000 }, (_, i) => `file-${(i * 7919) % 25_000}`)
    await line(record, 'many', [...many, ...many])
    await record.close()
    expect(filesBelow('.txt').map(linesOf)).toEqual([many])
    expect(await problems()).toEqual([])
  })

  test('has the list of answers with the same many ids at the same time', async () => {
    const record = open()
    const many = Array.from({ length: 5000 }, (_, i) => `file-${i}`)
    await Promise.all(Array.from({ length: 20 }, (_, i) => line(record, `at-once-${i}`, many)))
    await record.close()
    expect(filesBelow('.txt').map((path) => linesOf(path).length)).toEqual([5000])
    expect(filesBelow('ids.txt')).toEqual([])
    expect(await problems()).toEqual([])
  })

  test('writes lines that wait together with one sync, and resolves each when it is in the file', async () => {
    const record = open()
    await line(record, 'first')
    const [path = ''] = segments()
    const asked = Array.from({ length: 300 }, (_, i) => `request-${i}`)
    await Promise.all(
      asked.map(async (request) => {
        await line(record, request)
        expect(requestsIn(path)).toContain(request)
      }),
    )
    expect(requestsIn(path)).toEqual(['first', ...asked])
    await record.close()
    expect(record.load()).toEqual({ auditKept: 1, auditLines: 301, auditFailures: 0 })
  })

  test('resolves a line only when its write has returned', async () => {
    const record = open()
    await line(record, 'first')
    const [path = ''] = segments()
    const prototype = await prototypeOfHandles(path)
    const write = prototype.write
    const held = Promise.withResolvers<void>()
    const spy = vi.spyOn(prototype, 'write').mockImplementationOnce(async function (
      this: FileHandle,
      ...given: unknown[]
    ) {
      const written: unknown = await Reflect.apply(write, this, given)
      await held.promise
      return written as never
    })
    let isResolved = false
    const second = line(record, 'second').then(() => {
      isResolved = true
    })
    await vi.waitFor(() => expect(requestsIn(path)).toEqual(['first', 'second']))
    expect(isResolved).toBe(false)
    held.resolve()
    await second
    spy.mockRestore()
    await record.close()
  })

  test.runIf(process.platform === 'linux')('writes through to the disk', async () => {
    const record = open()
    await line(record, 'first')
    const [path = ''] = segments()
    const targets = readdirSync('/proc/self/fd').map((fd) => [fd, targetOf(fd)] as const)
    const held = targets.find(([, target]) => target === path)?.[0]
    const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${held}`, 'utf8'))?.[1]
    await record.close()
    expect(Number.parseInt(flags ?? '0', 8) & constants.O_DSYNC).toBe(constants.O_DSYNC)
  })

  test('cuts off lines whose write has failed, and goes on', async () => {
    const record = open()
    await line(record, 'first')
    const prototype = await prototypeOfHandles(segments()[0] ?? '')
    const write = prototype.write
    const spy = vi.spyOn(prototype, 'write').mockImplementationOnce(async function (
      this: FileHandle,
      ...given: unknown[]
    ) {
      await Reflect.apply(write, this, given)
      throw new Error('EIO')
    })
    await expect(line(record, 'second')).rejects.toMatchObject({ code: 'unavailable' })
    spy.mockRestore()
    await line(record, 'third')
    await record.close()
    expect(segments().flatMap(requestsIn)).toEqual(['first', 'third'])
    expect(await problems()).toEqual([])
  })

  test('writes a line that comes just when the one before has been written', async () => {
    const record = open()
    const command = (action: string) =>
      record.command({ action, run: '1', outcome: 'done', subject: 'root', parameters: {} })
    let chain = command('first')
    for (let i = 0; i < 20; i++) chain = chain.then(() => command(`next ${i}`))
    await chain
    await record.close()
    expect(linesOf(segments()[0] ?? '')).toHaveLength(23)
  })

  test('of two processes at once has a segment for each', async () => {
    const [one, other] = [open(), open()]
    await Promise.all([line(one, 'a'), line(other, 'b'), line(one, 'c')])
    await Promise.all([one.close(), other.close()])
    expect(segments().flatMap(requestsIn).sort()).toEqual(['a', 'b', 'c'])
    expect(await problems()).toEqual([])
  })

  test('is written while the database does not answer, and says that a segment is not registered', async () => {
    const register = new SegmentRegister(database, clock)
    const refuse = () => Promise.reject(new Error('no answer'))
    const record = open(0, Object.assign(register, { open: refuse, mark: refuse, last: refuse }))
    await line(record, 'a')
    await record.close()
    expect(requestsIn(segments()[0] ?? '')).toEqual(['a'])
    expect(await problems()).toEqual(['is not in the register'])
  })

  test('ends in part of a line after a crash, which is only noted', async () => {
    const record = open()
    await line(record, 'a')
    const [path = ''] = segments()
    writeFileSync(path, `${readFileSync(path, 'utf8')}{"number":2,"befo`)
    expect(await problems()).toEqual([])
    await line(record, 'b')
    await record.close()
  })
})

describe('a record that somebody has changed', () => {
  beforeEach(threeDays)

  test('is found out at every byte', async () => {
    for (const path of [...segments(), ...filesBelow('.txt')]) {
      const text = readFileSync(path)
      for (let at = 0; at < text.length; at += 97) {
        const changed = Buffer.from(text)
        changed[at] = (changed[at] ?? 0) ^ 1
        writeFileSync(path, changed)
        expect([path, at, (await problems()).length > 0]).toEqual([path, at, true])
      }
      writeFileSync(path, text)
    }
    expect(await problems()).toEqual([])
  })

  test('is found out if any line is removed', async () => {
    for (const path of segments()) {
      const lines = linesOf(path)
      for (const without of lines.keys()) {
        writeFileSync(path, lines.flatMap((one, i) => (i === without ? [] : `${one}\n`)).join(''))
        expect([path, without, (await problems()).length > 0]).toEqual([path, without, true])
      }
      writeFileSync(path, lines.map((one) => `${one}\n`).join(''))
    }
  })

  test('is found out if it ends early', async () => {
    const path = segments().at(-1) ?? ''
    const lines = linesOf(path)
    truncateSync(path, Buffer.byteLength(`${lines.slice(0, -2).join('\n')}\n`))
    expect(await problems()).toEqual([`has ${lines.length - 2} lines; it had ${lines.length}`])
  })

  test('is found out if its last lines are written anew with good hashes', async () => {
    const path = segments().at(-1) ?? ''
    const lines = linesOf(path).slice(0, 2)
    const forged = [...lines]
    for (const text of linesOf(path).slice(2)) {
      const before = createHash('sha256')
        .update(forged.at(-1) ?? '')
        .digest('hex')
      const entry = JSON.parse(text.replace('"reader"', '"somebody"')) as object
      forged.push(JSON.stringify({ ...entry, before }))
    }
    writeFileSync(path, `${forged.join('\n')}\n`)
    expect(await problems()).toEqual([`line ${forged.length} is not the one that was registered`])
  })

  test.each([1, 2, 3])('is found out if day %i is missing', async (day) => {
    rmSync(join(root, `2026-03-0${day}`), { recursive: true })
    expect(await problems()).toContain('is missing; it had 6 lines')
  })

  test('is found out if a segment was put there', async () => {
    const [path = ''] = segments()
    const other = path.replace(/-[0-9a-f]{8}\./, '-00000000.')
    writeFileSync(other, readFileSync(path))
    expect(await problems()).toContain('is not in the register')
  })
})

describe('records of two nodes with one database', () => {
  const roots = () => [join(folder, 'audit'), join(folder, 'audit-2')]
  async function verified(folders: readonly string[]) {
    const registered = await new SegmentRegister(database, clock).all()
    return verifyRecord(folders, registered)
  }
  beforeEach(async () => {
    for (const one of roots()) {
      root = one
      const record = open()
      await line(record, 'a')
      await record.close()
    }
  })

  test('are verified together, and a node that is missing is noted', async () => {
    const { issues, nodes } = await verified(roots())
    expect(issues).toEqual([])
    expect(nodes.map(({ lines }) => lines)).toEqual([3, 3])
    expect((await verified(roots().slice(0, 1))).issues).toEqual([
      {
        subject: `node ${nodes[1]?.node}`,
        problem: 'its 1 segments were not verified; give the folder of its record',
        isNote: true,
      },
    ])
  })

  test('are found out if a segment of either is missing', async () => {
    for (const one of roots()) {
      root = one
      const [path = ''] = segments()
      const text = readFileSync(path)
      rmSync(path)
      expect((await verified(roots())).issues).toEqual([
        { subject: path.slice(one.length + 1), problem: 'is missing; it had 3 lines' },
      ])
      writeFileSync(path, text)
    }
  })
})

describe('days that are over', () => {
  test('are deleted whole, and the chain still holds', async () => {
    await threeDays()
    now = new Date('2026-03-04T10:00:00Z')
    const record = open(2)
    await line(record, 'today')
    expect(await record.sweep()).toEqual(['2026-03-01'])
    expect(segments().map((path) => path.split('/').at(-2))).toEqual([
      '2026-03-02',
      '2026-03-03',
      '2026-03-04',
    ])
    expect(await problems()).toEqual([])
    now = new Date('2026-03-09T10:00:00Z')
    await line(record, 'later')
    expect(await record.sweep()).toEqual(['2026-03-02', '2026-03-03', '2026-03-04'])
    await record.close()
    expect(await problems()).toEqual([])
  })

  test('are kept if their lines are not intact', async () => {
    await threeDays()
    const [path = ''] = segments()
    writeFileSync(path, readFileSync(path, 'utf8').replace('reader', 'writer'))
    now = new Date('2026-03-08T10:00:00Z')
    const record = open(2)
    await expect(record.sweep()).rejects.toThrow(/the day is kept/)
    await record.close()
    expect(segments()).toHaveLength(3)
  })

  test('that somebody has deleted are missed', async () => {
    await threeDays()
    const register = new SegmentRegister(database, clock)
    const [first] = await register.all()
    if (!first) throw new Error('nothing is registered')
    rmSync(join(root, first.segment))
    await register.sweep(first.node, [first])
    expect(await problems()).toContain('was deleted, but no line of the record says so')
  })
})
