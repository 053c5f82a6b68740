import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { AskedExplorer, Counts } from './asked-explorer.ts'
import { goTo, settled } from './see-explorer.ts'

/** The element with the focus, as its tag and its name. */
const focused = (page: Page) =>
  page.evaluate(`(() => {
    const { tagName, id, labels, ariaLabel, textContent } = document.activeElement
    const name = labels?.[0]?.querySelector('.value')?.textContent ?? ariaLabel ?? textContent
    return tagName + ' ' + (tagName === 'MAIN' ? id : name)
  })()`)

/** Tests what checkers of markup do not see: where the focus is, what is kept, what is found. */
export function testByHand(explorer: AskedExplorer): void {
  test('a value that is chosen by the space bar keeps the focus, the first of a card too', async () => {
    const { page, complaints } = await explorer.lead('#/cohort')
    for (const [card, value] of [
      ['Gender', 'female'],
      ['Gender', 'male'],
      ['Race', 'white'],
    ] as const) {
      const region = page.getByRole('region', { name: card, exact: true })
      await region
        .getByLabel(value, { exact: true })
        .or(region.locator('input').nth(value === 'male' ? 1 : 0))
        .first()
        .focus()
      const before = await focused(page)
      await page.keyboard.press('Space')
      await settled(page)
      expect(await focused(page)).toBe(before)
    }
    expect(complaints).toEqual([])
  })

  test('what is removed leaves the focus near it, and what is opened gets it', async () => {
    const { page } = await explorer.lead('#/cohort')
    await page.getByRole('region', { name: 'Gender' }).locator('input').first().check()
    await settled(page)
    await page.getByRole('region', { name: 'Gender' }).getByText('Clear').press('Enter')
    await settled(page)
    expect(await focused(page)).toBe('SECTION Gender')
    await page.getByRole('button', { name: 'Remove the card Race' }).press('Enter')
    await settled(page)
    expect(await focused(page)).toBe('MAIN main')
    await goTo(page, '#/')
    await page.getByRole('link', { name: 'Select cases' }).press('Enter')
    await settled(page)
    expect(await focused(page)).toBe('MAIN main')
  })

  test('chosen files are kept when other pages are opened', async () => {
    const { page } = await explorer.lead('#/files')
    for (const index of [0, 1]) await page.locator('td input[type=checkbox]').nth(index).check()
    const menu = page.getByRole('navigation', { name: 'Pages' })
    await menu.getByRole('link', { name: 'Survival' }).click()
    await settled(page)
    await page.getByRole('link', { name: 'Cart: 2' }).click()
    await settled(page)
    expect(await page.locator('.cart h2').innerText()).toBe('2 selected files')
  })

  test('commands for controlled files have the token, those for open ones do not', async () => {
    for (const access of ['controlled', 'open']) {
      const filter = JSON.stringify({ op: 'in', content: { field: 'access', value: [access] } })
      const { page } = await explorer.lead(`#/files?files=${encodeURIComponent(filter)}`)
      const commands = await page.locator('.cart pre').first().innerText()
      const [ours = '', theirs = ''] = commands.split('\n')
      expect(/^casemill get .* --token-file token\.txt$/.test(ours)).toBe(access === 'controlled')
      expect(/^gdc-client download .* -t token\.txt$/.test(theirs)).toBe(access === 'controlled')
    }
  })

  test('the own name of a case is the first field that is found, and Enter takes it', async () => {
    const { page } = await explorer.lead('#/cohort')
    const field = page.getByLabel('Add a card')
    await field.fill('submitter_id')
    const found = page.locator('.add-field li')
    expect(await found.first().innerText()).toBe('Submitter id submitter_id')
    await page.getByRole('button', { name: /^Show more of \d+ fields$/ }).click()
    expect(await found.count()).toBeGreaterThan(12)
    await field.press('Enter')
    await settled(page)
    const card = page.getByRole('region', { name: 'Submitter id', exact: true })
    const { data } = await explorer.ask<Counts>('/cases', { size: '0', facets: 'submitter_id' })
    const [first] = data.aggregations.submitter_id?.buckets ?? []
    expect(await card.locator('label').first().innerText()).toContain(first?.key)
    expect(await page.evaluate('document.activeElement.type')).toBe('search')
  })
}
