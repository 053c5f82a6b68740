import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FileSlice, sliceFile } from '../../../engine/commons/index.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import { makeBam } from '../../../fixtures/bam/make-bam.ts'
import { randomFrom } from '../../../fixtures/random.ts'
import { available } from '../../available.ts'
import { depth, sample } from '../../depth.ts'
import { SHARED_BAM, samtools, viewEach } from './support/clients.ts'
import { packBam } from './support/pack-bam.ts'
import { drawRequests } from './support/requests.ts'
import { indexedCopy, indexesBeside, sharedBams } from './support/sources.ts'
import { inflateAll, readBam } from './support/strict-bam.ts'

// The expected output is that of samtools 1.16: `samtools view -h --no-PG`, since without --no-PG it adds a line
// with its own version and command to the header.

/** The number of regions in all files together. */
const REGIONS = depth(12, 100, 1000)

/** Files of the shared folder whose records samtools reads and the engine rejects, or that neither reads. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'samtools/1.quickcheck.badeof.bam': 'it has no end marker: records may be missing',
  'samtools/2.quickcheck.badheader.bam': 'it is not BAM',
}

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-records-'))
})
afterAll(() => rm(folder, { recursive: true }))

type Wanted = Partial<Omit<FileSlice, 'bySymbols'>>

async function textOf(path: string, wanted: Wanted, indexPath?: string): Promise<Buffer> {
  const request = { regions: [], genes: [], form: 'sam', ...wanted } as const
  await using slice = await sliceFile(
    { path, indexPath },
    { ...request, bySymbols: async () => new Map() },
    inlineExecutor,
  )
  const parts: Buffer[] = []
  for await (const chunk of slice.body) parts.push(Buffer.from(chunk))
  return Buffer.concat(parts)
}

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')

const shared = sharedBams().filter((name) => !(name in LEFT_OUT))

describe.skipIf(!available.shared || !available.samtools)('SAM is what samtools writes', () => {
  test('of every shared file, whole', async () => {
    expect(shared.length).toBeGreaterThanOrEqual(41)
    for (const name of sample(shared, 6)) {
      const path = join(SHARED_BAM, name)
      const expected = await samtools('view', '-h', '--no-PG', path)
      expect(md5(await textOf(path, { isWhole: true })), name).toBe(md5(expected))
    }
  })

  // The omitted files are not in coordinate order, cannot be indexed by samtools, or have a header in which
  // samtools finds no reference.
  const sliced = shared.filter((name) => !/namesorted|notargets|large_coords/.test(name))

  test(`of ${REGIONS} regions of them, near the edges of records, blocks and bins`, async () => {
    const chosen = sample(sliced, 3)
    let compared = 0
    for (const [number, name] of chosen.entries()) {
      // A file without references has few regions.
      const each = Math.ceil((REGIONS - compared) / (chosen.length - number))
      const given = join(SHARED_BAM, name)
      const source =
        indexesBeside(given).length > 0
          ? { path: given, indexPaths: indexesBeside(given) }
          : await indexedCopy(given, folder)
      const { path } = source
      const bam = readBam(inflateAll(await readFile(path)))
      const drawn = drawRequests(bam, 97 + number, 2 * each).flatMap(({ intervals, unplaced }) => {
        const [first] = intervals
        if (!first) return unplaced ? ['*'] : []
        const { reference, start, end } = first
        return [`{${reference}}:${start + 1}${end === Number.POSITIVE_INFINITY ? '' : `-${end}`}`]
      })
      const regions = drawn.slice(0, each)
      compared += regions.length
      const expected = await viewEach(path, source.indexPaths[0] ?? '', regions)
      for (const [i, region] of regions.entries()) {
        const text = region.replace(/^\{(.*)\}/, '$1')
        const got = await textOf(path, { regions: [text] }, source.indexPaths[0])
        expect(md5(got), `${basename(path)} ${region}`).toBe(expected[i])
      }
    }
    expect(compared).toBeGreaterThanOrEqual(REGIONS)
  })
})

describe.skipIf(!available.samtools)('SAM of fields that real files rarely have', () => {
  // Compares a SAM line, read by `samtools view -b` into BAM and written by `samtools view -h --no-PG`.
  async function expectSame(name: string, lines: readonly string[]): Promise<void> {
    const path = join(folder, `${name}.bam`)
    const header = '@HD\tVN:1.6\tSO:unsorted\n@SQ\tSN:chr1\tLN:100000000\n'
    await writeFile(`${path}.sam`, header + lines.join('\n').concat('\n'))
    await samtools('view', '--no-PG', '-b', '-o', path, `${path}.sam`)
    const expected = await samtools('view', '-h', '--no-PG', path)
    expect(expected.toString().split('\n').length).toBe(lines.length + 3)
    const got = await textOf(path, { isWhole: true })
    // Compares the pieces that differ, since the whole is too long to show.
    const wanted = expected.toString().split(/[\t,\n]/)
    const differing = got
      .toString()
      .split(/[\t,\n]/)
      .flatMap((piece, i) => (piece === wanted[i] ? [] : [`${piece} for ${wanted[i]}`]))
    expect(differing.slice(0, 5)).toEqual([])
    expect(got.equals(expected)).toBe(true)
  }
  const record = (tags: readonly string[], cigar = '4M', seq = 'ACGT') =>
    ['r', 0, 'chr1', 100, 60, cigar, '=', 200, -17, seq, '*', ...tags].join('\t')

  test('floats of every size', async () => {
    const random = randomFrom(7)
    const bits = new DataView(new ArrayBuffer(4))
    const drawn = Array.from({ length: depth(4000, 40_000) }, () => {
      bits.setUint32(0, random.below(2 ** 32))
      const value = bits.getFloat32(0)
      return Number.isNaN(value) ? 0.5 : value
    })
    // Values where the number of decimals changes, and halves that round to even.
    const edges = [1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1000, 1e4, 1e5, 999999, 1e6].flatMap((edge) =>
      [1 - 2e-7, 1 - 6e-8, 1, 1 + 6e-8, 1 + 2e-7].map((factor) => edge * factor),
    )
    const halves = Array.from({ length: 400 }, (_, i) => (2 * i + 1) / 2 ** (1 + (i % 18)))
    const usual = Array.from({ length: 2000 }, () => random.unit() * 10 ** (random.below(12) - 5))
    const values = [...drawn, ...edges, ...halves, ...usual, 0, 0.1].flatMap((v) => [v, -v])
    const texts = values.map((value) => String(Math.fround(value)).replace('e+', 'e'))
    const lines = [
      record([`XA:B:f,${texts.join(',')}`, 'XB:f:inf', 'XC:f:-inf', 'XD:f:nan', 'XE:f:-nan']),
      ...texts.slice(-500).map((text) => record([`XF:f:${text}`])),
    ]
    await expectSame('floats', lines)
  })

  test('whole numbers of every width, arrays of each type, text, letters and hexadecimals', async () => {
    const numbers = [0, 1, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 2147483647, 4294967295]
    const below = [-1, -128, -129, -32768, -32769, -2147483648]
    await expectSame('numbers', [
      record([...numbers, ...below].map((n, i) => `X${String.fromCharCode(65 + i)}:i:${n}`)),
      record(['XA:B:c,-128,127', 'XB:B:C,0,255', 'XC:B:s,-32768,7', 'XD:B:S,65535']),
      record(['XA:B:i,-2147483648,1', 'XB:B:I,4294967295,0', 'XC:B:f', 'XD:B:C']),
      record(['XA:A:!', 'XB:A:~', 'XC:Z:', 'XD:Z:a b:c,d', 'XE:H:1AFF', 'XF:H:']),
    ])
  })

  test('reads without place, sequence, qualities or CIGAR, and letters of every base', async () => {
    const bases = '=ACMGRSVTWYHKDBN'
    const fields = (...values: (string | number)[]) => values.join('\t')
    await expectSame('bare', [
      fields('q', 4, '*', 0, 0, '*', '*', 0, 0, '*', '*'),
      fields('q', 69, 'chr1', 5, 0, '*', '=', 5, 0, 'ACG', '!~I'),
      fields('q', 0, 'chr1', 5, 255, `${bases.length}M`, '*', 0, 0, bases, '*'),
      fields('q', 0, 'chr1', 5, 3, '3M1I2D9N4S5H1P1=2X', '*', 0, 2147483647, 'ACGTACGTACG', '*'),
      fields('q'.repeat(254), 16, 'chr1', 99999999, 1, '1M', 'chr1', 1, -9, 'N', '#'),
    ])
  })

  test('a CIGAR of more operations than BAM has place for', async () => {
    const pairs = 40_000
    const [cigar, seq] = ['1M1I'.repeat(pairs), 'AC'.repeat(pairs)]
    await expectSame('long', [
      record(['XA:i:1', 'XB:Z:behind'], cigar, seq),
      record([], '4M'),
      // One record has a clip of all bases without the field, and one has the field with another type.
      record(['CG:Z:none'], '4S'),
    ])
  })
})

describe('records out of made files', () => {
  test('JSON tells what SAM tells, and text of a slice is that of its blocks', async () => {
    const path = join(folder, 'made.bam')
    await makeBam({ path, seed: 31, scale: 'tiny', style: 'htslib' })
    const sam = (await textOf(path, { isWhole: true })).toString().split('\n')
    const lines = sam.filter((line) => line !== '' && !line.startsWith('@'))
    const json = (await textOf(path, { isWhole: true, form: 'json' })).toString()
    const objects = json
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(objects.length).toBe(lines.length)
    expect(objects.map(samOf)).toEqual(lines)
    expect(lines.length).toBe(readBam(inflateAll(await readFile(path))).records.length)
  })

  test('an optional field that is cut off is damage, not text', async () => {
    const path = join(folder, 'cut.bam')
    await makeBam({ path, seed: 3, scale: 'tiny', style: 'htslib', index: 'none' })
    const bam = readBam(inflateAll(await readFile(path)))
    const { from, to } = bam.records[5] ?? { from: 0, to: 0 }
    // A text without its terminating NUL.
    const bytes = Buffer.concat([bam.inflated.subarray(0, to), Buffer.from('XXZa')])
    bytes.writeInt32LE(to - from, from)
    await writeFile(path, packBam(bytes, []))
    await expect(textOf(path, { isWhole: true })).rejects.toMatchObject({ code: 'corrupt_source' })
  })
})

/** Formats an object as a SAM line, by the names of its fields alone. */
function samOf(object: unknown): string {
  const record = object as Record<string, unknown> & { tags: Record<string, unknown> }
  const text = (value: unknown, absent = '*') => String(value ?? absent)
  const same = record.rnext !== null && record.rnext === record.rname
  const fields = [
    ...[text(record.qname), record.flag, text(record.rname), text(record.pos, '0'), record.mapq],
    ...[text(record.cigar), same ? '=' : text(record.rnext), text(record.pnext, '0'), record.tlen],
    ...[text(record.seq), text(record.qual)],
  ]
  const tags = Object.entries(record.tags).map(([name, value]) =>
    typeof value === 'number' ? `${name}:i:${value}` : `${name}:Z:${value}`,
  )
  return [...fields, ...tags].join('\t')
}
