import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startS3 } from '../../../engine/shared/blobs/support/s3-server.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import type { RunningServer } from '../../../server/main.ts'
import { available } from '../../available.ts'
import { eventually } from '../../eventually.ts'
import { openEngine } from '../../places.ts'
import { listenFor } from '../contract/support/listen.ts'

// The index of a CRAM file is made while the file is verified, line by line as by `samtools index`.

let folder = ''
let engine: Awaited<ReturnType<typeof openEngine>>
let server: RunningServer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-cram-'))
  engine = await openEngine({ dataFolder: join(folder, 'data'), executor: inlineExecutor })
  server = await listenFor(engine)
  if (!available.bcftools) return
  await writeFile(join(folder, 'in.sam'), samText(900))
  await writeFile(join(folder, 'early.sam'), samText(500))
})
afterAll(async () => {
  await server?.close()
  await engine?.close()
  await rm(folder, { recursive: true, force: true })
})

const sh = async (script: string) =>
  (await promisify(execFile)('sh', ['-c', script], { cwd: folder, maxBuffer: 1 << 26 })).stdout

const SMALL = 30
/** Reads with every kind of alignment on one long and many short contigs, and some unmapped. */
function samText(records: number): string {
  const names = ['long', ...Array.from({ length: SMALL }, (_, i) => `c${i}`), 'none']
  const cigars = ['50M', '10S40M', '20M5D25M5S', '20M7I23M', '20M900N30M', '10H50M', '30M2P20M']
  const rows: string[] = []
  const add = (name: string, flag: number, start: number, cigar: string) => {
    const i = rows.length
    const sequence = Array.from({ length: 50 }, (_, k) => 'ACGT'[(i * 7 + k * k * 11) % 4]).join('')
    rows.push(`r${i}\t${flag}\t${name}\t${start}\t60\t${cigar}\t*\t0\t0\t${sequence}\t*\n`)
  }
  for (const name of names.slice(0, -1)) {
    const count = name === 'long' ? records : 12
    for (let k = 0; k < count; k++) {
      const start = 1 + k * (name === 'long' ? 40 : 150)
      add(name, k % 3 === 0 ? 16 : 0, start, cigars[(k * 5 + rows.length) % cigars.length]!)
      if (k % 9 === 0) add(name, 4, start, '*')
    }
  }
  for (let k = 0; k < 40; k++) add('*', 4, 0, '*')
  const lines = names.map((name) => `@SQ\tSN:${name}\tLN:100000\n`)
  return `@HD\tVN:1.6\tSO:coordinate\n${lines.join('')}${rows.join('')}`
}

// Neither side has a reference sequence.
const MAKE = 'samtools view --no-PG -C --output-fmt-option no_ref=1'
const option = (...options: readonly string[]) =>
  options.map((each) => `--output-fmt-option ${each}`).join(' ')
const WRITERS = [
  ['usual', ''],
  ['small', option('seqs_per_slice=100')],
  ['several', option('multi_seq_per_slice=1', 'seqs_per_slice=100')],
  ['slices', option('slices_per_container=3', 'multi_seq_per_slice=1', 'seqs_per_slice=70')],
  ['newer', option('version=3.1', 'archive', 'seqs_per_slice=100', 'slices_per_container=2')],
  ['packed', option('use_bzip2=1', 'use_lzma=1', 'multi_seq_per_slice=1', 'seqs_per_slice=200')],
] as const

const store = (name: string) =>
  engine.commons.importBam({ path: join(folder, name), kind: 'CRAM', access: 'open' })
const served = async (id: string) => {
  const response = await fetch(`${server.address}/data/${id}.crai`)
  return gunzipSync(Buffer.from(await response.arrayBuffer())).toString()
}
const REGIONS = `long:1000-1100 long:19000-30000 c3 c29:700-900 none '*'`

describe.skipIf(!available.bcftools)('the index of CRAM', () => {
  test.each(WRITERS)('is that of samtools where the writer is %s', async (name, options) => {
    await sh(`${MAKE} ${options} -o ${name}.cram in.sam 2>/dev/null`)
    const { file, records, warnings } = await store(`${name}.cram`)
    expect([records, warnings, file.indexName]).toEqual([
      Number(await sh('grep -vc ^@ in.sam')),
      [],
      `${name}.cram.crai`,
    ])
    await sh(`samtools index ${name}.cram`)
    expect(await served(file.id)).toBe(await sh(`gzip -dc ${name}.cram.crai`))
    const theirs = await sh(`samtools view ${name}.cram ${REGIONS}`)
    expect(await sh(`samtools view ${server.address}/data/${file.id} ${REGIONS}`)).toBe(theirs)
    expect(theirs.split('\n').length).toBeGreaterThan(300)
    expect((await store(`${name}.cram`)).warnings).toEqual([])
  })

  test('that was brought is dropped with a word where it does not find all', async () => {
    await sh(`${MAKE} ${option('seqs_per_slice=100')} -o own.cram in.sam; samtools index own.cram`)
    const lines = (await sh('gzip -dc own.cram.crai')).trim().split('\n')
    const faults: string[] = []
    const put = async (text: string) => {
      await writeFile(join(folder, 'own.cram.crai'), text)
      const { file, warnings } = await store('own.cram')
      faults.push(warnings.join())
      expect(await served(file.id)).toBe(`${lines.join('\n')}\n`)
    }
    const changed = (column: number, value: string) => {
      const words = lines[2]!.split('\t')
      return lines.with(2, words.with(column, value).join('\t')).join('\n')
    }
    await put(changed(0, '3'))
    await put(changed(1, '9000'))
    await put(changed(2, '1'))
    await put(changed(3, '77'))
    await put(changed(4, '1'))
    await put(lines.toSpliced(2, 1).join('\n'))
    await put('no index')
    expect(faults).toEqual([
      expect.stringMatching(/"own.cram.crai" is not that .* what is at \d+ of reference 0 /),
      expect.stringContaining('it does not find what is at'),
      expect.stringContaining('it does not find what is at'),
      expect.stringContaining('a container at byte 77 that the file does not have'),
      expect.stringContaining('that the file does not have'),
      expect.stringContaining('it has no slice of the container at byte'),
      expect.stringContaining('it cannot be read as an index'),
    ])
    // An index with wider regions, in any order, still works.
    const wider = lines.map((line) => line.replace(/^0\t\d+\t\d+/, '0\t1\t100000')).reverse()
    await writeFile(join(folder, 'own.cram.crai'), wider.join('\n'))
    expect((await store('own.cram')).warnings).toEqual([])
  })

  test('is not made of records out of order, which samtools does not index either', async () => {
    const rows = samText(900).split('\n')
    const from = rows.findIndex((row) => row.startsWith('r400\t'))
    const late = rows.splice(from, 100)
    await writeFile(join(folder, 'odd.sam'), rows.toSpliced(from + 100, 0, ...late).join('\n'))
    for (const [name, options] of [
      ['odd', option('seqs_per_slice=50')],
      ['odd several', option('multi_seq_per_slice=1', 'seqs_per_slice=2000')],
    ] as const) {
      await sh(`${MAKE} ${options} -o '${name}.cram' odd.sam`)
      await expect(sh(`samtools index '${name}.cram'`)).rejects.toThrow(/not sorted/)
      const message = await store(`${name}.cram`).then(String, ({ message }: Error) => message)
      expect(message).toContain('are not in coordinate order; sort it: samtools sort')
      await sh(`${message.split('sort it: ')[1]}`)
      expect((await store(`${name}.sorted.cram`)).warnings).toEqual([])
    }
  })

  test('that was brought to an earlier version is named by a check, and made anew after a start', async () => {
    await sh(`${MAKE} ${option('multi_seq_per_slice=1', 'seqs_per_slice=90')} -o new.cram in.sam`)
    await sh(
      `${MAKE} ${option('multi_seq_per_slice=1', 'seqs_per_slice=90')} -o old.cram early.sam`,
    )
    await sh('samtools index new.cram new.right; samtools index old.cram')
    const dataFolder = join(folder, 'earlier')
    const first = await openEngine({ dataFolder, executor: inlineExecutor })
    const path = join(folder, 'new.cram')
    const { file } = await first.commons.importBam({ path, kind: 'CRAM', access: 'open' })
    const stored = join(dataFolder, 'files', file.id, 'new.cram.crai')
    const problems = async (of: typeof engine, isDeep: boolean) => {
      const found: string[] = []
      for await (const { problem, isNote } of of.check({ isDeep })) if (!isNote) found.push(problem)
      return found
    }
    expect([...(await problems(first, false)), ...(await problems(first, true))]).toEqual([])
    const made = await readFile(stored)
    await copyFile(join(folder, 'old.cram.crai'), stored)
    for (const isDeep of [false, true]) {
      expect(await problems(first, isDeep)).toEqual([
        expect.stringMatching(/index "new.cram.crai" is not that .* or start the service/),
      ])
    }
    // A wrong position in a slice of several references shows when it is decoded.
    const wrong = gunzipSync(await readFile(join(folder, 'new.right'))).toString()
    await writeFile(stored, wrong.replace(/^(4\t)\d+/m, '$17777'))
    expect(await problems(first, false)).toEqual([])
    expect(await problems(first, true)).toHaveLength(1)
    await first.close()
    const logs: string[] = []
    const second = await openEngine({
      ...{ dataFolder, executor: inlineExecutor },
      onEvent: ({ message }) => logs.push(message),
    })
    await second.start()
    await eventually(() => expect(logs.join()).toContain(`index of file ${file.id} was replaced`))
    expect(await readFile(stored)).toEqual(made)
    expect(await problems(second, true)).toEqual([])
    await second.close()
  })

  test('in object storage is compared by some containers, and by a deep check with all', async () => {
    await sh(`${MAKE} ${option('seqs_per_slice=10')} -o far.cram in.sam; samtools index far.cram`)
    await sh(
      `${MAKE} ${option('seqs_per_slice=10')} -o old.cram early.sam; samtools index old.cram`,
    )
    const s3 = await startS3()
    const remote = await openEngine({
      ...{ dataFolder: join(folder, 'remote'), executor: inlineExecutor },
      objects: { ...s3.options, prefix: 'cram' },
    })
    try {
      const path = join(folder, 'far.cram')
      const { file } = await remote.commons.importBam({ path, kind: 'CRAM', access: 'open' })
      const lines = (await sh('gzip -dc far.cram.crai')).trim().split('\n')
      expect(lines.length).toBeGreaterThan(100)
      const check = async (isDeep = false) => {
        s3.requests.length = 0
        const found: string[] = []
        for await (const issue of remote.check({ isDeep })) {
          if (!issue.isNote) found.push(issue.problem)
        }
        const ranges = s3.requests.filter(({ url, range }) => range && /far\.cram\b/.test(url))
        return { found, ranges: ranges.length }
      }
      const put = async (text: string) => {
        const part = join(folder, 'part.crai')
        await writeFile(part, text)
        await remote.shared.blobs.writing.take({ id: file.id, name: 'far.cram.crai' }, part)
      }
      const sound = await check()
      expect(sound.found).toEqual([])
      expect(sound.ranges).toBeLessThan(150)
      const changed = (line: number, column: number, value: string) =>
        lines.with(line, lines[line]!.split('\t').with(column, value).join('\t')).join('\n')
      const old = await sh('gzip -dc old.cram.crai')
      for (const [text, fault] of [
        [old, /has no slice of the container at byte|that the file does not have/],
        [lines.slice(0, -1).join('\n'), /has no slice of the container at byte/],
        [lines.slice(1).join('\n'), /has no slice of the container at byte/],
        [changed(0, 4, '1'), /that the file does not have/],
        [changed(0, 0, '3'), /that the file does not have/],
        ['', /has no slice of the container at byte/],
        ['no index', /it cannot be read as an index/],
      ] as const) {
        await put(text)
        expect((await check()).found).toEqual([
          expect.stringMatching(/index "far.cram.crai" is not that of the file/),
        ])
        expect((await check()).found[0]).toMatch(fault)
      }
      await put(lines.toSpliced(Math.floor(lines.length / 2), 1).join('\n'))
      expect((await check(true)).found).toHaveLength(1)
    } finally {
      await remote.close()
      await s3.stop()
    }
  })
})
