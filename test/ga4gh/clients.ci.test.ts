import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeBam } from '../../fixtures/bam/make-bam.ts'
import { available } from '../available.ts'
import { depth, sample } from '../depth.ts'
import { PYTHON } from '../peers/run-peer.ts'
import { HTSJDK } from '../requirements.ts'
import { drawRegions, type Region, regionText } from './support/draw-regions.ts'
import { HTS_PLACES, openHtsPlace, type PlacedWorld } from './support/hts-places.ts'
import type { Token } from './support/hts-world.ts'
import { bytesOfTicket, type Ticket } from './support/htsget-client.ts'
import { readRegions, runTool } from './support/tools.ts'

// Unchanged programs read regions by a ticket, by the index of the address, and from a slice, each as from the
// file itself: in a folder and in a bucket, with the block directory and with the index.

/** The number of regions for each place and way; the long form has 1,000 in all. */
const REGIONS = depth(2, 3, 250)
const PLACES = sample(HTS_PLACES, 1, 4)

describe.skipIf(!available.samtools).each(PLACES)('$keeps, by $finds', (place) => {
  let world: PlacedWorld
  let token: Token
  let regions: readonly Region[]

  beforeAll(async () => {
    world = await openHtsPlace(place, { scale: 2e6, longRecords: true })
    token = await world.token()
    regions = await drawRegions(world.bamPath, REGIONS)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  const ticketUrl = ({ name, start, end }: Region) =>
    `${world.server.address}/reads/${world.bamId}?referenceName=${name}&start=${start}&end=${end}`
  const sliceUrl = (region: Region) =>
    `${world.server.address}/slicing/view/${world.bamId}?region=${regionText(region)}`
  const answerOf = (url: string) => fetch(url, { headers: token.headers })

  test(`samtools reads ${REGIONS} random regions in all three ways`, async () => {
    const commands = `
      show samtools view "$1" "$region"
      show samtools view "$ticket"
      show samtools view "$2" "$region"
      show samtools view "$slice"`
    const words = [world.bamPath, `${world.server.address}/data/${world.bamId}`]
    const addresses = regions.map((one) => [regionText(one), ticketUrl(one), sliceUrl(one)])
    const options = { cwd: world.folder, tokenFile: token.file }
    const sums = await readRegions({ commands, words, regions: addresses, ...options })
    expect(sums).toHaveLength(REGIONS)
    expect(sums).toEqual(sums.map(([own]) => Array(4).fill(own)))
    const unplaced = `${world.server.address}/reads/${world.bamId}?referenceName=*`
    const ours = await runTool('samtools', ['view', unplaced], options)
    expect(ours.equals(await runTool('samtools', ['view', world.bamPath, '*'], options))).toBe(true)
  })

  test('tickets are the bytes of slices', async () => {
    for (const region of regions) {
      const ticket = (await (await answerOf(ticketUrl(region))).json()) as Ticket
      const slice = Buffer.from(await (await answerOf(sliceUrl(region))).arrayBuffer())
      expect((await bytesOfTicket(ticket)).equals(slice), regionText(region)).toBe(true)
    }
  })

  test.skipIf(!available.pysam)(
    `pysam reads ${REGIONS} in all three ways, record by record`,
    async () => {
      const script = `
import sys, pysam
path, base, id = sys.argv[1:4]
for text in sys.argv[4:]:
    name, span = text.split(':')
    start, end = (int(part) for part in span.split('-'))
    with pysam.AlignmentFile(path) as file:
        wanted = [read.to_string() for read in file.fetch(name, start, end)]
    with pysam.AlignmentFile(f'{base}/reads/{id}?referenceName={name}&start={start}&end={end}') as file:
        assert [read.to_string() for read in file.fetch(until_eof=True)] == wanted, text
    with pysam.AlignmentFile(f'{base}/data/{id}') as file:
        assert [read.to_string() for read in file.fetch(name, start, end)] == wanted, text
    with pysam.AlignmentFile(f'{base}/slicing/view/{id}?region={name}:{start + 1}-{end}') as file:
        assert [read.to_string() for read in file.fetch(until_eof=True)] == wanted, text
    print(len(wanted))
`
      const spans = regions.map(({ name, start, end }) => `${name}:${start}-${end}`)
      const words = ['-c', script, world.bamPath, world.server.address, world.bamId, ...spans]
      const options = { cwd: world.folder, tokenFile: token.file }
      const counts = (await runTool(PYTHON, words, options)).toString()
      expect(counts.trim().split('\n')).toHaveLength(regions.length)
    },
  )

  // htsjdk sends no token, and stops at an empty block of a file that it reads itself.
  test.skipIf(!available.htsjdk)(
    `htsjdk reads ${REGIONS} in all three ways, all reads, and what has no place`,
    async () => {
      const path = join(world.folder, 'open.bam')
      await makeBam({ path, seed: 27, scale: 5e5, style: 'htsjdk' })
      const id = await world.add({ path, access: 'open' })
      const drawn = await drawRegions(path, REGIONS)
      const program = join(import.meta.dirname, 'support/ReadRegions.java')
      const words = ['-cp', HTSJDK, program, world.server.address, id, path]
      const printed = await runTool('java', [...words, ...drawn.map(regionText)], {
        cwd: world.folder,
      })
      const found = printed
        .toString()
        .trim()
        .split('\n')
        .map((line) => line.replace(/ \d+$/, ''))
      const ways = ['ticket same', 'index same', 'slice same']
      expect(found).toEqual([...drawn.flatMap(() => ways), 'all same', 'unmapped same'])
    },
  )
})
