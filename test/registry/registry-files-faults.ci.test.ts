import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runProgram, startProgram } from '../../bin/support/program.ts'
import { openEngine } from '../../engine/index.ts'
import { inlineExecutor } from '../../engine/shared/index.ts'
import { madeZip } from '../../fixtures/made-zip.ts'
import { DEMO_REGISTRY_FILE, loadDemoNaaccr } from '../../fixtures/naaccr/items.ts'
import { DEMO_CONTENT, demoStagingZip } from '../../fixtures/staging/algorithm.ts'
import { Tmpfs } from '../attack/support/tmpfs.ts'
import { available } from '../available.ts'
import { isExhaustive } from '../depth.ts'
import { eventually } from '../eventually.ts'

// The command neither completes an answer for a broken file nor leaves one that looks complete when it is
// killed. The dictionary is an imported one.

const FORMATS = ['ndjson', 'tsv', 'parquet', 'xml'] as const
/** Parquet is written from a temporary table in a folder; the other formats are written directly. */
const KILLED = isExhaustive ? FORMATS : (['parquet'] as const)
let folder = ''
const at = (name: string) => join(folder, name)

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-registry-faults-'))
  const engine = await openEngine({ dataFolder: at('data'), executor: inlineExecutor })
  await loadDemoNaaccr(engine.registry, folder)
  writeFileSync(at('demo.zip'), demoStagingZip())
  writeFileSync(at('later.zip'), laterVersion())
  for (const zip of ['demo.zip', 'later.zip']) {
    await engine.registry.staging.import(at(zip), { user: 'demo' })
  }
  await engine.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const wordsOf = (file: string, ...more: readonly string[]) => [
  ...['registry', file, '--data', at('data'), '--algorithm', 'demo', '--version', '1.0', ...more],
]
const registry = (file: string, ...more: readonly string[]) => runProgram(wordsOf(file, ...more))

/** The demo's algorithm with other titles, and without its terms. */
function laterVersion(): Buffer {
  const { schemas, tables } = DEMO_CONTENT
  const entries = Object.entries({ schemas, tables }).flatMap(([kind, entities]) =>
    [...entities].map(([id, entity]) => ({
      name: `${kind}/${id}.json`,
      content: JSON.stringify({ ...entity, version: '1.1', title: `${entity.title}, later` }),
    })),
  )
  return madeZip(entries)
}

/** The demo's file with its first patient repeated. */
function many(count: number): string {
  const [begin, first, rest] = DEMO_REGISTRY_FILE.split('  <Patient>')
  return `${begin}${`  <Patient>${first}`.repeat(count)}  <Patient>${rest}`
}

test('what is counted is reported: once, or how many times', async () => {
  writeFileSync(at('told.xml'), many(3).replaceAll('C182', 'C18X'))
  const { err } = await registry(at('told.xml'))
  expect(err).toMatch(/, 3 times, first on line 6\n/)
  expect(err).toMatch(/ {2}madeUpSite: too_long, once, on line \d+\n/)
})

test('Parquet has the rows and columns of the table', async () => {
  writeFileSync(at('table.xml'), many(300))
  const table = await registry(at('table.xml'), '--format', 'tsv')
  expect(await registry(at('table.xml'), '--format', 'parquet', '-o', at('table.parquet'))).toEqual(
    {
      ...table,
      out: '',
    },
  )
  const [header = '', ...rows] = table.out.slice(0, -1).split('\n')
  const instance = await DuckDBInstance.create(':memory:')
  try {
    const connection = await instance.connect()
    const read = await connection.runAndReadAll(`SELECT * FROM '${at('table.parquet')}'`)
    expect(read.columnNames()).toEqual(header.split('\t'))
    expect(read.columnTypes().map(String).slice(0, 3)).toEqual(['BIGINT', 'VARCHAR', 'VARCHAR'])
    const texts = read
      .getRows()
      .map((row) =>
        row.map((cell) => (cell === null || cell === false ? '' : String(cell))).join('\t'),
      )
    expect(texts).toEqual(rows)
    expect(texts).toHaveLength(301)
    connection.closeSync()
  } finally {
    instance.closeSync()
  }
})

const whole = many(2000)

describe.each(FORMATS)('as %s', (format) => {
  const faults = [
    ['a file that is cut off', Buffer.from(whole.slice(0, -30)), /line \d+/],
    ['gzip that is cut off', gzipSync(whole).subarray(0, -40), /cannot be inflated/],
    [
      'gzip with other bytes in it',
      damaged(gzipSync(whole)),
      /cannot be inflated|not UTF-8|line \d+/,
    ],
    [
      'a version without a dictionary',
      Buffer.from(whole.replace('-210', '-250')),
      /import naaccr naaccr-dictionary-250\.xml"/,
    ],
  ] as const
  // A usual run tries each fault and each format once; the exhaustive run tries all pairs.
  const tried = faults.filter((_, i) => isExhaustive || FORMATS[i] === format)

  test.each(tried)('%s is reported, and strictly there is no answer', async (_, bytes, message) => {
    writeFileSync(at('broken'), bytes)
    const { status, out, err } = await registry(
      at('broken'),
      '--format',
      format,
      '-o',
      at('answer'),
      '--strict',
    )
    expect({ status, out }).toEqual({ status: 1, out: '' })
    expect(err).toMatch(message)
    expect(readdirSync(folder).filter((name) => /answer|parquet-/.test(name))).toEqual([])
  })
})

test('of a file that breaks, the patients before it are answered, and where to go on is reported', async () => {
  // The file breaks in the third patient, on line 35; each patient has 14 lines.
  const begun = many(2000).split('\n').slice(0, 40).join('\n')
  const begins = begun.split('\n').flatMap((line, i) => (line.includes('<Patient>') ? [i + 1] : []))
  writeFileSync(at('broken.xml'), `${begun}\n<Tumor></Patient>\n`)
  for (const format of isExhaustive ? FORMATS : (['xml'] as const)) {
    const answer = at(`answer.${format}`)
    const words = ['--format', format, '-o', answer] as const
    const { status, err } = await registry(at('broken.xml'), ...words)
    expect(status).toBe(1)
    const count = begins.length - 1
    const told = `the ${count} patients before it are answered, go on from line ${begins.at(-1)}\n`
    expect(err).toContain(told)
    // The answer is complete up to the break, like that of a file which ends there.
    const short = begun.split('\n').slice(0, (begins.at(-1) ?? 0) - 1)
    writeFileSync(at('short.xml'), `${short.join('\n')}\n</NaaccrData>\n`)
    await registry(at('short.xml'), '--format', format, '-o', at('whole'))
    expect(readFileSync(answer).equals(readFileSync(at('whole')))).toBe(true)
    rmSync(answer)
    rmSync(at('whole'))
  }
})

test.each(KILLED)(
  'a process that is killed while it writes %s leaves no answer, and the next run makes it',
  async (format) => {
    const pipe = at('pipe')
    spawnSync('mkfifo', [pipe])
    const child = startProgram(wordsOf(pipe, '--format', format, '-o', at('answer')))
    const ended = once(child, 'exit')
    const writer = await open(pipe, 'w')
    await writer.writeFile(whole.slice(0, -200))
    const written = () =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => /answer\.part$|tumors\.tsv$/.test(name))
        .reduce((sum, name) => sum + statSync(at(name)).size, 0)
    await eventually(() => expect(written()).toBeGreaterThan(1000))
    child.kill('SIGKILL')
    await ended
    await writer.close().catch(() => {})
    rmSync(pipe)
    expect(existsSync(at('answer'))).toBe(false)
    writeFileSync(at('whole.xml'), whole)
    expect(await registry(at('whole.xml'), '--format', format, '-o', at('answer'))).toMatchObject({
      status: 0,
    })
    const bytes = readFileSync(at('answer'))
    if (format === 'xml') expect(bytes.toString()).toBe(whole)
    if (format === 'ndjson') expect(bytes.toString().trimEnd().split('\n')).toHaveLength(2001)
    // The run after a killed one removes its files.
    const left = readdirSync(folder).filter((name) => /answer|parquet-/.test(name))
    expect(left.filter((name) => name !== 'answer.part')).toEqual(['answer'])
    for (const name of left) rmSync(at(name), { recursive: true })
  },
)

test.skipIf(!available.tmpfs).each(KILLED)(
  'on a disk that is full there is no answer as %s, its space is given back, and the next run makes it',
  async (format) => {
    const disk = Tmpfs.mount(16 << 20)
    try {
      writeFileSync(at('whole.xml'), whole)
      const run = () =>
        registry(at('whole.xml'), '--format', format, '-o', join(disk.path, 'answer'))
      disk.leave(40_000)
      const { freeBytes } = disk
      const { status, out, err } = await run()
      expect([status, out, err]).toEqual([1, '', expect.stringMatching(/disk is full|space|room/)])
      expect(err).not.toMatch(/\n\s+at /)
      expect([readdirSync(disk.path), disk.freeBytes]).toEqual([['filler'], freeBytes])
      disk.clear()
      expect(await run()).toMatchObject({ status: 0 })
      expect(readdirSync(disk.path)).toEqual(['answer'])
    } finally {
      disk.unmount()
    }
  },
)

test('a difference of versions that is killed leaves the file of before, and the next run replaces it', async () => {
  const output = at('difference')
  const words = ['staging', 'diff', '--data', at('data'), '--algorithm', 'demo', '--version', '1.1']
  const run = () => runProgram([...words, '--from', '1.0', '-o', output])
  writeFileSync(output, 'before')
  const killed = join(import.meta.dirname, 'support/killed-difference.ts')
  const { signal } = spawnSync(process.execPath, [killed, at('data'), output, '3'])
  expect([signal, readFileSync(output, 'utf8')]).toEqual(['SIGKILL', 'before'])
  expect(statSync(`${output}.part`).size).toBeGreaterThan(0)
  expect(await run()).toMatchObject({ status: 0 })
  const lines = readFileSync(output, 'utf8').trimEnd().split('\n')
  expect(JSON.parse(lines[0] ?? '')).toEqual({ algorithm: 'demo', from: '1.0', to: '1.1' })
  // The terms are missing, and everything else has another title.
  const { schemas, tables, glossary } = DEMO_CONTENT
  expect(lines).toHaveLength(1 + schemas.size + tables.size + glossary.size)
  expect(existsSync(`${output}.part`)).toBe(false)
})

function damaged(bytes: Buffer): Buffer {
  const middle = bytes.length >> 1
  return Buffer.from(bytes.map((byte, i) => (i > middle && i < middle + 50 ? byte ^ 0x5a : byte)))
}
