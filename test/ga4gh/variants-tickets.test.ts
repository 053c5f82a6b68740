import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publicData } from '../../fixtures/public-data.ts'
import { randomFrom } from '../../fixtures/random.ts'
import { makeVcf } from '../../fixtures/variants/make-variants.ts'
import { available } from '../available.ts'
import { run } from '../commons/slicing/support/htslib.ts'
import { depth } from '../depth.ts'
import { type HtsWorld, openHtsWorld } from './support/hts-world.ts'
import { bytesOfTicket, type Ticket } from './support/htsget-client.ts'

const SHARED = publicData('data')
const REGIONS = depth(2, 8, 1000)

let world: HtsWorld
beforeAll(async () => {
  world = await openHtsWorld({ access: 'open' })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const address = () => world.server.address

async function ticketOf(path: string): Promise<Ticket> {
  const response = await fetch(`${address()}${path}`)
  const text = await response.text()
  expect(response.status, text).toBe(200)
  return JSON.parse(text) as Ticket
}

const errorOf = async (path: string) => {
  const response = await fetch(`${address()}${path}`)
  const { htsget } = (await response.json()) as { htsget: { error: string; message: string } }
  return `${response.status} ${htsget.error}: ${htsget.message}`
}

describe.skipIf(!available.bcftools)('tickets of variants', () => {
  let vcf = ''
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    const plain = join(world.folder, 'calls.vcf')
    vcf = `${plain}.gz`
    await writeFile(plain, makeVcf({ seed: 51, records: 8000, samples: 10 }))
    await run('bgzip', plain)
    await run('tabix', '-p', 'vcf', vcf)
    const bcf = join(world.folder, 'calls.bcf')
    await run('bcftools', 'view', '--no-version', '-Ob', '-o', bcf, vcf)
    await run('bcftools', 'index', bcf)
    for (const [format, path] of Object.entries({ VCF: vcf, BCF: bcf })) {
      const what = { path, kind: 'variants', access: 'open' } as const
      ids[format] = (await world.engine.commons.importBam(what)).file.id
    }
  })

  test.each(['VCF', 'BCF'])(
    'of %s: parts are a slice, records those of bcftools view -r',
    async (format) => {
      const random = randomFrom(52)
      for (let i = 0; i < REGIONS; i++) {
        const start = random.below(1_900_000)
        const end = start + 1 + Math.floor(10 ** (6 * random.unit()))
        const query = `referenceName=chrX&start=${start}&end=${end}`
        const ticket = await ticketOf(`/variants/${ids[format]}?${query}`)
        expect(ticket.htsget.format).toBe(format)
        const bytes = await bytesOfTicket(ticket)
        const region = `chrX:${start + 1}-${end}`
        const slice = await fetch(`${address()}/slicing/view/${ids[format]}?region=${region}`)
        expect(bytes.equals(Buffer.from(await slice.arrayBuffer()))).toBe(true)
        const path = join(world.folder, 'ticket')
        await writeFile(path, bytes)
        const ours = await run('bcftools', 'view', '--no-version', '-H', path)
        const theirs = await run('bcftools', 'view', '--no-version', '-H', '-r', region, vcf)
        expect(ours.equals(theirs), region).toBe(true)
      }
    },
  )

  test('of the header alone, which bcftools reads', async () => {
    const path = join(world.folder, 'header.vcf.gz')
    await writeFile(path, await bytesOfTicket(await ticketOf(`/variants/${ids.VCF}?class=header`)))
    const ours = await run('bcftools', 'view', '--no-version', '-h', path)
    expect(ours.equals(await run('bcftools', 'view', '--no-version', '-h', vcf))).toBe(true)
  })

  test('bcftools reads a region by its ticket', async () => {
    const url = `${address()}/variants/${ids.VCF}?referenceName=2&start=100000&end=300000`
    const ours = await run('bcftools', 'view', '--no-version', '-H', url)
    const theirs = await run('bcftools', 'view', '--no-version', '-H', '-r', '2:100001-300000', vcf)
    expect(ours.equals(theirs)).toBe(true)
    expect(ours.length).toBeGreaterThan(1000)
  })

  test('bcftools reads a region by the address of the file and its index', async () => {
    const words = ['view', '--no-version', '-H', '-r', '2:100001-300000']
    const remote = `${address()}/data/${ids.VCF}##idx##${address()}/data/${ids.VCF}.tbi`
    // bcftools saves the fetched index in the current folder.
    const there = ['-c', 'cd "$1" && shift && exec bcftools "$@"', 'sh', world.folder]
    const ours = await run('sh', ...there, ...words, remote)
    expect(ours.equals(await run('bcftools', ...words, vcf))).toBe(true)
  })

  test('of an unknown contig there is none, nor of regions of a file that was not proved', async () => {
    expect(await errorOf(`/variants/${ids.VCF}?referenceName=4`)).toMatch(/^404 NotFound: .*"4"/)
    const id = '5c5a4a8e-0000-4000-8000-000000000009'
    await world.store(id, 'alone.vcf.gz', await readFile(vcf))
    expect(await errorOf(`/variants/${id}?referenceName=1`)).toMatch(
      /^400 UnsupportedFormat: .*whole/,
    )
  })
})

// Prints md5 and count of a region's records, for a ticket and for the file. It tests every record without an index.
const OVERLAPPING = `set -e
samtools quickcheck "$1"
for file in "$1" "$2"; do
  samtools view -L "$1.bed" "$file" >"$1.sam"
  echo "$(md5sum <"$1.sam" | cut -c-32) $(wc -l <"$1.sam")"
done`

describe.skipIf(!available.shared || !available.samtools)('tickets of CRAM', () => {
  const CRAM = join(SHARED, 'variants/htsnexus_test_NA12878.cram')
  /** The path and id of each file: with one reference per container, and with several. */
  const files: { path: string; id: string }[] = []

  const store = async (path: string) => {
    const what = { path, kind: 'CRAM', access: 'open' } as const
    const { file, records } = await world.engine.commons.importBam(what)
    // samtools view -c FILE
    expect(records).toBe(Number(await run('samtools', 'view', '-c', path)))
    expect(file).toMatchObject({ dataFormat: 'CRAM', indexName: expect.stringMatching(/\.crai$/) })
    files.push({ path, id: file.id })
  }

  beforeAll(async () => {
    await store(CRAM)
    // Containers of 100 records, many of them with several references.
    const path = join(world.folder, 'small.cram')
    const options = ['no_ref=1', 'seqs_per_slice=100', 'multi_seq_per_slice=1']
    const words = options.flatMap((option) => ['--output-fmt-option', option])
    await run('samtools', 'view', '-C', ...words, '-o', path, world.bamPath)
    await run('samtools', 'index', path)
    await store(path)
  })

  test(`${REGIONS} regions of each have all records of the file, after the local filter`, async () => {
    const random = randomFrom(53)
    for (const { path, id } of files) {
      let found = 0
      const { length } = await readFile(path)
      // The names and 1-based starts of records, some of them unplaced.
      const printed = (await run('samtools', 'view', path)).toString().trimEnd().split('\n')
      const places = printed.map((line) => line.split('\t')).filter(([, , name]) => name !== '*')
      for (let i = 0; i < REGIONS; i++) {
        const [, , name = '', position] = places[random.below(places.length)]!
        const start = Math.max(0, Number(position) - 1 + random.below(400) - 200)
        const end = start + 1 + Math.floor(10 ** (7 * random.unit()))
        const query = `referenceName=${encodeURIComponent(name)}&start=${start}&end=${end}`
        const bytes = await bytesOfTicket(await ticketOf(`/reads/${id}?${query}`))
        const ticket = join(world.folder, 'ticket.cram')
        await writeFile(ticket, bytes)
        await writeFile(`${ticket}.bed`, `${name}\t${start}\t${end}\n`)
        const words = ['-c', OVERLAPPING, 'sh', ticket, path]
        const [ours = '', theirs] = (await run('sh', ...words)).toString().trimEnd().split('\n')
        expect(ours, query).toBe(theirs)
        found += Number(ours.split(' ')[1])
        expect(bytes.length).toBeLessThanOrEqual(length)
      }
      expect(found).toBeGreaterThan(0)
    }
  })

  test('reads without a place, the header alone, and an unknown reference', async () => {
    for (const { path, id } of files) {
      const ticket = join(world.folder, 'ticket.cram')
      await writeFile(ticket, await bytesOfTicket(await ticketOf(`/reads/${id}?referenceName=*`)))
      const count = async (file: string) =>
        Number(await run('samtools', 'view', '-c', '-e', 'rname=="*"', file))
      expect(await count(ticket)).toBe(await count(path))
      await writeFile(ticket, await bytesOfTicket(await ticketOf(`/reads/${id}?class=header`)))
      const header = (file: string) => run('samtools', 'view', '-H', '--no-PG', file)
      expect((await header(ticket)).equals(await header(path))).toBe(true)
      expect(Number(await run('samtools', 'view', '-c', ticket))).toBe(0)
      expect(await errorOf(`/reads/${id}?referenceName=nothing`)).toMatch(/^404 NotFound/)
    }
  })

  test('damaged and truncated files are refused, and an index of another file is not kept', async () => {
    const bytes = await readFile(CRAM)
    const path = join(world.folder, 'damaged.cram')
    const refusal = async (content: Buffer, index = `${CRAM}.crai`) => {
      await writeFile(path, content)
      await copyFile(index, `${path}.crai`)
      const storing = world.engine.commons.importBam({ path, kind: 'CRAM', access: 'open' })
      return storing.then(String, ({ code, message }) => `${code}: ${message}`)
    }
    for (const at of [100, 500_000, 700_000, 1_300_000, bytes.length - 60]) {
      const damaged = Buffer.from(bytes)
      damaged[at]! ^= 4
      expect(await refusal(damaged), `${at}`).toMatch(/^corrupt_source: "damaged.cram" is damaged/)
    }
    expect(await refusal(bytes.subarray(0, -38))).toMatch(/^corrupt_source: .*no end marker/)
    expect(await refusal(Buffer.from('not CRAM, and long enough to be one'))).toMatch(/^bad_input/)
    await writeFile(path, bytes)
    const indexPath = `${files[1]!.path}.crai`
    const given = { path, indexPath, kind: 'CRAM', access: 'open' } as const
    const { warnings } = await world.engine.commons.importBam(given)
    expect(warnings.join()).toContain('.crai" is not that of the file')
    expect((await fetch(`${address()}/slicing/view/${files[0]!.id}?region=10`)).status).toBe(404)
  })
})
