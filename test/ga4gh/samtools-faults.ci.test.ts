import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { available } from '../available.ts'
import { Line } from '../clients/support/line.ts'
import { type HtsWorld, openHtsWorld, type Token } from './support/hts-world.ts'
import type { Ticket } from './support/htsget-client.ts'
import { runTool } from './support/tools.ts'

// Unchanged samtools, when a part of a ticket breaks off or no ticket is available: it exits with status 1, and
// its output is the beginning of the complete one.

interface Ended {
  readonly status: number
  readonly stdout: Buffer
}

describe.skipIf(!available.samtools)('samtools', () => {
  let world: HtsWorld
  let token: Token
  let wanted: Buffer

  beforeAll(async () => {
    world = await openHtsWorld({ engine: { limits: { activeSlices: 1, waitingSlices: 0 } } })
    token = await world.token()
    wanted = await runTool('samtools', ['view', world.bamPath, 'chr1'], { cwd: world.folder })
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  /** Reads a reference with a ticket of the service at an address. */
  async function read(address: string): Promise<Ended> {
    const url = `${address}/reads/${world.bamId}?referenceName=chr1`
    try {
      const options = { cwd: world.folder, tokenFile: token.file }
      return { status: 0, stdout: await runTool('samtools', ['view', url], options) }
    } catch (error) {
      const { code: status, stdout } = error as { code: number; stdout: Buffer }
      return { status, stdout }
    }
  }

  const isWhole = ({ status, stdout }: Ended) => status === 0 && stdout.equals(wanted)

  /** The bytes of the parts that a ticket has fetched. */
  async function fetchedBytes(): Promise<number> {
    const url = `${world.server.address}/reads/${world.bamId}?referenceName=chr1`
    const { htsget } = (await (await fetch(url, { headers: token.headers })).json()) as Ticket
    return htsget.urls.reduce((sum, { headers }) => {
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers?.Range ?? '') ?? []
      return last === undefined ? sum : sum + Number(last) + 1 - Number(first)
    }, 0)
  }

  test('fails where a part breaks off, at whatever place', async () => {
    const line = await Line.to(world.server.address)
    try {
      expect(isWhole(await read(line.address))).toBe(true)
      const bytes = await fetchedBytes()
      expect(bytes).toBeGreaterThan(200_000)
      const printed: number[] = []
      for (const share of [0, 0.25, 0.5, 0.75, 1]) {
        const held = line.hold(Math.floor(share * bytes))
        const reading = read(line.address)
        await held
        await line.cut()
        const { status, stdout } = await reading
        expect(status, `cut behind ${share}`).toBe(1)
        expect(stdout.length).toBeLessThan(wanted.length)
        expect(wanted.subarray(0, stdout.length).equals(stdout)).toBe(true)
        printed.push(stdout.length)
        await line.open()
      }
      // The connections broke where intended.
      expect(printed.at(-1)).toBeGreaterThan(printed[0] ?? 0)
      expect(isWhole(await read(line.address))).toBe(true)
    } finally {
      await line.cut()
    }
  })

  test('fails where the service has no place for the ticket, and reads when it has', async () => {
    const { address } = world.server
    const file = await world.engine.commons.slicing.open(world.bamId, token.secret)
    {
      await using _held = await file.slice({ regions: [], genes: [] })
      const url = `${address}/reads/${world.bamId}?referenceName=chr1`
      const refused = await fetch(url, { headers: token.headers })
      expect(refused.status).toBe(503)
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
      const { status, stdout } = await read(address)
      expect([status, stdout.length]).toEqual([1, 0])
    }
    expect(isWhole(await read(address))).toBe(true)
  })
})
