import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEMO_FILES } from '../../fixtures/demo-commons.ts'
import { available } from '../available.ts'
import { DemoInBrowser } from './support/demo-in-browser.ts'
import { settled } from './support/see-explorer.ts'

// The page of reads with the demo, in a browser. Depths and reads are compared with those of samtools.

const [TUMOUR, NORMAL] = DEMO_FILES
const START = 7_670_001
const END = 7_670_200
const REGION = `chr17:${START}-${END}`

describe.skipIf(!available.chromium || !available.samtools)('the page of reads', () => {
  const demo = new DemoInBrowser()
  const { server } = demo
  let folder = ''

  beforeAll(async () => {
    await demo.start()
    folder = await mkdtemp(join(tmpdir(), 'casemill-reads-'))
    for (const { id, name, indexId } of DEMO_FILES) {
      for (const [file, path] of [
        [id, name],
        [indexId, `${name}.bai`],
      ] as const) {
        const headers = server.credentials
        const sent = await fetch(`${server.address}/data/${file}`, { headers })
        await writeFile(join(folder, path), Buffer.from(await sent.arrayBuffer()))
      }
    }
  })
  afterAll(async () => {
    await demo[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  const see = (fragment: string) => demo.see(fragment)

  async function samtools(...words: readonly string[]): Promise<readonly string[][]> {
    const { stdout } = await promisify(execFile)('samtools', words, { cwd: folder })
    const lines = stdout.trimEnd().split('\n')
    return lines.map((line) => line.split('\t'))
  }

  /** All rows of the first visible table, without thousands separators. */
  async function rowsOf(page: Page): Promise<readonly (readonly string[])[]> {
    const more = page.getByRole('button', { name: /^Show more/ }).first()
    while (await more.isVisible()) await more.click()
    const rows = await page
      .locator('table:visible')
      .first()
      .locator('tbody tr')
      .evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
      )
    return rows.map((row) => row.map((cell) => cell.replaceAll(',', '')))
  }

  /** Evaluates a script with the red, green, blue and opacity of each pixel of a part of the page, as `data`. */
  async function ofPixels<Result>(part: Locator, script: string): Promise<Result> {
    const bytes = (await part.screenshot()).toString('base64')
    return part.page().evaluate(`(async () => {
      const bytes = Uint8Array.from(atob('${bytes}'), (one) => one.charCodeAt(0))
      const image = await createImageBitmap(new Blob([bytes]))
      const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d')
      canvas.drawImage(image, 0, 0)
      const { data } = canvas.getImageData(0, 0, image.width, image.height)
      ${script}
    })()`)
  }

  /** The most frequent shade, from 0 for black to 255, and the one farthest from it. */
  const SHADES = `
    const shades = Array.from({ length: data.length / 4 }, (_, i) => data[4 * i + 1])
    const counts = [...Map.groupBy(shades, (one) => one)]
    const [ground] = counts.toSorted((a, b) => b[1].length - a[1].length)[0]
    const farther = (one, other) => (Math.abs(one - ground) > Math.abs(other - ground) ? one : other)
    return [ground, shades.reduce(farther)]`
  /** Number of blue pixels. */
  const BLUE = `return data.filter((red, i) => i % 4 === 0 && data[i + 2] > red + 50).length`

  test('the depth of each base is that of samtools', async () => {
    const { page, complaints } = await see(`#/reads?file=${TUMOUR.id}&place=${REGION}`)
    await page.getByRole('button', { name: 'Table', exact: true }).click()
    const shown = (await rowsOf(page)).map(([from, to, mean, highest]) => [from, to, mean, highest])
    const depths = await samtools('depth', '-a', '-r', REGION, TUMOUR.name)
    expect(depths.length).toBe(END - START + 1)
    expect(shown).toEqual(depths.map(([, place, depth]) => [place, place, depth, depth]))
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('the reads are those of samtools, in the order of the file', async () => {
    const { page } = await see(`#/reads?file=${TUMOUR.id}&place=${REGION}`)
    await page.getByText('The reads as a table').click()
    const shown = (await rowsOf(page)).map(([name, from, , , quality, cigar, flags]) => [
      ...[name, flags, from, quality, cigar],
    ])
    const reads = await samtools('view', '-F', '4', TUMOUR.name, REGION)
    expect(shown).toEqual(
      reads.map(([name, flags, , from, quality, cigar]) => [name, flags, from, quality, cigar]),
    )
    await page.context().close()
  })

  test('a gene leads to its region, and igv.js draws there without asking anything', async () => {
    const { page } = await see(`#/reads?file=${TUMOUR.id}&place=TP53`)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.getByLabel('Gene or region').fill('EGFR')
    await page.getByRole('button', { name: 'Go', exact: true }).click()
    const shown = page.locator('.figure h2').first()
    await expect.poll(() => shown.innerText()).toContain('chr7:')
    await settled(page)
    const sent = await fetch(
      `${server.address}/genes/ENSG00000146648?fields=gene_chromosome,gene_start,gene_end`,
    )
    interface Gene {
      readonly data: { gene_chromosome: string; gene_start: number; gene_end: number }
    }
    const { gene_chromosome, gene_start, gene_end } = ((await sent.json()) as Gene).data
    const [first, last] = [gene_start, gene_end].map((place) => place.toLocaleString('en'))
    const title = `Coverage of chr${gene_chromosome}:${first}–${last}`
    expect(await shown.innerText()).toBe(title)
    // igv.js has a shadow tree, which the browser's locators search as well.
    await page.locator('.reads .igv-viewport canvas').first().waitFor()
    // First the gene of this name, then the genes to draw.
    expect(asked.toSorted()).toEqual(['/genes', '/genes', `/slicing/view/${TUMOUR.id}`])
    await page.getByLabel('Move and zoom').getByRole('button', { name: 'Zoom in' }).click()
    await expect.poll(() => shown.innerText()).not.toBe(title)
    await page.context().close()
  })

  test.each(['light', 'dark'] as const)(
    'the positions above the reads are whole and readable, and the genes are drawn, in the %s scheme',
    async (colorScheme) => {
      const { page, complaints } = await demo.see(`#/reads?file=${TUMOUR.id}&place=TP53`, {
        colorScheme,
      })
      const labels = page.locator('.reads .ruler text')
      await labels.first().waitFor()
      const places = (await labels.allTextContents()).map((text) =>
        Number(text.replaceAll(',', '')),
      )
      // The gene's region on GRCh38, as in the release.
      expect(places.length).toBeGreaterThan(1)
      expect(Math.min(...places)).toBeGreaterThanOrEqual(7_661_779)
      expect(Math.max(...places)).toBeLessThanOrEqual(7_687_550)
      const panel = await page.locator('.reads').boundingBox()
      for (const label of await labels.all()) {
        const box = await label.boundingBox()
        expect(box?.x).toBeGreaterThanOrEqual(panel?.x ?? Number.NaN)
        const end = (panel?.x ?? 0) + (panel?.width ?? 0)
        expect((box?.x ?? Number.NaN) + (box?.width ?? 0)).toBeLessThanOrEqual(end)
      }
      const [ground = 0, letters = 0] = await ofPixels<number[]>(
        page.locator('.reads .ruler'),
        SHADES,
      )
      if (colorScheme === 'dark') expect([ground < 50, letters > 180]).toEqual([true, true])
      else expect([ground > 200, letters < 75]).toEqual([true, true])
      const track = page.locator('.reads .igv-viewport').first()
      await expect.poll(() => ofPixels<number>(track, BLUE)).toBeGreaterThan(500)
      expect(complaints).toEqual([])
      await page.context().close()
    },
  )

  test('a controlled file needs the token, which stays in memory', async () => {
    const fragment = `#/reads?file=${NORMAL.id}&place=${REGION}`
    const { page } = await see(fragment)
    const depths = await samtools('depth', '-a', '-r', REGION, NORMAL.name)
    await page.getByRole('button', { name: 'Table', exact: true }).click()
    expect((await rowsOf(page)).map((row) => row[3])).toEqual(depths.map((row) => row[2]))
    expect(page.url()).not.toContain(server.credentials['X-Auth-Token'])
    // After a reload, the page has no token.
    await page.reload()
    await page.locator('.note.error').first().waitFor()
    expect(await page.locator('.figure').count()).toBe(0)
    await page.context().close()
  })

  test('missing files are reported', async () => {
    const { page } = await see(`#/reads?file=${TUMOUR.id}&place=chrNone:1-20`)
    expect(await page.locator('.note.error').innerText()).toContain('not in the file')
    await page.getByLabel('Gene or region').fill('NOSUCHGENE')
    await page.getByRole('button', { name: 'Go', exact: true }).click()
    await page.getByText('No gene with this name').waitFor()
    await page.context().close()
  })
})
