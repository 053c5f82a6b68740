import { expect, test } from 'vitest'
import type { AskedExplorer } from './asked-explorer.ts'
import { settled } from './see-explorer.ts'

const EVERYTHING = '**/*'

/** Tests what an open page says while the service is gone, and when it has another release. */
export function testReach(explorer: AskedExplorer): void {
  test('a service that is gone is told once, and the page heals when it is back', async () => {
    const { page } = await explorer.see('#/cohort')
    const cards = page.locator('.facet ul')
    const shown = await cards.count()
    await page.route(EVERYTHING, (route) => route.abort())
    await page.getByRole('region', { name: 'Gender' }).locator('input').first().check()
    await page.getByRole('alert').first().waitFor()
    const told = 'The service cannot be reached. This page goes on when it is back. Try again'
    expect(await page.getByRole('alert').allInnerTexts()).toEqual([told])
    // The values of the cards stay.
    expect(await cards.count()).toBe(shown)
    // A page whose scripts were not loaded yet heals too.
    const menu = page.getByRole('navigation', { name: 'Pages' })
    await menu.getByRole('link', { name: 'Tables' }).click()
    expect(await page.getByRole('alert').allInnerTexts()).toEqual([told])
    await page.unroute(EVERYTHING)
    await page.locator('.table caption').waitFor()
    await settled(page)
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await page.locator('.chip-text').innerText()).toMatch(/^Gender: /)
    await page.context().close()
  })

  test('a failure that may pass is told once for all cards, and can be tried again', async () => {
    const { page } = await explorer.see('#/')
    await page.route('**/cases/_mapping', (route) =>
      route.fulfill({ status: 503, json: { message: 'busy' } }),
    )
    await page.getByRole('link', { name: 'Select cases' }).click()
    await page.getByRole('alert').first().waitFor()
    expect(await page.getByRole('alert').allInnerTexts()).toEqual(['busy Try again'])
    await page.unroute('**/cases/_mapping')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.locator('.facet ul').first().waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.context().close()
  })

  test('a new release is told on the open page, which shows it on request', async () => {
    const { page, complaints } = await explorer.see('#/cohort')
    const before = await page.locator('.cohort-list .count').innerText()
    await page.route(/:\d+\/(projects|cases)\?/, async (route) => {
      const answer = await route.fetch()
      const json = (await answer.json()) as { data: { pagination: { total: number } } }
      json.data.pagination.total += 1
      const headers = { ...answer.headers(), 'x-casemill-release': 'another' }
      await route.fulfill({ response: answer, headers, json })
    })
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
    await page.getByText('The service has a new release').waitFor()
    expect(await page.locator('.cohort-list .count').innerText()).toBe(before)
    await page.getByRole('button', { name: 'Show the new release' }).click()
    const count = async () =>
      (await page.locator('.cohort-list .count').innerText()).replace(',', '')
    await expect.poll(async () => Number(await count())).toBe(Number(before.replace(',', '')) + 1)
    expect(await page.getByText('The service has a new release').count()).toBe(0)
    expect(complaints).toEqual([])
    // Requests of the page may still be on their way through the test.
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.context().close()
  })

  test('what a page itself finds impossible is told, and not taken for a service that is gone', async () => {
    const groups = encodeURIComponent('{"by":"mutated","gene":"NOGENE"}')
    const { page } = await explorer.lead(`#/survival?groups=${groups}`)
    expect(await page.locator('main [role=alert]').allInnerTexts()).toEqual([
      'No gene has the symbol or id NOGENE. Symbols are those of HGNC.',
    ])
  })
}
