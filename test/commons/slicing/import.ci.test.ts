import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import {
  copyFile,
  lstat,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type ImportBam,
  type ImportContext,
  importBam,
} from '../../../engine/commons/import/files/import-bam.ts'
import { ImportProgress } from '../../../engine/commons/import/files/import-progress.ts'
import { openAlignment } from '../../../engine/commons/slicing/alignment.ts'
import { buildDirectory } from '../../../engine/commons/slicing/build-directory.ts'
import { localAlignment } from '../../../engine/commons/slicing/parts.ts'
import { type Engine, openEngine } from '../../../engine/engine.ts'
import type { StoredFile } from '../../../engine/shared/catalogue/files.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import { makeBam } from '../../../fixtures/bam/make-bam.ts'
import { randomFrom } from '../../../fixtures/random.ts'
import { available } from '../../available.ts'
import { isExhaustive } from '../../depth.ts'
import { SHARED_BAM } from './support/clients.ts'
import { everyBytes, packBam } from './support/pack-bam.ts'
import {
  inflateAll,
  MARKER,
  ProvedBlocks,
  readBam,
  type StrictBam,
  splitBlocks,
} from './support/strict-bam.ts'

let folder = ''
let source = ''
let bytes: Buffer
let bam: StrictBam
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-import-'))
  source = join(folder, 'x.bam')
  await makeBam({ path: source, seed: 71, scale: 'tiny', style: 'htsjdk' })
  bytes = await readFile(source)
  bam = readBam(inflateAll(bytes))
})
afterAll(() => rm(folder, { recursive: true }))

let dataFolder = ''
let engine: Engine
beforeEach(async () => {
  dataFolder = await mkdtemp(join(folder, 'data-'))
  engine = await openEngine({ dataFolder, executor: inlineExecutor })
})
afterEach(() => engine.close())

const importFile = (what: Partial<ImportBam> = {}, context: Partial<ImportContext> = {}) =>
  importBam(
    { path: source, access: 'open', ...what },
    {
      ...{ dataFolder, files: engine.shared.files, blobs: engine.shared.blobs },
      ...{ executor: inlineExecutor, clock: engine.shared.clock, ...context },
    },
  )

async function listed(): Promise<StoredFile[]> {
  const files: StoredFile[] = []
  for await (const file of engine.shared.files.each()) files.push(file)
  return files
}
const bytesPath = (file: StoredFile) =>
  engine.shared.blobs.folder.path({ id: file.id, name: file.fileName })

/** All records of the stored file, as in a slice. */
async function slicedRecords(fileId: string, proved?: ProvedBlocks): Promise<Buffer> {
  const file = (await engine.shared.files.find(fileId))!
  const names = readBam(inflateAll(await readFile(bytesPath(file)), proved)).references
  const regions = names.map(({ name }) => name).filter((name) => /^[a-zA-Z0-9]+$/.test(name))
  const stored = await engine.commons.slicing.open(fileId, undefined)
  const slice = await stored.slice({ regions: [...regions, 'unmapped'], genes: [] })
  const parts: Buffer[] = []
  for await (const chunk of slice.body) parts.push(Buffer.from(chunk))
  return inflateAll(Buffer.concat(parts), proved)
}

/** The expected records: references with unusual names cannot be requested (data-commons-service.md 4.5 rule 1). */
function recordsWithPlainNames({ inflated, headerLength, records, references }: StrictBam): Buffer {
  const kept = records.filter(
    ({ reference }) => reference < 0 || /^[a-zA-Z0-9]+$/.test(references[reference]!.name),
  )
  const parts = kept.map(({ from, to }) => inflated.subarray(from, to))
  return Buffer.concat([inflated.subarray(0, headerLength), ...parts])
}

const incoming = async () => readdir(join(dataFolder, 'incoming')).catch(() => [])

describe('an imported file', () => {
  test('is a copy with its index and a directory, and can be sliced', async () => {
    const { file, records, known, warnings } = await importFile({ project: 'P-1' })
    expect({ records, known, warnings }).toEqual({
      records: bam.records.length,
      known: false,
      warnings: [],
    })
    expect(file).toMatchObject({
      fileName: 'x.bam',
      size: bytes.length,
      md5: createHash('md5').update(bytes).digest('hex'),
      access: 'open',
      acl: ['P-1'],
      indexName: 'x.bam.bai',
    })
    const path = bytesPath(file)
    expect((await lstat(path)).isFile()).toBe(true)
    expect((await readFile(path)).equals(bytes)).toBe(true)
    expect((await readdir(join(path, '..'))).sort()).toEqual([
      'blocks.directory',
      'x.bam',
      'x.bam.bai',
    ])
    expect(await incoming()).toEqual([])
    expect((await slicedRecords(file.id)).equals(recordsWithPlainNames(bam))).toBe(true)
  })

  test('may be a link instead, with its directory and index in the data folder', async () => {
    const { file } = await importFile({ link: true })
    const path = bytesPath(file)
    expect(await readlink(path)).toBe(source)
    expect((await slicedRecords(file.id)).equals(recordsWithPlainNames(bam))).toBe(true)
    // Later, a copy replaces the link, and the link replaces the copy.
    for (const link of [false, true]) {
      expect((await importFile({ link })).known).toBe(true)
      expect((await lstat(path)).isSymbolicLink()).toBe(link)
      expect((await slicedRecords(file.id)).equals(recordsWithPlainNames(bam))).toBe(true)
    }
    expect(await readFile(source)).toEqual(bytes)
  })

  test('with what is no index, or one of another file, has one that was made, and says so', async () => {
    const path = join(folder, 'odd.bam')
    await copyFile(source, path)
    const none = await importFile({ path, indexPath: path })
    expect(none.warnings.join()).toContain('cannot be read as an index')
    const bai = await readFile(`${source}.bai`)
    // The index has more references than the header, or fewer.
    for (const count of [bam.references.length - 1, bam.references.length + 1]) {
      bai.writeInt32LE(count, 4)
      await writeFile(`${path}.bai`, Buffer.concat([bai, Buffer.alloc(16)]))
      const { file, warnings } = await importFile({ path })
      expect(warnings.join()).toContain('index "odd.bam.bai" is not that of the file')
      expect((await slicedRecords(file.id)).equals(recordsWithPlainNames(bam))).toBe(true)
    }
  })

  test('needs no index, and gets one', async () => {
    const path = join(folder, 'bare.bam')
    await copyFile(source, path)
    const { file } = await importFile({ path })
    expect(file.indexName).toBe('bare.bam.bai')
    expect((await slicedRecords(file.id)).equals(recordsWithPlainNames(bam))).toBe(true)
  })

  test('has the same id at every import of the same bytes, and stays as it is', async () => {
    const first = await importFile()
    const path = bytesPath(first.file)
    const before = await stat(path)
    const again = await importFile()
    expect(again).toEqual({ ...first, known: true })
    expect((await stat(path)).ino).toBe(before.ino)
    expect(await listed()).toHaveLength(1)

    const elsewhere = join(await mkdtemp(join(folder, 'other-')), 'x.bam')
    await copyFile(source, elsewhere)
    expect((await importFile({ path: elsewhere })).file.id).toBe(first.file.id)
    expect((await importFile({ project: 'P-2' })).file.id).not.toBe(first.file.id)
    expect(await listed()).toHaveLength(2)
  })

  test('is repaired by importing it again', async () => {
    const { file } = await importFile({})
    const path = bytesPath(file)
    const damaged = Buffer.from(bytes)
    damaged[damaged.length >> 1]! ^= 0xff
    await writeFile(path, damaged)
    await importFile({})
    expect((await readFile(path)).equals(bytes)).toBe(true)
    expect(await slicedRecords(file.id)).toEqual(recordsWithPlainNames(bam))
  })

  test('keeps its id from other bytes', async () => {
    const id = '00000000-0000-4000-8000-00000000000A'
    const { file } = await importFile({ id })
    expect(file.id).toBe(id.toLowerCase())
    const path = join(folder, 'y.bam')
    await makeBam({ path, seed: 72, scale: 'tiny', style: 'htslib' })
    await expect(importFile({ path, id })).rejects.toMatchObject({
      code: 'already_exists',
      at: 'id',
    })
    await expect(importFile({ path, id: '../x' })).rejects.toMatchObject({ code: 'bad_input' })
    expect(await listed()).toEqual([file])
    expect((await slicedRecords(file.id)).equals(recordsWithPlainNames(bam))).toBe(true)
  })

  test('is refused when it changes while it is read', async () => {
    const path = join(folder, 'moving.bam')
    await copyFile(source, path)
    const onProgress = () => void utimes(path, 1, 1)
    await expect(importFile({ path }, { onProgress })).rejects.toMatchObject({ code: 'conflict' })
    expect(await listed()).toEqual([])
  })

  test('can be imported after an abort', async () => {
    const stop = new AbortController()
    const onProgress = () => stop.abort(new Error('enough'))
    await expect(importFile({}, { signal: stop.signal, onProgress })).rejects.toThrow('enough')
    expect(await listed()).toEqual([])
    expect((await importFile()).records).toBe(bam.records.length)
    expect(await incoming()).toEqual([])
  })
})

async function* countedRows(progress: ImportProgress, count: () => void) {
  for await (const extent of progress.rows()) {
    count()
    yield extent
  }
}

describe('an interrupted pass', () => {
  // Several hundred extents of one block each, so that some steps are recorded.
  test('goes on behind its last step and makes the same directory', async () => {
    const path = join(folder, 'blocks.bam')
    await makeBam({
      path,
      seed: 73,
      scale: 'tiny',
      style: 'htslib',
      index: 'none',
    })
    const { inflated } = readBam(inflateAll(await readFile(path)))
    await writeFile(path, packBam(inflated, everyBytes(300, inflated.length)))
    const { blob, header, identity } = await openAlignment(localAlignment({ path }), inlineExecutor)
    const extentBytes = 1
    const expected = await buildDirectory(blob, header, inlineExecutor, { extentBytes })

    const random = randomFrom(74)
    const root = join(dataFolder, 'incoming')
    let resumed = 0
    let passes = 0
    for (let done = false; !done; passes++) {
      const stop = new AbortController()
      const progress = await ImportProgress.open(root, path, identity)
      let left = 100 + random.below(300)
      const built = buildDirectory(blob, header, inlineExecutor, {
        extentBytes,
        resume: countedRows(progress, () => resumed++),
        signal: stop.signal,
        onExtent: async (extent) => {
          await progress.add(extent)
          if (--left === 0) stop.abort(new Error('interrupted'))
        },
      })
      const outcome = await built.catch((error: Error) => error.message)
      done = outcome !== 'interrupted'
      if (done) expect(outcome).toEqual(expected)
      await progress.close()
      // Sometimes the recorded steps are damaged.
      if (passes === 2) {
        const [inner] = await readdir(root)
        const step = join(root, inner!, 'step-1')
        const hurt = await readFile(step)
        hurt.writeUInt8(hurt.readUInt8(hurt.length - 9) ^ 1, hurt.length - 9)
        await writeFile(step, hurt)
      }
    }
    expect(passes).toBeGreaterThan(3)
    expect(resumed).toBeGreaterThan(3)
    await blob.close()
  })
})

describe.runIf(isExhaustive)('processes that import', () => {
  let big = ''
  let whole: StrictBam
  let proved: ProvedBlocks
  let expected: Buffer
  beforeAll(async () => {
    big = join(folder, 'big.bam')
    await makeBam({ path: big, seed: 75, scale: 3e7, style: 'htsjdk', level: 1 })
    const bytes = await readFile(big)
    proved = new ProvedBlocks(bytes)
    whole = readBam(inflateAll(bytes, proved))
    expected = recordsWithPlainNames(whole)
  })

  interface Ended {
    readonly progress: number
    /** The last line of output; undefined if it was killed before. */
    readonly said: string | undefined
  }

  /** Runs an import in a child process and kills it after the given number of progress lines. */
  function importInChild(killAfter = Infinity, delayMs = 0): Promise<Ended> {
    const script = fileURLToPath(new URL('./support/import-child.ts', import.meta.url))
    const child = spawn(process.execPath, [script, dataFolder, big], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part
      if (text.split('progress').length > killAfter) {
        setTimeout(() => child.kill('SIGKILL'), delayMs)
      }
    })
    return new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', () => {
        const lines = text.trim().split('\n')
        const said = lines.at(-1)
        const progress = lines.filter((line) => line === 'progress').length
        resolve({ progress, said: said === 'progress' || said === '' ? undefined : said })
      })
    })
  }

  test('and are killed leave nothing but what the next import goes on with', async () => {
    const random = randomFrom(76)
    let killed = 0
    // The first import is killed at once; on a busy machine, a later one may finish.
    let isStored = false
    for (let i = 0; i < 5 && !isStored; i++) {
      const [killAfter, delayMs] = [1 + random.below(16), random.below(20)]
      const { said } = await importInChild(
        ...(i === 0 ? ([1, 0] as const) : ([killAfter, delayMs] as const)),
      )
      if (said === undefined) killed++
      else expect(said).toMatch(/^stored /)
      isStored = said !== undefined
      for (const file of await listed()) {
        expect((await slicedRecords(file.id, proved)).equals(expected)).toBe(true)
      }
    }
    expect(killed).toBeGreaterThan(0)
    const { file, records } = await importFile({ path: big })
    expect(records).toBe(whole.records.length)
    expect(await listed()).toEqual([file])
    // toEqual would make a list of millions of bytes.
    expect((await readFile(bytesPath(file))).equals(await readFile(big))).toBe(true)
    expect((await slicedRecords(file.id, proved)).equals(expected)).toBe(true)
    expect(await incoming()).toEqual([])
  })

  test('the same file at the same time are told so, all but one', async () => {
    const ended = await Promise.all([1, 2, 3].map(() => importInChild()))
    const said = ended.map((each) => each.said?.replace(/ .*/, ''))
    // An import that starts after the first has finished finds the file stored.
    expect(said.filter((word) => word === 'stored')).toHaveLength(1)
    expect(said.every((word) => word === 'stored' || word === 'known' || word === 'conflict')).toBe(
      true,
    )
    expect(await listed()).toHaveLength(1)
    expect(await incoming()).toEqual([])
  })

  test('the same file twice in one process gets a conflict', async () => {
    const results = await Promise.allSettled([importFile({ path: big }), importFile({ path: big })])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const rejected = results.find((result) => result.status === 'rejected')
    expect(rejected?.reason).toMatchObject({ code: 'conflict' })
    expect((await importFile({ path: big })).known).toBe(true)
  })
})

/** The file with its records changed by a function, and another first header line. */
function changedBam(change: (records: Buffer[]) => Buffer[], headerLine?: string): Buffer {
  const records = bam.records.map(({ from, to }) => Buffer.from(bam.inflated.subarray(from, to)))
  const header = bam.inflated.subarray(0, bam.headerLength)
  const inflated = Buffer.concat([
    headerLine === undefined ? header : withFirstLine(header, headerLine),
    ...change(records),
  ])
  return packBam(inflated, everyBytes(60_000, inflated.length))
}

/** SAM specification 4.2: magic, length of the text, text, references. */
function withFirstLine(header: Buffer, line: string): Buffer {
  const length = header.readInt32LE(4)
  const text = header.toString('latin1', 8, 8 + length).replace(/^@HD[^\n]*\n/, line)
  const start = Buffer.from(`BAM\x01....${text}`, 'latin1')
  start.writeInt32LE(text.length, 4)
  return Buffer.concat([start, header.subarray(8 + length)])
}

const given = async (content: Buffer | string, name = 'given.bam') => {
  const path = join(dataFolder, name)
  await writeFile(path, content)
  return path
}

describe('what the header states of the order does not count', () => {
  const asItIs = (records: Buffer[]) => records

  test.each([
    ['@HD\tVN:1.6\tSO:unsorted\n', 'sort order "unsorted"'],
    ['@HD\tVN:1.6\tSO:unknown\n', 'sort order "unknown"'],
    ['@HD\tVN:1.6\tSO:queryname\n', 'sort order "queryname"'],
    ['@HD\tVN:1.6\tSO:by-chance\n', 'sort order "by-chance"'],
    ['@HD\tVN:1.6\tGO:none\n', 'no sort order'],
    ['', 'no sort order'],
  ])('%j', async (line, stated) => {
    const path = await given(changedBam(asItIs, line))
    const { file, records, warnings } = await importFile({ path })
    expect(records).toBe(bam.records.length)
    expect(warnings).toEqual([
      `its header states ${stated}; its records are in coordinate order all the same`,
    ])
    const sliced = readBam(await slicedRecords(file.id))
    const expected = readBam(recordsWithPlainNames(bam))
    const bytesOf = ({ inflated, headerLength }: StrictBam) => inflated.subarray(headerLength)
    expect(bytesOf(sliced).equals(bytesOf(expected))).toBe(true)
  })

  test('records out of order are still refused, with a command that sorts them', async () => {
    const path = await given(changedBam((records) => records.toReversed(), ''))
    await expect(importFile({ path })).rejects.toMatchObject({
      code: 'bad_input',
      message: `"given.bam" is not in coordinate order; sort it: samtools sort -o ${join(dataFolder, 'given.sorted.bam')} ${path}`,
    })
  })
})

describe('records that contradict themselves', () => {
  const FLAGS = 18
  const isMapped = (record: Buffer) =>
    (record.readUInt16LE(FLAGS) & 4) === 0 && record.readUInt16LE(16) > 0
  const cigarAt = (record: Buffer) => 36 + record.readUInt8(12)

  /** Adds one base to an operation, so that it covers one more than the sequence has. */
  const stretched = (records: Buffer[]) => {
    const record = records.find((each) => {
      return isMapped(each) && [0, 1, 4, 7, 8].includes(each.readUInt32LE(cigarAt(each)) & 15)
    })!
    const at = cigarAt(record)
    record.writeUInt32LE(record.readUInt32LE(at) + (1 << 4), at)
    return records
  }

  test('are refused where CIGAR and sequence differ in length', async () => {
    const path = await given(changedBam(stretched))
    await expect(importFile({ path })).rejects.toMatchObject({
      code: 'corrupt_source',
      message: expect.stringMatching(
        /^"given.bam": CIGAR and sequence .* differ in length: the record at/,
      ),
    })
    expect(await listed()).toEqual([])
  })

  // `samtools view -c given.bam` ends with status 1 and "CIGAR and query sequence lengths differ".
  test.skipIf(!available.samtools)('samtools does not read them either', async () => {
    const path = await given(changedBam(stretched))
    await expect(promisify(execFile)('samtools', ['view', '-c', path])).rejects.toMatchObject({
      code: 1,
    })
    const sound = await given(changedBam((records) => records))
    const { stdout } = await promisify(execFile)('samtools', ['view', '-c', sound])
    expect(stdout).toBe(`${bam.records.length}\n`)
  })

  test('are counted where they are mapped and have no position', async () => {
    const path = await given(
      changedBam((records) => {
        // The first record of its reference stays first, and the last has no reference.
        records[0]!.writeInt32LE(-1, 8)
        expect(isMapped(records[0]!)).toBe(true)
        const last = records.at(-1)!
        expect(last.readInt32LE(4)).toBe(-1)
        last.writeUInt16LE(last.readUInt16LE(FLAGS) & ~4, FLAGS)
        return records
      }),
    )
    expect((await importFile({ path })).warnings).toEqual([
      '2 of its records are flagged as mapped and have no position; no slice of a region has them',
    ])
  })
})

describe('a file of another kind is refused by its name, what it is, and what to do', () => {
  const SAM = '@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr1\tLN:1000\n'

  test.each([
    ['x.bam', '', 'bad_input', '"x.bam" is empty, not BAM; copy it again from its source'],
    [
      'x.sam',
      SAM,
      'bad_input',
      '"x.sam" is SAM, not BAM; make BAM of it: samtools sort -o DIR/x.bam DIR/x.sam',
    ],
    [
      'x.bam',
      SAM,
      'bad_input',
      '"x.bam" is SAM, not BAM; make BAM of it: samtools sort -o DIR/x.sorted.bam DIR/x.bam',
    ],
    [
      "it's.sam.gz",
      gzipSync(SAM),
      'bad_input',
      `"it's.sam.gz" is gzipped SAM, not BAM; make BAM of it: samtools sort -o 'DIR/it'\\''s.bam' 'DIR/it'\\''s.sam.gz'`,
    ],
    [
      'x.cram',
      'CRAM\x03\x00',
      'bad_input',
      '"x.cram" is CRAM, not BAM; make BAM of it: samtools sort --reference REFERENCE.fa -o DIR/x.bam DIR/x.cram',
    ],
    [
      'x.bam.bai',
      'BAI\x01',
      'bad_input',
      '"x.bam.bai" is an index, not BAM; give an alignment file that is sorted by coordinate',
    ],
  ] as const)('%s', async (name, content, code, message) => {
    const path = await given(Buffer.from(content as string), name)
    await expect(importFile({ path })).rejects.toMatchObject({
      ...{ code, message: message.replaceAll('DIR', dataFolder) },
    })
    expect(await listed()).toEqual([])
  })

  test.skipIf(!available.samtools)('the command makes a file that can be imported', async () => {
    const path = await given(`${SAM}r1\t0\tchr1\t10\t60\t4M\t*\t0\t0\tACGT\t*\n`, "it's.sam")
    const error = await importFile({ path }).catch((cause: Error) => cause)
    const command = /samtools sort .*/.exec((error as Error).message)![0]
    await promisify(execFile)('sh', ['-c', command])
    const { records } = await importFile({ path: join(dataFolder, "it's.bam") })
    expect(records).toBe(1)
  })
})

describe('a file is refused and not listed', () => {
  const refused = async (
    path: string,
    code: string,
    text: string,
    what: Partial<ImportBam> = {},
  ) => {
    await expect(importFile({ path, ...what })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(text),
    })
    expect(await listed()).toEqual([])
    expect(existsSync(join(dataFolder, 'files'))).toBe(false)
  }

  const written = async (content: Buffer) => {
    const path = join(dataFolder, 'refused.bam')
    await writeFile(path, content)
    return path
  }

  const withRecords = (change: (records: Buffer[]) => Buffer[]) => changedBam(change)

  test('when its records are out of order, whatever its header says', async () => {
    const swap = (i: number, j: number) => (records: Buffer[]) => {
      const copy = [...records]
      copy[i] = records[j]!
      copy[j] = records[i]!
      return copy
    }
    const last = bam.records.length - 1
    const byReference = withRecords(swap(0, last - 20))
    await refused(await written(byReference), 'bad_input', 'coordinate order')
    await refused(await written(withRecords(swap(100, 120))), 'bad_input', 'coordinate order')
    // A read without a position precedes the others.
    await refused(await written(withRecords(swap(3, last))), 'bad_input', 'coordinate order')
  })

  test('when a record is on a reference that does not exist, or before its start', async () => {
    const change = (at: number, value: number) =>
      withRecords((records) => {
        records[50]!.writeInt32LE(value, at)
        return records
      })
    const past = bam.references.length
    await refused(await written(change(4, past)), 'corrupt_source', `on reference ${past}, and`)
    await refused(await written(change(4, -2)), 'corrupt_source', 'on reference -2, and')
    await refused(await written(change(8, -2)), 'corrupt_source', 'position -1')
  })

  test('when the fields of a record do not fit in it', async () => {
    const change = (edit: (record: Buffer) => void) =>
      withRecords((records) => {
        edit(records[60]!)
        return records
      })
    for (const hurt of [
      change((record) => record.writeInt32LE(31, 0)),
      change((record) => record.writeInt32LE(-1, 0)),
      change((record) => record.writeInt32LE(2 ** 31 - 1, 0)),
      change((record) => record.writeUInt16LE(65535, 16)),
      change((record) => record.writeUInt8(255, 12)),
      change((record) => record.writeInt32LE(1_000_000, 20)),
      change((record) => record.writeInt32LE(-5, 20)),
    ]) {
      await refused(await written(hurt), 'corrupt_source', 'record')
    }
  })

  test('when it is cut off, damaged, or not BAM', async () => {
    await refused(await written(bytes.subarray(0, -MARKER.length)), 'corrupt_source', 'end marker')
    await refused(await written(bytes.subarray(0, 5000)), 'corrupt_source', 'block')
    await refused(await written(Buffer.from('no BAM')), 'bad_input', 'is text, not BAM')
    const cutRecord = bam.inflated.subarray(0, bam.inflated.length - 1)
    const packed = packBam(cutRecord, everyBytes(60_000, cutRecord.length))
    await refused(await written(packed), 'corrupt_source', 'cut off')
    for (const { offset, length } of splitBlocks(bytes).slice(1, -1)) {
      const hurt = Buffer.from(bytes)
      const at = offset + 18 + Math.floor(length / 2)
      hurt.writeUInt8(hurt.readUInt8(at) ^ 0x10, at)
      await refused(await written(hurt), 'corrupt_source', 'block')
    }
    await refused(join(folder, 'missing.bam'), 'not_found', 'missing.bam')
    await refused(folder, 'unavailable', 'folder')
  })

  test('when the index that is named is not there', async () => {
    const path = await written(bytes)
    await refused(path, 'not_found', 'missing.bai', { indexPath: join(folder, 'missing.bai') })
  })

  // `samtools view -h 'ce#unmap2.bam'` shows 19 records in order under a header with SO:unsorted.
  test.skipIf(!available.shared)('but not for a header alone', async () => {
    const path = join(SHARED_BAM, 'samtools/ce#unmap2.bam')
    const { warnings } = await importFile({ path })
    expect(warnings[0]).toContain('"unsorted"')
  })

  test.skipIf(!available.shared).each([
    ['bam-js/paired-region.namesorted.bam', 'bad_input', 'samtools sort'],
    ['samtools/1.quickcheck.badeof.bam', 'corrupt_source', 'end marker'],
    ['samtools/2.quickcheck.badheader.bam', 'corrupt_source', 'block'],
  ])('%s: %s', (name, code, text) => refused(join(SHARED_BAM, name), code, text))
})
