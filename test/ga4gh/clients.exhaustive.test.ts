import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DIRECTORY_NAME } from '../../engine/commons/slicing/stored.ts'
import { type S3Server, startS3 } from '../../engine/shared/blobs/support/s3-server.ts'
import { available } from '../available.ts'
import { depth } from '../depth.ts'
import { PYTHON } from '../peers/run-peer.ts'
import { HTSJDK } from '../requirements.ts'
import { drawRegions, type Region, regionText } from './support/draw-regions.ts'
import { type HtsWorld, openHtsWorld, type Token } from './support/hts-world.ts'
import { bytesOfTicket, type Ticket } from './support/htsget-client.ts'
import { md5, runTool } from './support/tools.ts'

// Unchanged programs read regions by a ticket, by the index of the address, and from a slice, each as
// from the file itself: in a folder and in a bucket, by the block directory and by the index.

/** Of each place and way: in the long form 1,000 in all. */
const REGIONS = depth(2, 3, 250)

describe.skipIf(!available.samtools).each([
  ['a folder', 'the block directory', false, false],
  ['a folder', 'the index', false, true],
  ['a bucket', 'the block directory', true, false],
  ['a bucket', 'the index', true, true],
])('%s, by %s', (_, __, isBucket, isByIndex) => {
  let s3: S3Server | undefined
  let world: HtsWorld
  let token: Token
  let regions: readonly Region[]

  beforeAll(async () => {
    s3 = isBucket ? await startS3() : undefined
    world = await openHtsWorld({
      bam: { scale: 2e6, longRecords: true },
      // Nothing makes the directory again.
      engine: { workKinds: [], ...(s3 && { objects: s3.options }) },
    })
    token = await world.token()
    if (isByIndex) {
      const { blobs } = world.engine.shared
      const key = { id: world.bamId, name: DIRECTORY_NAME }
      if (isBucket) await blobs.of('s3').remove(key)
      await rm(join(world.folder, 'data', 'files', world.bamId, DIRECTORY_NAME), { force: true })
    }
    regions = await drawRegions(world.bamPath, REGIONS)
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
    await s3?.stop()
  })

  const ticketUrl = ({ name, start, end }: Region) =>
    `${world.server.address}/reads/${world.bamId}?referenceName=${name}&start=${start}&end=${end}`
  const local = (region: string) =>
    runTool('samtools', ['view', world.bamPath, region], { cwd: world.folder })
  const remote = (...words: string[]) =>
    runTool('samtools', ['view', ...words], { cwd: world.folder, tokenFile: token.file })

  test('samtools reads random regions in all three ways', async () => {
    for (const region of regions) {
      const text = regionText(region)
      const wanted = md5(await local(text))
      expect(md5(await remote(ticketUrl(region))), `ticket of ${text}`).toBe(wanted)
      const byIndex = await remote(`${world.server.address}/data/${world.bamId}`, text)
      expect(md5(byIndex), `index, ${text}`).toBe(wanted)
      const slice = await fetch(
        `${world.server.address}/slicing/view/${world.bamId}?region=${text}`,
        { headers: token.headers },
      )
      const bytes = Buffer.from(await slice.arrayBuffer())
      const path = join(world.folder, 'slice.bam')
      await writeFile(path, bytes)
      expect(md5(await remote(path)), `slice of ${text}`).toBe(wanted)
      const ticket = (await (
        await fetch(ticketUrl(region), { headers: token.headers })
      ).json()) as Ticket
      expect((await bytesOfTicket(ticket)).equals(bytes), `bytes of ${text}`).toBe(true)
    }
    const unplaced = await remote(`${world.server.address}/reads/${world.bamId}?referenceName=*`)
    expect(unplaced.equals(await local('*'))).toBe(true)
  })

  test.skipIf(!available.pysam)(
    'pysam reads them by ticket and by index, record by record',
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
    print(len(wanted))
`
      const spans = regions.map(({ name, start, end }) => `${name}:${start}-${end}`)
      const words = ['-c', script, world.bamPath, world.server.address, world.bamId, ...spans]
      const options = { cwd: world.folder, tokenFile: token.file }
      const counts = (await runTool(PYTHON, words, options)).toString()
      expect(counts.trim().split('\n')).toHaveLength(regions.length)
    },
  )
})

test.skipIf(!available.htsjdk)('htsjdk reads regions, all and what has no place', async () => {
  await using world = await openHtsWorld({
    access: 'open',
    // htsjdk stops at an empty block of a file that it reads itself.
    bam: { scale: 5e5, emptyBlocks: false },
  })
  const regions = await drawRegions(world.bamPath, depth(2, 4, 50))
  const words = [
    ...['-cp', HTSJDK, join(import.meta.dirname, 'support/ReadTickets.java')],
    ...[`${world.server.address}/reads/${world.bamId}`, world.bamPath],
    ...regions.map(regionText),
  ]
  const lines = (await runTool('java', words, { cwd: world.folder })).toString().trim()
  expect(lines.split('\n').filter((line) => line.startsWith('same '))).toHaveLength(
    regions.length + 2,
  )
})
