import { expect, test } from 'vitest'
import { DEMO_FILES } from '../../../fixtures/demo-commons.ts'
import type { AskedExplorer } from './asked-explorer.ts'
import { settled } from './see-explorer.ts'

interface Names {
  readonly data: {
    readonly hits: readonly {
      readonly submitter_id: string
      readonly submitter_sample_ids: readonly string[]
      readonly genomic_dna_change: string
    }[]
  }
}

/** Tests of the search for pages and records, by keys alone. */
export function testSearch(explorer: AskedExplorer): void {
  test('one search opens whatever is named, by keys alone', async () => {
    const [{ data: cases }, { data: ssms }] = await Promise.all([
      explorer.ask<Names>('/cases', { fields: 'submitter_id,submitter_sample_ids', size: '1' }),
      explorer.ask<Names>('/ssms', { fields: 'genomic_dna_change', size: '1' }),
    ])
    const [one] = cases.hits
    const change = ssms.hits[0]?.genomic_dna_change ?? ''
    const { page, complaints } = await explorer.lead('#/')
    const box = page.getByRole('combobox', { name: /^Search for a case/ })
    for (const [typed, title, heading] of [
      ['surv', 'Who survives longer?', undefined],
      ['TP53', 'Which genes are mutated?', 'TP53, tumour protein p53'],
      [one?.submitter_id.toLowerCase(), 'Case', one?.submitter_id],
      [one?.submitter_sample_ids[0], 'Case', one?.submitter_id],
      [DEMO_FILES[0].name, 'File', DEMO_FILES[0].name],
      [DEMO_FILES[0].id, 'File', DEMO_FILES[0].name],
      [change, 'Variant', change],
    ]) {
      await box.focus()
      await page.keyboard.type(typed ?? '')
      // Enter may come before the answer.
      await page.keyboard.press('Enter')
      await expect.poll(() => box.inputValue()).toBe('')
      await settled(page)
      expect([typed, await page.locator('h1').innerText()]).toEqual([typed, title])
      if (heading === undefined) continue
      expect(await page.locator('main h2').first().innerText()).toContain(heading)
    }
    expect(complaints).toEqual([])
  })

  test('the arrow keys choose, and what has no such name is told', async () => {
    const { page } = await explorer.lead('#/')
    const box = page.getByRole('combobox', { name: /^Search for a case/ })
    await box.fill('TP53')
    await page.getByRole('option').nth(1).waitFor()
    await box.press('ArrowDown')
    const chosen = page.getByRole('option', { selected: true })
    const id = await chosen.getAttribute('id')
    expect(await box.getAttribute('aria-activedescendant')).toBe(id)
    expect(await chosen.innerText()).toMatch(/^Variant /)
    await box.press('Escape')
    expect(await page.getByRole('option').count()).toBe(0)
    await box.fill('no such thing')
    await page.getByText('Nothing has this name, id or barcode.').waitFor()
  })

  test('a project becomes a cohort', async () => {
    const { page } = await explorer.lead('#/')
    await page.getByRole('combobox', { name: /^Search for a case/ }).fill('DEMO-ADRENAL')
    await page.getByRole('option', { name: /^Project DEMO-ADRENAL/ }).click()
    await settled(page)
    expect(await page.locator('.cohort-list .active').innerText()).toMatch(/^DEMO-ADRENAL \d+$/)
  })
}
