import type { Page } from 'playwright-core'
import { median } from '../rounds.ts'
import { openBrowser, Visit } from './browser.ts'

const FRAMES = 180
const STEP = 60
/** Milliseconds between what a person does. */
const REST = 300

/** Scrolls an element, or the page, by a step in each frame, and tells how long each frame took. */
const scrollScript = (selector: string | undefined, down: boolean) => `new Promise((resolve) => {
  const scroller = ${selector === undefined ? 'document.scrollingElement' : `document.querySelector(${JSON.stringify(selector)})`}
  const lengths = []
  let before = performance.now()
  let direction = 1
  const step = () => {
    const now = performance.now()
    lengths.push(now - before)
    before = now
    const [place, most] = ${
      down
        ? '[scroller.scrollTop, scroller.scrollHeight - scroller.clientHeight]'
        : '[scroller.scrollLeft, scroller.scrollWidth - scroller.clientWidth]'
    }
    if (place >= most - 1) direction = -1
    else if (place <= 1) direction = 1
    scroller.scrollBy(${down ? `0, ${STEP} * direction` : `${STEP} * direction, 0`})
    if (lengths.length < ${FRAMES}) requestAnimationFrame(step)
    else resolve(lengths.slice(1))
  }
  requestAnimationFrame(step)
})`

interface Frames {
  readonly lengths: readonly number[]
  /** Milliseconds of the page's thread, all frames together. */
  readonly processor: number
}

async function framesOf(page: Page, selector: string | undefined, down: boolean): Promise<Frames> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const taken = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0)
  }
  const before = await taken()
  const lengths = (await page.evaluate(scrollScript(selector, down))) as number[]
  const processor = (await taken()) - before
  await session.detach()
  return { lengths, processor }
}

/** What is told of pictures that are scrolled in several ways. */
function framesTold(name: string, runs: readonly Frames[]): Readonly<Record<string, number>> {
  const lengths = runs.flatMap((run) => run.lengths)
  const processor = runs.reduce((sum, run) => sum + run.processor, 0)
  return {
    [`${name}, longest frame`]: Math.max(...lengths),
    [`${name}, median frame`]: median(lengths),
    [`${name}, processor time of a frame`]: processor / lengths.length,
  }
}

async function withVisit<Result>(
  address: string,
  fragment: string,
  measure: (page: Page) => Promise<Result>,
): Promise<Result> {
  const browser = await openBrowser()
  try {
    const { page } = await Visit.begin(browser, address, fragment)
    return await measure(page)
  } finally {
    await browser.close()
  }
}

/** The grid of 200 genes by all cases that have a change, whole and zoomed in, down and across. */
export function gridFrames(address: string): Promise<Readonly<Record<string, number>>> {
  return withVisit(address, '#/genes?size=200', async (page) => {
    await page.locator('.grid-scroller').scrollIntoViewIfNeeded()
    const down = await framesOf(page, '.grid-scroller', true)
    for (let i = 0; i < 2; i++) await page.getByRole('button', { name: 'Zoom in' }).click()
    await page.waitForTimeout(REST)
    return framesTold('grid', [down, await framesOf(page, '.grid-scroller', false)])
  })
}

/** The page with the largest heat map that it offers. */
export function heatMapFrames(address: string): Promise<Readonly<Record<string, number>>> {
  return withVisit(address, '#/expression?size=1000', async (page) => {
    return framesTold('heat map', [await framesOf(page, undefined, true)])
  })
}

/** Notes each key and click that took more than a frame until something was painted. */
const WATCH_EVENTS = `globalThis.answers = []
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) globalThis.answers.push([entry.name, entry.duration])
}).observe({ type: 'event', durationThreshold: 16, buffered: true })`

/** Types and clicks as people do, on the pages with the most on them. */
export function longestAnswers(address: string): Promise<Readonly<Record<string, number>>> {
  return withVisit(address, '#/genes?size=200', async (page) => {
    await page.evaluate(WATCH_EVENTS)
    const rest = () => page.waitForTimeout(REST)
    for (const name of ['Zoom in', 'Zoom in', 'All cases']) {
      await page.getByRole('button', { name }).click()
      await rest()
    }
    const grid = page.locator('.figure').last()
    for (const name of ['Table', 'Request', 'Picture']) {
      await grid.getByRole('button', { name, exact: true }).click()
      await rest()
    }
    await page.getByLabel('One gene by symbol or id').pressSequentially('TP53', { delay: 60 })
    await page.keyboard.press('Enter')
    await rest()
    await page.evaluate("location.hash = '#/cohort'")
    await page.waitForLoadState('networkidle')
    const card = page.getByRole('region', { name: 'Primary site' })
    await card.getByRole('checkbox').first().click()
    await rest()
    await card.getByRole('searchbox').pressSequentially('bro', { delay: 60 })
    await rest()
    const answers = (await page.evaluate('globalThis.answers')) as [string, number][]
    return { 'longest answer to a key or click': Math.max(0, ...answers.map(([, time]) => time)) }
  })
}
