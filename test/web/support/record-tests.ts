import { createHash } from 'node:crypto'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { DEMO_FILES } from '../../../fixtures/demo-commons.ts'
import { type AskedExplorer, type Counts, numberOf } from './asked-explorer.ts'
import { goTo, settled } from './see-explorer.ts'

interface FoundFiles {
  readonly data: { readonly hits: readonly object[] }
}

const among = (field: string, value: string) =>
  JSON.stringify({ op: 'in', content: { field, value: [value] } })

/** The number of records in a table, by its caption. */
const totalOf = async (page: Page, name: string): Promise<number> => {
  const caption = page.locator('caption', { hasText: name })
  return numberOf(/of ([\d,]+)$/.exec(await caption.first().innerText())?.[1] ?? '')
}

/** Tests of the pages of one record. */
export function testRecords(explorer: AskedExplorer): void {
  test('a case is opened at the top, with its samples, files, mutations and annotations', async () => {
    const { page, complaints } = await explorer.lead('#/cohort')
    const link = page.locator('main table a').first()
    const name = await link.innerText()
    await link.press('Enter')
    await settled(page)
    expect(await page.locator('main h2').first().innerText()).toBe(name)
    expect(await page.evaluate('[document.activeElement.id, scrollY]')).toEqual(['main', 0])
    const { data } = await explorer.ask<{
      readonly data: { readonly hits: readonly Readonly<Record<string, readonly string[]>>[] }
    }>('/cases', { filters: among('submitter_id', name), fields: IDS.join(',') })
    const [hit = {}] = data.hits
    const counted = IDS.map((field) => `${hit[field]?.length ?? 0} ${field.slice(0, -4)}s`)
    expect(await page.locator('h2:has-text("Samples") + p').innerText()).toBe(counted.join(', '))
    for (const [path, field, title] of [
      ['/files', 'cases.submitter_id', 'Files'],
      ['/ssms', 'occurrence.case.submitter_id', 'Simple mutations'],
      ['/annotations', 'case_submitter_id', 'Annotations'],
    ] as const) {
      const filters = among(field, name)
      const { data } = await explorer.ask<Counts>(path, { size: '0', filters })
      expect(data.pagination.total).toBeGreaterThan(0)
      expect(await totalOf(page, title)).toBe(data.pagination.total)
    }
    expect(complaints).toEqual([])
  })

  test('a case is found by the barcode of an aliquot, and one that is not there is told', async () => {
    const { data } = await explorer.ask<{
      readonly data: {
        readonly hits: readonly {
          readonly submitter_id: string
          readonly submitter_aliquot_ids: readonly string[]
        }[]
      }
    }>('/cases', { fields: 'submitter_id,submitter_aliquot_ids', size: '1', from: '7' })
    const [hit] = data.hits
    const { page } = await explorer.lead(`#/case?id=${hit?.submitter_aliquot_ids.at(-1)}`)
    expect(await page.locator('main h2').first().innerText()).toBe(hit?.submitter_id)
    await explorer.lead('#/case?id=NO-SUCH-CASE')
    expect(await page.locator('main .note').innerText()).toContain('NO-SUCH-CASE')
  })

  test('files are downloaded whole, controlled ones with the token', async () => {
    const [open, controlled] = DEMO_FILES
    for (const [id, name] of [
      [open.id, 'Download'],
      [controlled.id, 'Download with your token'],
    ] as const) {
      const { page, complaints } = await explorer.lead(`#/file?id=${id}`)
      const button = page.locator('.links').getByText(name, { exact: true })
      const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
      const hash = createHash('md5')
      for await (const chunk of await download.createReadStream()) hash.update(Buffer.from(chunk))
      const md5 = page.locator('dl.facts div', { hasText: 'MD5' }).locator('dd')
      expect(await md5.innerText()).toBe(hash.digest('hex'))
      expect(await page.getByRole('link', { name: 'Reads' }).count()).toBe(2)
      expect(await page.locator('caption', { hasText: 'Versions of the file' }).count()).toBe(1)
      expect(complaints).toEqual([])
    }
  })

  test('a file shows its consent codes, or else those of its project', async () => {
    const [{ id }] = DEMO_FILES
    const shown = (page: Page) => page.locator('dl.facts div', { hasText: 'Consent' }).locator('dd')
    const { page: without } = await explorer.lead(`#/file?id=${id}`)
    expect(await shown(without).count()).toBe(0)
    for (const own of [[], ['DUO:0000042']]) {
      const { page } = await explorer.see('#/')
      // The data of the demo have no codes.
      await page.route(/:\d+\/files\?.*consent/, async (route) => {
        const response = await route.fetch()
        const json = (await response.json()) as FoundFiles
        const [hit] = json.data.hits
        const project = { consent: ['DUO:0000006', 'DUO:0000021'] }
        Object.assign(hit ?? {}, { consent: own, cases: [{ project }] })
        await route.fulfill({ response, json })
      })
      await page.goto(`${page.url().split('#')[0]}#/file?id=${id}`)
      await settled(page)
      expect(await shown(page).innerText()).toBe(own[0] ?? 'DUO:0000006; DUO:0000021')
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await page.context().close()
    }
  })

  test('a variant leads to its gene, and to a cohort of the cases that have it', async () => {
    const { page, complaints } = await explorer.lead('#/tables?of=ssms')
    await page.locator('main table a').first().click()
    await settled(page)
    const heading = await page.locator('main h2').first().innerText()
    const filters = among('ssms.genomic_dna_change', heading.split(',')[0] ?? '')
    const { data } = await explorer.ask<Counts>('/cases', { size: '0', filters })
    expect(data.pagination.total).toBeGreaterThan(0)
    expect(await totalOf(page, 'Cases')).toBe(data.pagination.total)
    await page.getByRole('button', { name: 'Cohort of the cases with it' }).click()
    await settled(page)
    const active = page.locator('.cohort-list .active .count')
    expect(numberOf(await active.innerText())).toBe(data.pagination.total)
    await page.goBack()
    await settled(page)
    await page.locator('main table a').first().click()
    await settled(page)
    expect(await page.locator('h1').innerText()).toBe('Which genes are mutated?')
    expect(complaints).toEqual([])
  })

  test('checked cases of two pages become a cohort, and are left out of one', async () => {
    const { page, complaints } = await explorer.lead('#/cohort')
    const caseOf = (box: Locator) => box.getAttribute('aria-label')
    const boxes = page.getByRole('checkbox', { name: /^Check / })
    const names = [await caseOf(boxes.nth(2)), await caseOf(boxes.nth(5))]
    await boxes.nth(2).check()
    await boxes.nth(5).check()
    await page.getByRole('button', { name: 'Next page' }).click()
    await settled(page)
    names.push(await caseOf(boxes.first()))
    await boxes.first().focus()
    await page.keyboard.press('Space')
    await page.getByText('3 cases checked').waitFor()
    await page.getByRole('button', { name: 'Leave them out' }).click()
    await settled(page)
    const { data } = await explorer.ask<Counts>('/cases', { size: '0' })
    const active = page.locator('.cohort-list .active .count')
    await expect
      .poll(async () => numberOf(await active.innerText()))
      .toBe(data.pagination.total - 3)
    await goTo(page, '#/cohort')
    for (const name of names.slice(0, 2))
      await page.getByRole('checkbox', { name: `${name}` }).check()
    await page.getByRole('button', { name: 'Make a cohort of them' }).click()
    await settled(page)
    await expect.poll(() => active.innerText()).toBe('2')
    const shown = await boxes.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))
    expect(shown).toEqual(names.slice(0, 2))
    expect(complaints).toEqual([])
  })
}

const IDS = ['sample_ids', 'portion_ids', 'analyte_ids', 'aliquot_ids', 'slide_ids']
