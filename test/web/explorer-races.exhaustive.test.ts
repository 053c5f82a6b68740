import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { available } from '../available.ts'
import { DemoInBrowser } from './support/demo-in-browser.ts'
import { settled } from './support/see-explorer.ts'

// Users may act before the page has drawn their previous action. Two changes are made in one task of the
// browser, between which nothing can be drawn, and neither may be lost.

/** A change of a field, as the browser reports it when the field is left. */
const CHANGE = `const change = (field, value) => {
  field.value = value
  field.dispatchEvent(new Event('input', { bubbles: true }))
  field.dispatchEvent(new Event('change', { bubbles: true }))
}`

interface Group {
  readonly content: readonly unknown[]
}

describe.skipIf(!available.chromium)('two changes before the page is drawn again', () => {
  const demo = new DemoInBrowser()

  beforeAll(() => demo.start())
  afterAll(() => demo[Symbol.asyncDispose]())

  /** Opens a page, makes changes in one task, and returns the state in the fragment of the address. */
  async function asks(
    fragment: string,
    script: string,
    arrange?: (page: Page) => Promise<unknown>,
  ): Promise<URLSearchParams> {
    const { page, complaints } = await demo.see('#/')
    await arrange?.(page)
    await page.evaluate(`location.hash = ${JSON.stringify(fragment)}`)
    await settled(page)
    await page.evaluate(`(async () => { ${CHANGE}; ${script} })()`)
    await settled(page)
    const asked = new URLSearchParams(new URL(page.url()).hash.split('?')[1])
    expect(complaints).toEqual([])
    await page.context().close()
    return asked
  }

  test('values of three fields, and both ends of a range', async () => {
    const script = `for (const name of ['Gender', 'Primary site', 'Vital status']) {
      document.querySelector('[aria-label="' + name + '"] input[type=checkbox]').click()
    }
    const [from, to] = document.querySelectorAll('[aria-label="Age at diagnosis"] .range input')
    change(from, '40')
    change(to, '50')`
    const [cohort = ''] = (await asks('#/cohort', script)).getAll('cohort')
    const { content } = JSON.parse(cohort.slice(cohort.indexOf(':') + 1)) as Group
    const age = 'diagnoses.age_at_diagnosis'
    expect(content).toHaveLength(5)
    expect(content).toContainEqual({ op: '>=', content: { field: age, value: 40 * 365.25 } })
    expect(content).toContainEqual({ op: '<=', content: { field: age, value: 50 * 365.25 } })
  })

  test('two inputs of a case', async () => {
    const script = `const [site, hist] = document.querySelectorAll('.case-form input')
      change(site, 'C182')
      change(hist, '8140')`
    const asked = await asks('#/staging?algorithm=demo&version=1.0', script)
    expect(Object.fromEntries(asked)).toMatchObject({ 'in.site': 'C182', 'in.hist': '8140' })
  })

  test('an algorithm that is chosen at the moment at which the versions of another come', async () => {
    const script = `const chosen = new Promise((resolve) => {
      new MutationObserver((_, observer) => {
        const [algorithm, version] = document.querySelectorAll('main select')
        if (!version?.options.length) return
        observer.disconnect()
        change(algorithm, 'other')
        resolve()
      }).observe(document.body, { childList: true, subtree: true })
    })
    location.hash = '#/staging'
    await chosen`
    const asked = await asks('#/', script, async (page) => {
      const other = { algorithm: 'other', name: 'Other' }
      await page.route('**/rest/staging/algorithms', (route) =>
        route.fulfill({ json: [{ algorithm: 'demo', name: 'Demo' }, other] }),
      )
      await page.route('**/rest/staging/other/versions', (route) =>
        route.fulfill({ json: [{ version: '2.0' }] }),
      )
    })
    expect(asked.get('algorithm')).toBe('other')
  })

  test('two members of a tumour', async () => {
    const script = `const [site, histology] = document.querySelectorAll('main td input')
      change(site, 'C504')
      change(histology, '8500')`
    const asked = await asks('#/primaries?tumours=,,3,,,,', script)
    expect(asked.get('tumours')).toBe('C504,8500,3,,,,')
  })

  test('two files for the cart', async () => {
    const script = `const [one, other] = document.querySelectorAll('main td input[type=checkbox]')
      one.click()
      other.click()`
    expect((await asks('#/files', script)).get('cart')?.split(',')).toHaveLength(2)
  })

  test('two conditions that are removed, and a cohort that is removed twice', async () => {
    const among = (field: string, value: string) => ({
      op: 'in',
      content: { field, value: [value] },
    })
    const content = [among('primary_site', 'kidney'), among('demographic.gender', 'female')]
    const filter = JSON.stringify({ op: 'and', content })
    const cohorts = `cohort=${encodeURIComponent(`Mine:${filter}`)}`
    const conditions = `for (const one of document.querySelectorAll('.conditions .chip button')) one.click()`
    const asked = await asks(`#/cohort?${cohorts}&cohort=Other`, conditions)
    expect(asked.getAll('cohort')).toEqual(['Mine', 'Other'])
    const remove = `const button = [...document.querySelectorAll('.conditions button')].at(-1)
      button.click()
      button.click()`
    const left = await asks('#/survival?cohort=One&cohort=Two&cohort=Three&at=1', remove)
    expect(left.getAll('cohort')).toEqual(['One', 'Three'])
  })

  test('two cards that are put away', async () => {
    const script = `const [one, other] = document.querySelectorAll('.facets button[aria-label^=Remove]')
      one.click()
      other.click()`
    const asked = await asks('#/files?fields=access,platform,data_type', script)
    expect(asked.get('fields')).toBe('data_type')
  })
})
