import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { numberOf } from './asked-explorer.ts'
import { goTo, settled } from './see-explorer.ts'

// What every page of the explorer must have, found in the page itself, so that new pages are checked too.

/** Pictures whose marks have no links, because they show only the record of the page itself. */
const OF_THE_PAGE = /^Picture of Time line of /

/**
 * Marks of a picture that tell nothing or lead nowhere. A mark is a shape in a colour of data that is not hidden from
 * screen readers, as legends, whiskers and bands are, or anything with a text.
 */
const CLOSED_MARKS = `((picture) => {
  const neutral = /^(none|transparent|currentColor|var\\(--(text|soft|line|raised|ground)\\))$/
  const paints = (one, name) => {
    const own = one.closest('[' + name + ']')?.getAttribute(name)
    return own && !neutral.test(own)
  }
  const shapes = [...picture.querySelectorAll('svg :is(rect, circle, path, polygon, line)')]
  const marks = shapes.filter((one) =>
    one.querySelector('title') ||
    (!one.closest('[aria-hidden=true]') && (paints(one, 'fill') || paints(one, 'stroke'))))
  const closed = marks.filter((one) => {
    const link = one.closest('a')
    const address = link?.getAttribute('href') ?? link?.getAttribute('xlink:href')
    return !address?.startsWith('#/') || !(link.querySelector('title')?.textContent ?? '').trim()
  })
  return closed.slice(0, 3).map((one) => one.outerHTML.slice(0, 160))
})`

/** The number of cases that a mark tells, if it tells nothing else of them. */
const COUNTED = /(?:: |, )([\d,]+) (?:of [\d,]+ )?cases?(?: \([\d.]+ %\))?$/

const tip = (page: Page) => page.locator('.tip:not([hidden])')
const hashOf = async (page: Page) => String(await page.evaluate('location.hash'))

/** Checks that each picture of a page tells its values and opens what they count, by keys and by touch. */
export async function checkDoors(page: Page, fragment: string): Promise<void> {
  const names = await page
    .locator('.picture')
    .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? ''))
  for (const [index, name] of names.entries()) {
    const picture = page.locator('.picture').nth(index)
    const isOfPage = OF_THE_PAGE.test(name)
    const closed = isOfPage
      ? []
      : await page.evaluate(`${CLOSED_MARKS}(document.querySelectorAll('.picture')[${index}])`)
    expect([name, closed]).toEqual([name, []])
    const own = picture.and(page.locator('[tabindex="0"]'))
    const stop = own.or(picture.locator('[tabindex="0"], a[href]')).first()
    await stop.focus()
    if (!(await stop.evaluate((one) => one.tagName === 'a'))) {
      await page.keyboard.press('ArrowDown')
    }
    const told = await tip(page).innerText()
    expect([name, told]).toEqual([name, expect.stringMatching(/\S/)])
    if (isOfPage) continue
    const before = await hashOf(page)
    await page.keyboard.press('Enter')
    await expect.poll(() => hashOf(page)).not.toBe(before)
    await settled(page)
    const counted = COUNTED.exec(told)?.[1]
    if (counted !== undefined && (await hashOf(page)).startsWith('#/cohort?')) {
      const shown = await page.locator('.cohort-list .active .count').innerText()
      expect([name, told, numberOf(shown)]).toEqual([name, told, numberOf(counted)])
    }
    // What was opened has the focus, not the start of the document.
    expect([name, await page.evaluate('document.activeElement.tagName')]).not.toEqual([
      name,
      'BODY',
    ])
    await goTo(page, fragment)
  }
}

/** Texts of pictures that are cut, or too small to be read. */
const UNREAD = `[...document.querySelectorAll('.picture svg')].flatMap((svg) => {
  const around = svg.getBoundingClientRect()
  const scale = around.width / (svg.viewBox.baseVal.width || around.width)
  return [...svg.querySelectorAll('text')].flatMap((text) => {
    const { left, right, top, bottom, width } = text.getBoundingClientRect()
    if (width === 0) return []
    const isCut = left < around.left - 2 || right > around.right + 2 ||
      top < around.top - 2 || bottom > around.bottom + 2
    const isSmall = Number.parseFloat(getComputedStyle(text).fontSize) * scale < 8
    return isCut || isSmall ? [(isCut ? 'cut: ' : 'small: ') + text.textContent] : []
  })
})`

/** Cells of tables that are no lines of a card, with the title of their column. */
const NOT_CARDS = `[...document.querySelectorAll('.table td:not(:empty)')]
  .filter((one) => one.checkVisibility() &&
    (getComputedStyle(one).display !== 'grid' || one.dataset.title === undefined))
  .slice(0, 3).map((one) => one.outerHTML.slice(0, 120))`

/** Checks that a page of a width has pictures whose texts can be read, and as a narrow one cards instead of tables. */
export async function checkReadable(page: Page, width: number): Promise<void> {
  expect(await page.evaluate(UNREAD)).toEqual([])
  if (width < 768) expect(await page.evaluate(NOT_CARDS)).toEqual([])
}

/** Name of the element with the focus. */
const FOCUSED = `((one) => one.tagName + ' ' + (one.labels?.[0]?.firstChild?.textContent ??
  one.ariaLabel ?? one.textContent).trim())(document.activeElement)`
/** Number of lists whose change is tried on each page. */
const TRIED = 3

/** Checks that a list keeps the focus when its choice renews the page. */
export async function checkFocusStays(page: Page, fragment: string): Promise<void> {
  const lists = page.locator('main select:not(:disabled)')
  const count = await lists.count()
  for (let index = 0; index < Math.min(TRIED, count); index++) {
    const list = lists.nth(index)
    if (!(await list.isVisible())) continue
    await list.focus()
    const before = await page.evaluate(FOCUSED)
    await page.keyboard.press('ArrowDown')
    await settled(page)
    expect(await page.evaluate(FOCUSED)).toBe(before)
    await goTo(page, fragment)
  }
}
