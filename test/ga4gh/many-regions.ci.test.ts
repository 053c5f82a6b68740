import { copyFile, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Random, randomFrom } from '../../fixtures/random.ts'
import { makeVcf } from '../../fixtures/variants/make-variants.ts'
import { available } from '../available.ts'
import { run } from '../commons/slicing/support/htslib.ts'
import { inflateAll, readBam } from '../commons/slicing/support/strict-bam.ts'
import { type HtsWorld, openHtsWorld, type Token } from './support/hts-world.ts'
import { bytesOfTicket, type Ticket } from './support/htsget-client.ts'
import { runTool } from './support/tools.ts'

// Tickets whose regions have more edges than a ticket holds: everything between header and end marker is
// generated on request. Here, a ticket holds hardly any edges.

const clock = { now: Date.parse('2026-03-01T00:00:00Z') }
let world: HtsWorld
let token: Token

beforeAll(async () => {
  world = await openHtsWorld({
    engine: { limits: { planBytes: 10 }, clock: () => new Date(clock.now) },
  })
  token = await world.token()
})
afterAll(() => world?.[Symbol.asyncDispose]())

interface Region {
  readonly referenceName: string
  readonly start: number
  readonly end: number
}

async function ticketOf(regions: readonly object[], path = `/reads/${world.bamId}`) {
  const response = await fetch(`${world.server.address}${path}`, {
    method: 'POST',
    headers: { ...token.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ regions }),
  })
  if (response.status !== 200) expect.fail(await response.text())
  return (await response.json()) as Ticket
}

async function sliceOf(regions: readonly Region[], unplaced: boolean, id = world.bamId) {
  const texts = regions.map(
    ({ referenceName, start, end }) => `${referenceName}:${start + 1}-${end}`,
  )
  const response = await fetch(`${world.server.address}/slicing/view/${id}`, {
    method: 'POST',
    headers: { ...token.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ regions: [...texts, ...(unplaced ? ['unmapped'] : [])] }),
  })
  expect(response.status).toBe(206)
  return Buffer.from(await response.arrayBuffer())
}

/** Every fourth base that a read covers, so that reads overlap regions of consecutive addresses. */
async function regionsInReads(): Promise<Region[]> {
  const { records, references } = readBam(inflateAll(await readFile(world.bamPath)))
  const regions: Region[] = []
  for (const [number, { name: referenceName }] of references.entries()) {
    // /slicing/view accepts only regions with such names.
    if (!/^[a-zA-Z0-9]+$/.test(referenceName)) continue
    let next = 0
    for (const { reference, start, end } of records) {
      // A few reads skip much of the reference.
      if (reference !== number || end - start > 1000) continue
      for (next = Math.max(next, 4 * Math.ceil(start / 4)); next < end; next += 4) {
        if (regions.length < 1000 * (number + 1)) {
          regions.push({ referenceName, start: next, end: next + 1 })
        }
      }
    }
  }
  return regions
}

/** Draws regions, some of them close to each other. */
function drawRegions(random: Random, count: number): Region[] {
  return Array.from({ length: count }, () => {
    const referenceName = random.chance(0.5) ? 'chr1' : 'chr2'
    const start = 10_000_000 + random.below(random.chance(0.5) ? 40_000 : 80_000_000)
    return { referenceName, start, end: start + 1 + random.below(40) }
  })
}

const madeOf = ({ htsget }: Ticket) => htsget.urls.filter(({ url }) => !url.startsWith('data:'))

describe('the parts of a ticket with many regions', () => {
  test('are of as many addresses as fit clients and proxies, and have the records of the slice', async () => {
    const regions = await regionsInReads()
    const ticket = await ticketOf([...regions, { referenceName: '*' }])
    const made = madeOf(ticket)
    expect(made.length).toBeGreaterThan(5)
    expect(ticket.htsget.urls).toHaveLength(made.length + 2)
    for (const { url, headers, class: named } of made) {
      expect(url.startsWith(`${world.server.address}/reads/${world.bamId}/blocks?`)).toBe(true)
      // nginx rejects request lines above 8 KiB by default.
      expect(url.length).toBeLessThan(7000)
      expect([named, Object.keys(headers ?? {})]).toEqual(['body', ['X-Ticket']])
    }
    // Some addresses continue where others on the same reference end.
    expect(made.filter(({ url }) => url.includes('?floor=')).length).toBeGreaterThan(2)
    const slice = await sliceOf(regions, true)
    expect(inflateAll(await bytesOfTicket(ticket)).equals(inflateAll(slice))).toBe(true)
  })

  test('of one address are the bytes of the slice', async () => {
    const regions = drawRegions(randomFrom(2), 30)
    const ticket = await ticketOf(regions)
    expect(madeOf(ticket)).toHaveLength(1)
    expect((await bytesOfTicket(ticket)).equals(await sliceOf(regions, false))).toBe(true)
    const unplaced = await ticketOf([{ referenceName: '*' }])
    expect((await bytesOfTicket(unplaced)).equals(await sliceOf([], true))).toBe(true)
  })

  test.skipIf(!available.samtools)('are read by samtools as the file itself is', async () => {
    const options = { cwd: world.folder, tokenFile: token.file }
    const url = `${world.server.address}/reads/${world.bamId}`
    for (const [query, region] of [
      ['referenceName=chr1&start=9999&end=60000000', 'chr1:10000-60000000'],
      ['referenceName=chr2', 'chr2'],
    ] as const) {
      const [remote, local] = [`${url}?${query}`, [world.bamPath, region]]
      const ours = await runTool('samtools', ['view', remote], options)
      expect(ours.equals(await runTool('samtools', ['view', ...local], options))).toBe(true)
      expect(ours.length).toBeGreaterThan(1000)
    }
  })

  test.skipIf(!available.bcftools)('of variants have the records of bcftools', async () => {
    const path = join(world.folder, 'calls.vcf')
    await writeFile(path, makeVcf({ seed: 91, records: 4000 }))
    await run('bgzip', path)
    await run('tabix', '-p', 'vcf', `${path}.gz`)
    const what = { path: `${path}.gz`, kind: 'variants', access: 'open' } as const
    const { id } = (await world.engine.commons.importBam(what)).file
    // The name contains a colon, so /slicing/view accepts no region of it.
    const [name, start, end] = ['HLA-A*01:01', 100_000, 300_000]
    const ticket = await ticketOf([{ referenceName: name, start, end }], `/variants/${id}`)
    expect(madeOf(ticket)[0]?.url).toContain(`/variants/${id}/blocks?region=HLA-A*01%3A01:`)
    await writeFile(`${path}.ticket`, await bytesOfTicket(ticket))
    const ours = await run('bcftools', 'view', '--no-version', '-H', `${path}.ticket`)
    // tabix -h FILE REGION | bcftools view -H: bcftools 1.16 accepts no region of such a name for -r
    await writeFile(
      `${path}.theirs`,
      await run('tabix', '-h', `${path}.gz`, `{${name}}:${start + 1}-${end}`),
    )
    const theirs = await run('bcftools', 'view', '--no-version', '-H', `${path}.theirs`)
    expect(ours.equals(theirs)).toBe(true)
    expect(ours.length).toBeGreaterThan(500)
  })
})

test('tickets and what they leave to be made are counted by their routes', async () => {
  const { urls } = (await ticketOf(drawRegions(randomFrom(5), 3))).htsget
  await bytesOfTicket({ htsget: { format: 'BAM', urls } })
  const metrics = await (await fetch(`${world.server.address}/metrics`)).text()
  for (const [method, route] of [
    ['POST', '/reads/{id}'],
    ['GET', '/reads/{id}/blocks'],
  ]) {
    const labels = `method="${method}",route="${route}",status="200",outcome="complete"`
    expect(metrics).toContain(`casemill_http_requests_total{${labels}} `)
    expect(metrics).toContain(`casemill_http_sent_bytes_total{route="${route}"} `)
  }
})

describe('refused requests', () => {
  const blocks = (query: string, headers: Readonly<Record<string, string>> = token.headers) =>
    fetch(`${world.server.address}/reads/${world.bamId}/blocks?${query}`, { headers })
  const errorOf = async (response: Response) => {
    const { htsget } = (await response.json()) as { readonly htsget: { readonly error: string } }
    return [response.status, htsget.error]
  }

  test.each([
    ['region=chr1', 400, 'InvalidRange'],
    ['region=chr1:5', 400, 'InvalidRange'],
    ['region=chr1:9-5', 400, 'InvalidRange'],
    ['region=chr1:5-5', 400, 'InvalidRange'],
    ['region=:5-9', 400, 'InvalidRange'],
    ['region=chr1:1-2,', 400, 'InvalidRange'],
    ['region=chr1:1-2&floor=x', 400, 'InvalidInput'],
    ['region=nothing:1-2', 404, 'NotFound'],
  ])('%s', async (query, status, name) => {
    expect(await errorOf(await blocks(query))).toEqual([status, name])
  })

  test('who has neither a right nor a link', async () => {
    const query = 'region=chr1:0-5'
    expect(await errorOf(await blocks(query, {}))).toEqual([401, 'InvalidAuthentication'])
    const stranger = await world.token('BETA-1')
    expect(await errorOf(await blocks(query, stranger.headers))).toEqual([403, 'PermissionDenied'])
    const forged = { 'x-ticket': 'A'.repeat(120) }
    expect(await errorOf(await blocks(query, forged))).toEqual([401, 'InvalidAuthentication'])
    // The token alone is sufficient as well.
    expect((await blocks(query)).status).toBe(200)
  })

  test('links of a token that was revoked, and links that have expired', async () => {
    const regions = drawRegions(randomFrom(3), 5)
    const ticket = await ticketOf(regions)
    clock.now += 900_000
    await expect(bytesOfTicket(ticket)).rejects.toThrow(/^401: .*ticket is invalid or expired/)
    const other = await world.token()
    const url = `${world.server.address}/reads/${world.bamId}?referenceName=chr1`
    const revoked = (await (await fetch(url, { headers: other.headers })).json()) as Ticket
    await world.engine.shared.tokens.revoke(other.id)
    await expect(bytesOfTicket(revoked)).rejects.toThrow(/^40[13]: /)
  })

  test('other bytes than those that the ticket was made for', async () => {
    const ticket = await ticketOf(drawRegions(randomFrom(4), 5))
    const file = await world.engine.shared.files.find(world.bamId)
    if (file?.storage !== 'folder') return
    const stored = join(world.folder, 'data', 'files', world.bamId, file.fileName)
    const { atime, mtime } = await stat(stored)
    await copyFile(world.bamPath, stored)
    await utimes(stored, atime, new Date(mtime.getTime() + 1000))
    await expect(bytesOfTicket(ticket)).rejects.toThrow(/^412: .*other bytes by now/)
  })
})
