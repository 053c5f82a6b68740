import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { available } from '../available.ts'
import { depth, sample } from '../depth.ts'
import { openBrowser } from '../web/support/browser.ts'
import { drawRegions, type Region, regionText } from './support/draw-regions.ts'
import { HTS_PLACES, openHtsPlace, type PlacedWorld } from './support/hts-places.ts'
import type { Token } from './support/hts-world.ts'
import { md5, runTool } from './support/tools.ts'

// The published igv.js, in a browser on a page of another origin, reads a controlled file by ticket, by index
// and from slices. The data of its tracks are compared with samtools on the file itself.

/** The number of regions for each place and way; the long form has 1,000 in all. */
const REGIONS = depth(3, 3, 250)
const PLACES = sample(HTS_PLACES, 1, 2)
/** The region is long enough for the ticket to have parts to fetch. */
const LONG: Region = { name: 'chr1', start: 0, end: 1e8 }

/** igv.js omits reads that are unmapped, failed the vendor's checks, or are duplicates. */
const NOT_SHOWN = 0x4 | 0x200 | 0x400

const IGV = join(import.meta.dirname, '../../node_modules/igv/dist/igv.esm.min.js')
const PAGE = join(import.meta.dirname, 'support/igv.html')

/** A read as the page reports it: 0-based, half-open. */
interface Read {
  readonly name: string
  readonly flags: number
  readonly start: number
  readonly end: number
  readonly quality: number
  readonly sequence: string
}

/** The fields of a read that both sides report, in a fixed order. */
const lines = (reads: readonly Omit<Read, 'end'>[]): readonly string[] =>
  reads
    .map(({ name, flags, start, quality, sequence }) =>
      [name, flags, start, quality, md5(Buffer.from(sequence))].join(' '),
    )
    .toSorted()

/** igv.js also returns reads that only touch a region; a read without a length counts as one base. */
const overlaps = ({ start, end }: Read, region: Region) =>
  start < region.end && Math.max(end, start + 1) > region.start

const isThere = available.chromium && available.samtools

describe.skipIf(!isThere).each(PLACES)('igv.js on a file in $keeps, by $finds', (place) => {
  let world: PlacedWorld
  let token: Token
  let regions: readonly Region[]
  let wanted: readonly (readonly string[])[]
  let site: Server
  let browser: Browser
  let page: Page
  const complaints: string[] = []
  /** The requests of the page to the service, as method and first part of the path. */
  const asked = new Set<string>()

  beforeAll(async () => {
    world = await openHtsPlace(place, { scale: 1e6, longRecords: true })
    token = await world.token()
    regions = [LONG, ...(await drawRegions(world.bamPath, REGIONS))]
    wanted = await readsOfFile()
    site = await serveSite()
    browser = await openBrowser()
    page = await browser.newPage()
    page.on('pageerror', (error) => complaints.push(String(error.stack)))
    page.on('request', (request) => {
      const { origin, pathname } = new URL(request.url())
      if (origin === world.server.address) {
        asked.add(`${request.method()} /${pathname.split('/')[1]}`)
      } else if (origin !== addressOf(site) && origin.startsWith('http')) {
        complaints.push(`asked ${request.url()}`)
      }
    })
    await page.goto(addressOf(site))
    await page.waitForFunction('window.readsOf')
  })
  afterAll(async () => {
    await browser?.close()
    await new Promise((resolve) => (site ? site.close(resolve) : resolve(undefined)))
    await world?.[Symbol.asyncDispose]()
  })

  /** The output of samtools for the file itself, region by region; a single shell starts it faster. */
  async function readsOfFile(): Promise<readonly (readonly string[])[]> {
    const loop = 'for region in "$@"; do samtools view -F "$not" "$file" "$region" || exit 1'
    const script = `file=$1; not=$2; shift 2; ${loop}; echo; done`
    const words = ['-c', script, 'sh', world.bamPath, `${NOT_SHOWN}`, ...regions.map(regionText)]
    const text = (await runTool('sh', words, { cwd: world.folder })).toString()
    // An empty line ends a region.
    const ofRegions = text.split(/^\n/m).slice(0, -1)
    return ofRegions.map(readsOfText)
  }

  function readsOfText(text: string): readonly string[] {
    const reads = text.split('\n').flatMap((line) => {
      const [name = '', flags, , position, quality, , , , , sequence = ''] = line.split('\t')
      if (name === '') return []
      return [
        {
          name,
          flags: Number(flags),
          start: Number(position) - 1,
          quality: Number(quality),
          sequence: sequence === '*' ? '' : sequence,
        },
      ]
    })
    return lines(reads)
  }

  /** Serves the page, igv.js, and the names and lengths of the file's references. */
  async function serveSite(): Promise<Server> {
    const header = await runTool('samtools', ['view', '-H', world.bamPath], { cwd: world.folder })
    const sizes = [...header.toString().matchAll(/^@SQ\tSN:(\S+)\tLN:(\d+)/gm)]
    const files = new Map<string, readonly [type: string, body: string | Buffer]>([
      ['/', ['text/html', await readFile(PAGE)]],
      ['/igv.esm.min.js', ['text/javascript', await readFile(IGV)]],
      ['/file.sizes', ['text/plain', sizes.map(([, ...size]) => `${size.join('\t')}\n`).join('')]],
    ])
    const server = createServer(({ url = '' }, response) => {
      const [type, body] = files.get(url) ?? []
      response.writeHead(type === undefined ? 404 : 200, type ? { 'content-type': type } : {})
      response.end(body)
    })
    return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
  }

  /** The reads that a track of the page returns, region by region. */
  async function readsOfTrack(config: object, asking = regions): Promise<readonly Read[][]> {
    const words = [{ headers: token.headers, ...config }, asking].map((one) => JSON.stringify(one))
    return page.evaluate(`window.readsOf(${words.join()})`)
  }

  const shown = (given: readonly Read[][]) =>
    given.map((reads, i) => lines(reads.filter((read) => overlaps(read, regions[i]!))))

  test('the regions have reads that it shows, and reads that it does not', async () => {
    expect(wanted.flat().length).toBeGreaterThan(100)
    const all = ['view', '-c', world.bamPath, ...regions.map(regionText)]
    const count = Number((await runTool('samtools', all, { cwd: world.folder })).toString())
    expect(count).toBeGreaterThan(new Set(wanted.flat()).size)
  })

  test('a ticket gives what samtools reads', async () => {
    asked.clear()
    const url = `${world.server.address}/reads/${world.bamId}`
    expect(shown(await readsOfTrack({ sourceType: 'htsget', url }))).toEqual(wanted)
    // The blocks in between are generated on request if they would have to be fetched to be known (ADR 101).
    const isMade = place.keeps === 'a bucket' && place.finds === 'the index'
    expect([...asked].toSorted()).toEqual([...(isMade ? [] : ['GET /data']), 'GET /reads'])
    expect(complaints).toEqual([])
  })

  test('the index beside the address gives what samtools reads', async () => {
    asked.clear()
    const url = `${world.server.address}/data/${world.bamId}`
    expect(shown(await readsOfTrack({ url, indexURL: `${url}.bai` }))).toEqual(wanted)
    expect([...asked].toSorted()).toEqual(['GET /data'])
    expect(complaints).toEqual([])
  })

  test('slices give what samtools reads', async () => {
    const address = `${world.server.address}/slicing/view/${world.bamId}`
    const given: Read[][] = []
    for (const region of regions) {
      const url = `${address}?region=${regionText(region)}`
      given.push(...(await readsOfTrack({ url, indexed: false }, [region])))
    }
    expect(shown(given)).toEqual(wanted)
    expect(complaints).toEqual([])
  })

  // This test is last: cached answers to the others must not be returned without a token.
  test('without the token it is refused', async () => {
    const { address } = world.server
    const region = regionText(LONG)
    for (const config of [
      { sourceType: 'htsget', url: `${address}/reads/${world.bamId}` },
      { url: `${address}/data/${world.bamId}`, indexURL: `${address}/data/${world.bamId}.bai` },
      { url: `${address}/slicing/view/${world.bamId}?region=${region}`, indexed: false },
    ]) {
      const asking = readsOfTrack({ ...config, headers: {} }, [LONG])
      await expect(asking, config.url).rejects.toThrow(/401|403|Access forbidden/)
    }
  })
})

const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
