import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { randomFrom } from '../../fixtures/random.ts'
import { makeBed, makeGff, makeVcf } from '../../fixtures/variants/make-variants.ts'
import { available } from '../available.ts'
import { depth, sample } from '../depth.ts'
import { type Region, regionText } from './support/draw-regions.ts'
import { HTS_PLACES, openHtsPlace, type PlacedWorld } from './support/hts-places.ts'
import { readRegions, runTool } from './support/tools.ts'

// bcftools and tabix, unchanged, read regions of variants and features by ticket, by the index of the address,
// and from slices, with the same result as from the file itself: in a folder and in a bucket, by the block
// directory and by the index.

/** The number of regions for each place, way and kind of file; the long form has 1,000 in all. */
const REGIONS = depth(2, 2, 250)

type Kind = 'vcf' | 'bcf' | 'gff' | 'bed'

const MADE: Readonly<Record<Exclude<Kind, 'bcf'>, () => string>> = {
  vcf: () => makeVcf({ seed: 61, records: 8000, samples: 10 }),
  gff: () => makeGff({ seed: 62, records: 6000 }),
  bed: () => makeBed({ seed: 63, records: 8000 }),
}

const BCFTOOLS = `
  show bcftools view --no-version -H -r "$region" "$1"
  show bcftools view --no-version -H "$ticket"
  show bcftools view --no-version -H -r "$region" "$2"
  show bcftools view --no-version -H "$slice"`

// Makes an index for a slice, so that tabix reads it too, and checks that it has exactly the expected lines.
const TABIX = `
  lines() { bgzip -dc "$1" | sed '/^#/d'; }
  show tabix "$1" "$region"
  show tabix "$2" "$region"
  htsfile -C "$slice" slice.gz 2>/dev/null && tabix -f -p "$3" slice.gz || exit 1
  show tabix slice.gz "$region"
  show lines slice.gz`

describe.skipIf(!available.bcftools).each(sample(HTS_PLACES, 2))('$keeps, by $finds', (place) => {
  let world: PlacedWorld
  const stored: Partial<Record<Kind, { readonly path: string; readonly id: string }>> = {}

  beforeAll(async () => {
    world = await openHtsPlace(place, { scale: 1e5 })
    const cwd = world.folder
    const project = { kind: 'variants', project: 'ALPHA-1' } as const
    for (const [kind, text] of Object.entries(MADE)) {
      const plain = join(cwd, `made.${kind}`)
      await writeFile(plain, text())
      await runTool('bgzip', [plain], { cwd })
      await runTool('tabix', ['-p', kind, `${plain}.gz`], { cwd })
    }
    const bcf = join(cwd, 'made.bcf')
    await runTool('bcftools', ['view', '--no-version', '-Ob', '-o', bcf, 'made.vcf.gz'], { cwd })
    await runTool('bcftools', ['index', bcf], { cwd })
    for (const kind of ['vcf', 'bcf', 'gff', 'bed'] as const) {
      const path = kind === 'bcf' ? bcf : join(cwd, `made.${kind}.gz`)
      stored[kind] = { path, id: await world.add({ path, ...project }) }
    }
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  async function expectSame(commands: string, kind: Kind): Promise<void> {
    const { path, id } = stored[kind]!
    const { address } = world.server
    const regions = drawn(kind).map((region) => {
      const { name, start, end } = region
      const ticket = `${address}/variants/${id}?referenceName=${name}&start=${start}&end=${end}`
      return [
        regionText(region),
        ticket,
        `${address}/slicing/view/${id}?region=${regionText(region)}`,
      ]
    })
    const { file: tokenFile } = await world.token()
    const words = [path, `${address}/data/${id}`, kind]
    const sums = await readRegions({ commands, words, regions, cwd: world.folder, tokenFile })
    expect(sums).toHaveLength(REGIONS)
    expect(sums).toEqual(sums.map(([own]) => Array(4).fill(own)))
    // The regions have records, and different ones.
    expect(new Set(sums.flat()).size).toBeGreaterThan(REGIONS / 2)
  }

  test.each(['vcf', 'bcf'] as const)(
    `bcftools reads ${REGIONS} regions of %s in all three ways`,
    (kind) => expectSame(BCFTOOLS, kind),
  )

  // tabix needs an index, which a ticket does not have.
  test.each(['vcf', 'gff', 'bed'] as const)(
    `tabix reads ${REGIONS} regions of %s by index and from slices`,
    (kind) => expectSame(TABIX, kind),
  )
})

function drawn(kind: Kind): readonly Region[] {
  const random = randomFrom(64, kind.charCodeAt(0))
  // Tools of version 1.16 read no region whose name contains a colon, although the files have such names.
  const names = ['1', '2', 'chrX']
  return Array.from({ length: REGIONS }, () => {
    const start = random.below(1_990_000)
    const end = start + 1 + Math.floor(10 ** (6 * random.unit()))
    return { name: names[random.below(names.length)]!, start, end }
  })
}
