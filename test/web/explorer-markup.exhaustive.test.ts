import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { available } from '../available.ts'
import { copyDemo } from '../demo/copy-demo.ts'
import { DemoInBrowser } from './support/demo-in-browser.ts'
import {
  MADE_BY_MARKUP,
  MARKED_ALGORITHM,
  MARKED_CELLS,
  MARKED_READS,
  MARKUP,
  MARKUP_NAME,
  type MarkedUp,
  markUp,
} from './support/marked-up.ts'
import { goTo, type Seen, settled } from './support/see-explorer.ts'

// Markup in every stored text, on every page of the explorer and in the pop-ups of igv.js, is shown as stored:
// it creates no elements and runs no scripts.

const STAGED = `algorithm=${MARKED_ALGORITHM}&version=1.0&in.site=C182&in.hist=8140&in.year_dx=2023&in.depth=B2`

/** The pages, and whether each shows a stored text. */
const PAGES: readonly (readonly [fragment: string, shows: boolean])[] = [
  ['#/', true],
  ['#/cohort', true],
  ['#/survival?by=demographic.gender', true],
  ['#/genes', true],
  ['#/signatures', false],
  ['#/segments', false],
  ['#/expression?size=25', false],
  ['#/coexpression?gene=TP53', false],
  ['#/files', true],
  ['#/tables?of=cases', true],
  ['#/tables?of=annotations', false],
  ['#/tables?of=ssms', false],
  [`#/staging?${STAGED}&in.size=035&in.nodes_pos=02`, true],
  ['#/reference?q=carcinoma', true],
  ['#/operator', false],
  [`#/reads?file=${MARKED_READS.id}&place=${MARKED_READS.place}`, true],
]

/** The height of the reads in CSS pixels (igv-view.tsx). */
const TRACK_HEIGHT = 380

/** Elements in the page and in its shadow trees. */
const MADE = `(() => {
  const within = (root) => [
    ...root.querySelectorAll(${JSON.stringify(MADE_BY_MARKUP)}),
    ...[...root.querySelectorAll('*')].flatMap((one) => one.shadowRoot ? within(one.shadowRoot) : []),
  ]
  return within(document).map((one) => one.outerHTML.slice(0, 200))
})()`

describe.skipIf(!available.chromium || !available.samtools)('markup in stored texts', () => {
  const demo = new DemoInBrowser()
  let seen: Seen
  let page: Page
  let marked: MarkedUp
  const dialogs: string[] = []

  beforeAll(async () => {
    await copyDemo(demo.server.data)
    marked = await markUp(demo.server.data)
    await demo.start()
    seen = await demo.see('#/')
    page = seen.page
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message())
      dialog.dismiss()
    })
  })
  afterAll(() => demo[Symbol.asyncDispose]())

  async function expectInert(): Promise<void> {
    expect(await page.evaluate(MADE)).toEqual([])
    expect(await page.evaluate('window.ran')).toBeUndefined()
    expect(dialogs).toEqual([])
  }

  /** Goes to a page, opens everything that can be opened, and returns the visible text. */
  async function opened(fragment: string): Promise<string> {
    await goTo(page, fragment)
    await page.locator('main h1').waitFor()
    if (fragment.startsWith('#/reads')) await page.locator('.reads canvas').first().waitFor()
    await settled(page)
    await expectInert()
    const parts = page.locator('main summary, main button:has-text("Table")')
    for (const part of await parts.all()) if (await part.isVisible()) await part.click()
    await settled(page)
    await expectInert()
    return page.locator('main').innerText()
  }

  test.each(PAGES)('%s shows it as it is', async (fragment, shows) => {
    const text = await opened(fragment)
    if (shows) expect(text).toContain(MARKUP)
  })

  test('errors of a submission are shown with it', async () => {
    expect(await opened(`#/submission?project=DEMO-TRIAL&open=${marked.transaction}`)).toContain(
      MARKUP,
    )
  })

  test('groups of cells are named by it', async () => {
    const fragment = `#/cells?file=${MARKED_CELLS}&genes=${marked.geneId}&by=Group`
    expect(await opened(fragment)).toContain(MARKUP)
  })

  test.each([
    ['Case', '#/cohort'],
    ['File', '#/tables?of=files'],
    ['Variant', '#/tables?of=ssms'],
  ])('the page %s of the first record of %s is shown with it', async (title, fragment) => {
    await goTo(page, fragment)
    await page.locator('main table a').first().click()
    await settled(page)
    expect(await page.locator('h1').innerText()).toBe(title)
    for (const part of await page.locator('main summary').all()) {
      if (await part.isVisible()) await part.click()
    }
    await settled(page)
    await expectInert()
    expect(await page.locator('main').innerText()).toContain(MARKUP)
  })

  test('the pop-ups of reads and of coverage show it as it is', async () => {
    await goTo(page, `#/reads?file=${MARKED_READS.id}&place=${MARKED_READS.place}`)
    await page.locator('.reads .igv-viewport canvas').first().waitFor()
    const heights = () =>
      page
        .locator('.reads .igv-viewport')
        .evaluateAll((all) => all.map((one) => one.clientWidth && one.clientHeight))
    await expect.poll(heights, { timeout: 30_000 }).toContain(TRACK_HEIGHT)
    // The ruler has a viewport as well, and so do further places, which are all hidden.
    const track = page.locator('.reads .igv-viewport').nth((await heights()).indexOf(TRACK_HEIGHT))
    const popover = page.locator('.reads .igv-ui-popover:visible')
    /** Clicks at a place until something pops up, closes it and returns its text. */
    const poppedUp = async (x: number, y: number) => {
      await expect
        .poll(async () => {
          await track.click({ position: { x, y }, force: true })
          // igv.js waits for a possible second click.
          await page.waitForTimeout(700)
          return popover.count()
        })
        .toBeGreaterThan(0)
      await expectInert()
      const text = (await popover.first().innerText()).replaceAll('\u00a0', ' ')
      for (const close of await popover.locator('svg').all()) await close.click({ force: true })
      return text
    }
    for (const y of [300, 200, 100]) {
      const text = await poppedUp(270, y)
      expect(text).toContain(`Read Name   ${MARKUP_NAME}`)
      expect(text).toContain(`CO   ${MARKUP}`)
    }
    expect(await poppedUp(600, 20)).toContain('Total Count')
    await track.click({ position: { x: 270, y: 100 }, button: 'right', force: true })
    await page.waitForTimeout(300)
    await expectInert()
  })

  test('nothing was complained of', () => {
    expect(seen.complaints).toEqual([])
  })
})
