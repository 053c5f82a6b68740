import type { Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { menuOf } from '../../explorer/frame/page-list.ts'
import { DEMO_FILES } from '../../fixtures/demo-commons.ts'
import { available } from '../available.ts'
import { sample } from '../depth.ts'
import { testAnalyses } from './support/analysis-tests.ts'
import { AskedExplorer, type Counts, numberOf } from './support/asked-explorer.ts'
import { barriers } from './support/browser.ts'
import { testByHand } from './support/by-hand-tests.ts'
import { testCohorts } from './support/cohort-tests.ts'
import { testGroups } from './support/group-tests.ts'
import { testMarks } from './support/mark-tests.ts'
import { checkDoors, checkFocusStays, checkReadable } from './support/page-checks.ts'
import { testPortal } from './support/portal-tests.ts'
import { testReach } from './support/reach-tests.ts'
import { testRecords } from './support/record-tests.ts'
import { testRegistry } from './support/registry-tests.ts'
import { testSearch } from './support/search-tests.ts'
import { type Seen, settled } from './support/see-explorer.ts'
import { LUNG_COHORT, STAGING, TUMOURS, TWO } from './support/shown-cohorts.ts'
import { testStatistics } from './support/statistics-tests.ts'
import { testTables } from './support/table-tests.ts'

// Every page of the explorer on the demo, in a browser. Numbers are compared with those of the interface and of
// R, barriers are found by axe-core (https://github.com/dequelabs/axe-core).

/** Each page in a state that shows everything it has. */
const PAGES: readonly string[] = [
  '#/',
  `#/cohort?${LUNG_COHORT}`,
  `#/compare?${TWO}`,
  `#/survival?${LUNG_COHORT}&by=demographic.gender`,
  `#/genes?${LUNG_COHORT}`,
  `#/genes?${LUNG_COHORT}&cohort=All&gene=TP53`,
  `#/pairs?${LUNG_COHORT}`,
  `#/burden?${TWO}`,
  `#/variables?${TWO}&x=primary_site&y=ssm:TP53`,
  `#/signatures?${LUNG_COHORT}`,
  `#/segments?${LUNG_COHORT}`,
  `#/expression?${LUNG_COHORT}&size=25`,
  `#/differential?${LUNG_COHORT}`,
  `#/coexpression?${LUNG_COHORT}&gene=TP53`,
  '#/reads?place=TP53',
  '#/cells?genes=TP53,EGFR,KRAS&by=Group',
  `#/files?${LUNG_COHORT}`,
  `#/tables?of=ssms&${LUNG_COHORT}`,
  '#/case?id=DEMO-ADRENAL-0001',
  `#/file?id=${DEMO_FILES[1].id}`,
  '#/variant?id=00066413-6a53-4ba4-b10d-58901d5cf86a',
  STAGING,
  `#/primaries?${TUMOURS}&pair=0,1`,
  '#/reference?q=carcinoma',
  '#/submission?project=DEMO-TRIAL&open=1',
  '#/operator',
]

/** Colour schemes and window widths in which every page must be correct. */
const WINDOWS = sample(
  [
    ['dark', 390],
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
  ] as const,
  1,
  4,
)
/** Records which elements get the focus, whether it is visible, and which come out of order. */
const WATCH = `
  window.walked = new Set(); window.unseen = []; window.backward = []; window.before = document.body
  addEventListener('focusin', ({ target }) => {
    // Tab on the last element leads to the first one.
    const isBefore = before.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_PRECEDING
    if (isBefore && !walked.has(target)) backward.push(target.outerHTML.slice(0, 120))
    before = target
    walked.add(target)
    if (getComputedStyle(target).outlineStyle === 'none' && target.id !== 'main') {
      unseen.push(target.outerHTML.slice(0, 120))
    }
  })`
const NAMES =
  'a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary, [tabindex="0"]'
const TO_WALK = `[...document.querySelectorAll('${NAMES}')].filter((one) => one.checkVisibility())`

test('all pages of the menu are among those that are looked at', () => {
  const shown = new Set(PAGES.map((fragment) => /^#\/(\w*)/.exec(fragment)?.[1]))
  expect(menuOf(false).filter(({ path }) => !shown.has(path))).toEqual([])
})

describe.skipIf(!available.chromium)('the explorer', () => {
  const explorer = new AskedExplorer()
  const { server } = explorer
  beforeAll(() => explorer.start())
  afterAll(() => explorer[Symbol.asyncDispose]())

  describe.each(sample(PAGES, 6))('%s', (fragment) => {
    let seen: Seen
    beforeAll(async () => {
      seen = await explorer.lead(fragment)
    })

    test('is walked by the key Tab, and each stop is seen', async () => {
      const { page } = seen
      await page.evaluate(WATCH)
      const stops = Number(await page.evaluate(`${TO_WALK}.length`))
      expect(stops).toBeGreaterThan(15)
      // Elements that appear during a pass are visited in the next one.
      const missed = async () => {
        // Components of other libraries have tab stops of their own.
        for (let pressed = 0; pressed < stops + 40; pressed++) await page.keyboard.press('Tab')
        return page.evaluate(
          `${TO_WALK}.filter((one) => !walked.has(one)).map((one) => one.outerHTML.slice(0, 120))`,
        )
      }
      await expect.poll(missed).toEqual([])
      expect(await page.evaluate('unseen')).toEqual([])
      // A second pass may start behind an element that appeared during the first, so one step back is allowed.
      expect(await page.evaluate('backward.slice(1)')).toEqual([])
    })

    test('has pictures whose marks tell their values and open what they count', async () => {
      await checkDoors(seen.page, fragment)
      expect(seen.complaints).toEqual([])
    })

    test('keeps the focus on a list whose choice renews it', async () => {
      await checkFocusStays(seen.page, fragment)
    })

    test('has no barriers in light and dark, wide and narrow', async () => {
      const { page, complaints } = seen
      for (const [colorScheme, width] of WINDOWS) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 800 })
        await settled(page)
        expect(await page.locator('main h1').count()).toBe(1)
        expect(await page.locator('.note.error').allInnerTexts()).toEqual([])
        const scrolled = () => page.evaluate('document.documentElement.scrollWidth')
        await expect.poll(scrolled).toBeLessThanOrEqual(width)
        expect([colorScheme, width, await barriers(page)]).toEqual([colorScheme, width, []])
        await checkReadable(page, width)
      }
      expect(complaints).toEqual([])
    })
  })

  test('on paper there are no controls, and tables are whole', async () => {
    const { page } = await explorer.lead(`#/compare?${TWO}`)
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    for (const hidden of ['nav', '.top', '.views', '.controls']) {
      expect(await page.locator(hidden).first().isVisible()).toBe(false)
    }
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
      'rgb(255, 255, 255)',
    )
    expect(await page.locator('.picture svg').first().isVisible()).toBe(true)
    expect((await page.pdf()).subarray(0, 5).toString()).toBe('%PDF-')
  })

  test('the first page counts what the interface counts', async () => {
    const { page } = await explorer.lead('#/')
    const shown = await page
      .locator('dl.numbers div')
      .evaluateAll((all) =>
        all.map((one) => [
          one.querySelector('dt')?.textContent,
          one.querySelector('dd')?.textContent,
        ]),
      )
    const counted = await Promise.all(
      ['projects', 'cases', 'files', 'genes', 'ssms', 'cnvs', 'annotations'].map(
        async (name) =>
          (await explorer.ask<Counts>(`/${name}`, { size: '0' })).data.pagination.total,
      ),
    )
    expect(shown.map(([, text]) => numberOf(text ?? ''))).toEqual(counted)
  })

  test('the first view, with its chart, takes at most 8 requests and 110 kB', async () => {
    const page = await (await explorer.demo.browser.newContext()).newPage()
    const finished: Request[] = []
    page.on('requestfinished', (request) => finished.push(request))
    await page.goto(server.address)
    await page.locator('.picture svg rect').first().waitFor()
    await page.waitForLoadState('networkidle')
    const sizes = await Promise.all(finished.map((request) => request.sizes()))
    const bytes = sizes.reduce(
      (sum, { responseBodySize, responseHeadersSize }) =>
        sum + responseBodySize + responseHeadersSize,
      0,
    )
    const paths = finished.map((request) => new URL(request.url()).pathname)
    expect([paths, paths.length <= 8]).toEqual([paths, true])
    expect(bytes).toBeLessThanOrEqual(110_000)
    // Without the scripts, the page would not be there.
    expect(bytes).toBeGreaterThan(20_000)
    await page.context().close()
  })

  test('the first page tells what the files are, and leaves the menu to the menu', async () => {
    const { page } = await explorer.lead('#/')
    const { data } = await explorer.ask<Counts>('/files', { size: '0', facets: 'data_type,access' })
    const [types = [], access = []] = ['data_type', 'access'].map(
      (name) => data.aggregations[name]?.buckets,
    )
    const cells = await page.locator('main tbody td').allTextContents()
    const shown = types.slice(0, 20).flatMap(({ key, doc_count }) => [key, doc_count])
    expect(cells.map((text, at) => (at % 2 ? numberOf(text) : text))).toEqual(shown)
    const said = await page.locator('main section p').first().innerText()
    for (const { key, doc_count } of access) {
      expect(said).toContain(`${doc_count.toLocaleString('en')} ${key}`)
    }
    expect(await page.locator('main ul.chips a').count()).toBeLessThanOrEqual(4)
  })

  test('a table is saved as TSV, a picture as SVG and PNG', async () => {
    const { page } = await explorer.lead('#/')
    const saved = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name, exact: true }).click(),
      ])
      const chunks: Buffer[] = []
      for await (const chunk of await download.createReadStream()) chunks.push(Buffer.from(chunk))
      return Buffer.concat(chunks)
    }
    const svg = (await saved('SVG')).toString()
    expect(svg).toMatch(/^<svg [^>]*xmlns=/)
    // Viewers of the file do not have our style sheet.
    expect(svg).not.toContain('var(--')
    expect((await saved('PNG')).subarray(1, 4).toString()).toBe('PNG')
    await page.getByRole('button', { name: 'Table', exact: true }).click()
    const lines = (await saved('Save as TSV')).toString().trimEnd().split('\n')
    const { data } = await explorer.ask<Counts>('/cases', { size: '0', facets: 'primary_site' })
    const buckets = data.aggregations.primary_site?.buckets ?? []
    expect(lines).toEqual([
      'Primary site\tCases',
      ...buckets.map(({ key, doc_count }) => `${key}\t${doc_count}`),
    ])
  })

  test('secrets stay in the memory of the page', async () => {
    const { page } = await explorer.see('#/staging')
    const key = server.credentials['X-SEERAPI-Key'] ?? ''
    expect(key).not.toBe('')
    expect(page.url()).not.toContain(key)
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    )
    expect(kept).toBe('[{},{},""]')
    await page.reload()
    await page.getByText('Staging needs a registry key').waitFor()
    await page.context().close()
  })

  test('secrets are kept for the tab on request, until the user signs out', async () => {
    const { page } = await explorer.see('#/staging')
    const kept = () => page.evaluate('JSON.stringify([{ ...localStorage }, document.cookie])')
    const stored = () => page.evaluate('Object.keys(sessionStorage).length')
    await page.locator('.credentials summary').click()
    await page.getByLabel('Keep them for this tab').check()
    expect(await stored()).toBe(0)
    await page.getByRole('button', { name: 'Use them' }).click()
    expect([await stored(), await kept()]).toEqual([1, '[{},""]'])
    await page.reload()
    await page.getByText('With token and key').waitFor()
    await page.getByLabel('Algorithm').first().waitFor()
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByText('Staging needs a registry key').waitFor()
    await page.getByText('With token and key').click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Staging needs a registry key').waitFor()
    expect(await stored()).toBe(0)
    await page.context().close()
  })

  testByHand(explorer)
  testCohorts(explorer)
  testTables(explorer)
  testReach(explorer)
  testMarks(explorer)
  testSearch(explorer)
  testRecords(explorer)
  testAnalyses(explorer)
  testGroups(explorer)
  testStatistics(explorer)
  testRegistry(explorer)
  testPortal(explorer)
})
