import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { publicData } from '../../fixtures/public-data.ts'
import type { RunningServer } from '../../server/main.ts'
import { available } from '../available.ts'
import { idOf } from '../commons/contract/support/download-records.ts'
import { listenFor } from '../commons/contract/support/listen.ts'
import { type HtsWorld, openHtsWorld } from './support/hts-world.ts'
import { bytesOfTicket, type Ticket } from './support/htsget-client.ts'
import { md5, runTool } from './support/tools.ts'

// What the compliance suite of htsget asks, from its description: two ids, each without a format and
// with either of its kind, plain and with an encryption that is not there; all of them whole files.
// And every answer holds against the published description of the interface.

const VARIANTS = publicData('data/variants')
const READS_ID = 'htsnexus_test_NA12878'
const VARIANTS_ID = 'spec-v4.3'
const FILES = [
  [READS_ID, 'htsnexus_test_NA12878.bam'],
  [READS_ID, 'htsnexus_test_NA12878.cram'],
  [VARIANTS_ID, 'spec-v4.3.vcf.gz'],
  [VARIANTS_ID, 'spec-v4.3.bcf'],
] as const

describe.skipIf(!available.shared)('the files of the compliance suite', () => {
  let world: HtsWorld
  let server: RunningServer

  beforeAll(async () => {
    world = await openHtsWorld({ access: 'open' })
    const lines: string[] = []
    for (const [i, [id, name]] of FILES.entries()) {
      await world.store(idOf(50 + i), name, readFileSync(join(VARIANTS, name)))
      lines.push(`${id}\t${idOf(50 + i)}`)
    }
    const htsgetIds = join(world.folder, 'ids.tsv')
    writeFileSync(htsgetIds, `# ids of the suite\n${lines.join('\n')}\n`)
    server = await listenFor(world.engine, { htsgetIds })
  })
  afterAll(async () => {
    await server?.close()
    await world?.[Symbol.asyncDispose]()
  })

  const CASES = [
    ['reads', READS_ID, undefined, FILES[0][1]],
    ['reads', READS_ID, 'BAM', FILES[0][1]],
    ['reads', READS_ID, 'CRAM', FILES[1][1]],
    ['variants', VARIANTS_ID, undefined, FILES[2][1]],
    ['variants', VARIANTS_ID, 'VCF', FILES[2][1]],
    ['variants', VARIANTS_ID, 'BCF', FILES[3][1]],
  ] as const

  test.each(
    CASES.flatMap(([kind, id, format, name]) =>
      ([undefined, 'c4gh'] as const).map((scheme) => ({ kind, id, format, name, scheme })),
    ),
  )('$kind/$id, format $format, encryption $scheme', async ({ kind, id, format, name, scheme }) => {
    const query = new URLSearchParams({
      ...(format !== undefined && { format }),
      ...(scheme !== undefined && { encryptionScheme: scheme }),
    })
    const response = await fetch(`${server.address}/${kind}/${id}?${query}`)
    expect(response.status).toBe(200)
    const ticket = (await response.json()) as Ticket
    const stored = readFileSync(join(VARIANTS, name))
    expect(md5(await bytesOfTicket(ticket))).toBe(md5(stored))
    expect(ticket.htsget.md5).toBe(md5(stored))
    const posted = await fetch(`${server.address}/${kind}/${id}`, {
      method: 'POST',
      body: JSON.stringify(format === undefined ? {} : { format }),
    })
    expect(await posted.json()).toEqual(ticket)
  })

  test.skipIf(!available.samtools)('are read by their tickets as by their paths', async () => {
    const options = { cwd: world.folder }
    const read = (name: string, words: readonly string[]) =>
      runTool(name, [...words.slice(0, -1), words.at(-1) ?? ''], options)
    const [bam, cram, vcf, bcf] = FILES.map(([, name]) => join(VARIANTS, name))
    const at = (kind: string, id: string, format: string) =>
      `${server.address}/${kind}/${id}?format=${format}`
    const pairs = [
      ['samtools', ['view'], bam, at('reads', READS_ID, 'BAM')],
      // The columns that distinguish reads and need no reference.
      [
        'samtools',
        ['view', '--input-fmt-option', 'required_fields=0x1ff'],
        cram,
        at('reads', READS_ID, 'CRAM'),
      ],
      ['bcftools', ['view', '--no-version'], vcf, at('variants', VARIANTS_ID, 'VCF')],
      ['bcftools', ['view', '--no-version'], bcf, at('variants', VARIANTS_ID, 'BCF')],
    ] as const
    for (const [program, words, path, url] of pairs) {
      if (program === 'bcftools' && !available.bcftools) continue
      const local = await read(program, [...words, path ?? ''])
      expect(local.length).toBeGreaterThan(0)
      expect(md5(await read(program, [...words, url])), url).toBe(md5(local))
    }
  })

  test('every answer holds against the published description', async () => {
    const path = publicData('contract/ga4gh-schemas/htsget-openapi.yaml')
    const document = parse(readFileSync(path, 'utf8')) as object
    const ajv = new Ajv({ strict: false, allErrors: true, formats: { int64: true } })
    ajv.addSchema({ ...document, $id: 'https://schemas.test/htsget' })
    const judged = async (name: string, url: string, init: RequestInit = {}) => {
      const validate = ajv.compile({
        $ref: `https://schemas.test/htsget#/components/schemas/${name}`,
      })
      const body: unknown = await (await fetch(`${server.address}${url}`, init)).json()
      return validate(body) ? [] : [url, validate.errors]
    }
    const { bamId } = world
    const post = { method: 'POST', body: '{"regions":[{"referenceName":"chr1","start":5}]}' }
    expect([
      await judged('htsgetResponseReads', `/reads/${bamId}`),
      await judged('htsgetResponseReads', `/reads/${bamId}?referenceName=chr1&end=90000000`),
      await judged('htsgetResponseReads', `/reads/${bamId}?class=header`),
      await judged('htsgetResponseReads', `/reads/${bamId}`, post),
      await judged('htsgetResponseVariants', `/variants/${VARIANTS_ID}`),
    ]).toEqual([[], [], [], [], []])
    const broken = ajv.compile({
      $ref: 'https://schemas.test/htsget#/components/schemas/htsgetResponseReads',
    })
    expect(broken({ htsget: { format: 'SAM', urls: [] } })).toBe(false)
  })
})
