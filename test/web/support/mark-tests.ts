import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type AskedExplorer, type Counts, numberOf } from './asked-explorer.ts'
import { settled } from './see-explorer.ts'
import { LUNG, LUNG_COHORT } from './shown-cohorts.ts'

const tip = (page: Page) => page.locator('.tip:not([hidden])')
const shownCases = async (page: Page) =>
  numberOf(await page.locator('.cohort-list .active .count').innerText())

/** Tests that marks of pictures tell what they are by keys and touch, and lead somewhere. */
export function testMarks(explorer: AskedExplorer): void {
  test('a bar of the first page is a link to its cases, by keys', async () => {
    const { page, complaints } = await explorer.lead('#/')
    const { data } = await explorer.ask<Counts>('/cases', { size: '0', facets: 'primary_site' })
    const [first] = data.aggregations.primary_site?.buckets ?? []
    await page.locator('.picture a').first().focus()
    expect(await tip(page).innerText()).toBe(`${first?.key}: ${first?.doc_count} cases`)
    await page.keyboard.press('Enter')
    await settled(page)
    expect(await page.locator('h1').innerText()).toBe('Cohort builder')
    expect(await shownCases(page)).toBe(first?.doc_count)
    expect(complaints).toEqual([])
  })

  test('a touch tells what a bar is, and a second one opens it', async () => {
    const { page } = await explorer.see('#/', {
      hasTouch: true,
      viewport: { width: 390, height: 800 },
    })
    const bar = page.locator('.picture a').nth(1)
    await bar.tap()
    const text = await tip(page).innerText()
    expect(text).toMatch(/: [\d,]+ cases$/)
    expect(new URL(page.url()).hash).toBe('#/')
    await bar.tap()
    await settled(page)
    expect(await shownCases(page)).toBe(numberOf(/: ([\d,]+) cases$/.exec(text)?.[1] ?? ''))
    await page.context().close()
  })

  test('the arrow keys lead through many marks, and Enter opens one', async () => {
    const { page, complaints } = await explorer.lead('#/genes?gene=TP53')
    const picture = page.getByRole('group', { name: /^Picture of Mutations along/ })
    await picture.focus()
    await page.keyboard.press('ArrowLeft')
    const name = /^(\S+): \d+ cases$/.exec(await tip(page).innerText())?.[1]
    expect(name).toBeDefined()
    await page.keyboard.press('Enter')
    await settled(page)
    expect(await page.locator('h1').innerText()).toBe('Variant')
    expect(await page.locator('main').innerText()).toContain(name)
    expect(complaints).toEqual([])
  })

  test('a bar of a project is a link to its mutated cases', async () => {
    const { page } = await explorer.lead('#/genes?gene=TP53')
    const figure = page.locator('.figure', { hasText: 'In which projects is TP53 mutated?' })
    const link = figure.locator('.picture a').first()
    const cases = /, ([\d,]+) of [\d,]+ cases$/.exec(
      (await link.getAttribute('aria-label')) ?? '',
    )?.[1]
    await link.focus()
    await page.keyboard.press('Enter')
    await settled(page)
    expect(await shownCases(page)).toBe(numberOf(cases ?? ''))
  })

  test('a cell of the heat map tells its value and opens its case, by keys', async () => {
    const { page, complaints } = await explorer.lead(`#/expression?${LUNG_COHORT}&size=25`)
    await page.locator('.heat-map').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    const [, gene, name, value] =
      /^(\S+) in (\S+) \(.*\): (−?\d\.\d\d)$/.exec(await tip(page).innerText()) ?? []
    const id = (
      await explorer.ask<{ data: { hits: readonly { id: string }[] } }>('/cases', {
        filters: JSON.stringify({ op: '=', content: { field: 'submitter_id', value: name } }),
        fields: 'submitter_id',
      })
    ).data.hits[0]?.id
    const figure = page.locator('.figure').first()
    await figure.getByRole('button', { name: 'Table', exact: true }).click()
    const titles = await figure.locator('th').allInnerTexts()
    const row = figure.locator('tbody tr', { hasText: gene ?? '' }).first()
    const shown = await row
      .locator('td')
      .nth(titles.indexOf(id ?? ''))
      .innerText()
    expect(Number(shown.replace('−', '-')).toFixed(2)).toBe(value?.replace('−', '-'))
    await figure.getByRole('button', { name: 'Picture', exact: true }).click()
    await page.locator('.heat-map').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await settled(page)
    expect(await page.locator('h1').innerText()).toBe('Case')
    expect(await page.locator('main').innerText()).toContain(name)
    expect(complaints).toEqual([])
  })

  test('a branch of the tree of cases becomes a cohort', async () => {
    const { page } = await explorer.lead(`#/expression?${LUNG_COHORT}&size=25`)
    await page.locator('.heat-map').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    const [, cases] = /^(\d+) cases: make them a cohort$/.exec(await tip(page).innerText()) ?? []
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('.cohort-list .count').count()).toBe(2)
    await settled(page)
    expect(await shownCases(page)).toBe(Number(cases))
  })

  test('a touch tells what a cell of the heat map is, and a second one opens its case', async () => {
    const { page } = await explorer.see(`#/expression?${LUNG_COHORT}&size=25`, {
      hasTouch: true,
      viewport: { width: 390, height: 800 },
    })
    const map = page.locator('.heat-map')
    await map.waitFor()
    // The map is drawn again once its clinical fields are there.
    await settled(page)
    const box = await map.boundingBox()
    const position = { x: (box?.width ?? 0) / 2, y: (box?.height ?? 0) / 2 }
    await map.tap({ position })
    expect(await tip(page).innerText()).toMatch(/^\S+ in \S+ \(/)
    expect(await page.locator('h1').innerText()).not.toBe('Case')
    await map.tap({ position })
    await settled(page)
    expect(await page.locator('h1').innerText()).toBe('Case')
    await page.context().close()
  })

  test('a bar of a project opens the cases of its group, however the group was made', async () => {
    const groups = encodeURIComponent('{"by":"values","field":"demographic.gender"}')
    const { page } = await explorer.lead(`#/genes?gene=TP53&groups=${groups}`)
    const figure = page.locator('.figure', { hasText: 'In which projects is TP53 mutated?' })
    const dot = figure.locator('.picture a').first()
    await dot.waitFor({ state: 'attached' })
    const text = await dot.getAttribute('aria-label')
    const [, project, gender, cases] =
      /^(\S+), (\w+): .*, (\d+) of \d+ cases$/.exec(text ?? '') ?? []
    await dot.dispatchEvent('click')
    await settled(page)
    expect(await shownCases(page)).toBe(Number(cases))
    const conditions = await page.locator('.chip-text').allInnerTexts()
    expect(conditions).toContain(`Gender: ${gender}`)
    expect(conditions).toContain(`Project: ${project}`)
  })

  test('a bar of a bin of the genome lists the cases that the service counts, and makes them a cohort', async () => {
    const { page, complaints } = await explorer.lead(`#/segments?${LUNG_COHORT}`)
    const picture = page.getByRole('group', { name: /^Picture of Where are copies/ })
    await picture.focus()
    await page.keyboard.press('ArrowRight')
    const [, name, cases] =
      /: (gain|loss) in (\d+) of \d+ cases$/.exec(await tip(page).innerText()) ?? []
    await page.keyboard.press('Enter')
    await settled(page)
    const opened = page.getByRole('region', { name: new RegExp(`^Cases with a ${name} at`) })
    expect(await page.evaluate('document.activeElement.ariaLabel')).toMatch(
      new RegExp(`^Cases with a ${name} at`),
    )
    await opened.getByRole('link', { name: new RegExp(`^Cohort of ${cases} cases?$`) }).click()
    await settled(page)
    expect(await shownCases(page)).toBe(Number(cases))
    expect(complaints).toEqual([])
  })

  test('a bar of a substitution opens the cases whose records have it, on either strand', async () => {
    const { page } = await explorer.lead(`#/signatures?${LUNG_COHORT}`)
    const bar = page.locator('.picture a').first()
    await bar.focus()
    expect(await tip(page).innerText()).toMatch(/^C>A in Lung: /)
    await page.keyboard.press('Enter')
    await settled(page)
    interface Hit {
      readonly case: { readonly case_id: string }
      readonly ssm: { readonly reference_allele: string; readonly tumor_allele: string }
    }
    const lung = JSON.parse(LUNG)
    lung.content.field = 'case.primary_site'
    const { data } = await explorer.ask<{ data: { hits: readonly Hit[] } }>('/ssm_occurrences', {
      size: '100000',
      filters: JSON.stringify(lung),
      fields: 'case.case_id,ssm.reference_allele,ssm.tumor_allele',
    })
    const having = data.hits.filter(({ ssm }) =>
      ['CA', 'GT'].includes(`${ssm.reference_allele}${ssm.tumor_allele}`),
    )
    expect(having.length).toBeGreaterThan(10)
    expect(await shownCases(page)).toBe(new Set(having.map((one) => one.case.case_id)).size)
  })

  test('a domain opens the cases with a mutation in it', async () => {
    const { page } = await explorer.lead('#/genes?gene=TP53')
    const domain = page.locator('.picture a[aria-label*="binding domain"], .picture a:has(> rect)')
    const [, from, to] =
      /, (\d+) to (\d+)$/.exec((await domain.first().locator('title').textContent()) ?? '') ?? []
    await domain.first().dispatchEvent('click')
    await settled(page)
    interface Hit {
      readonly case: { readonly case_id: string }
      readonly ssm: {
        readonly consequence: readonly {
          readonly transcript: {
            readonly aa_start?: number
            readonly is_canonical?: boolean
            readonly gene: { readonly symbol: string }
          }
        }[]
      }
    }
    const transcript = 'ssm.consequence.transcript'
    const { data } = await explorer.ask<{ data: { hits: readonly Hit[] } }>('/ssm_occurrences', {
      size: '100000',
      filters: JSON.stringify({
        op: '=',
        content: { field: `${transcript}.gene.symbol`, value: 'TP53' },
      }),
      fields: `case.case_id,${transcript}.aa_start,${transcript}.is_canonical,${transcript}.gene.symbol`,
    })
    const having = data.hits.filter(({ ssm }) =>
      ssm.consequence.some(({ transcript: { aa_start: at = 0, is_canonical, gene } }) => {
        const isThere = at >= Number(from) && at <= Number(to)
        return is_canonical && gene.symbol === 'TP53' && isThere
      }),
    )
    expect(having.length).toBeGreaterThan(10)
    expect(await shownCases(page)).toBe(new Set(having.map((one) => one.case.case_id)).size)
  })

  test('a cell of the grid of genes tells what it is and opens its case, by keys', async () => {
    const { page, complaints } = await explorer.lead(`#/genes?${LUNG_COHORT}&size=25`)
    await page.locator('.grid-scroller').focus()
    await page.keyboard.press('ArrowDown')
    const name = /^\S+ in (\S+) \(.*\): /.exec(await tip(page).innerText())?.[1]
    await page.keyboard.press('ArrowLeft')
    expect(await tip(page).innerText()).toMatch(/^\S+: open the gene$/)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await settled(page)
    expect(await page.evaluate('location.hash')).toMatch(/^#\/case\?/)
    expect(await page.locator('main').innerText()).toContain(name)
    expect(complaints).toEqual([])
  })

  test('a page that a mark opens begins at its top', async () => {
    const { page } = await explorer.lead('#/genes?gene=TP53')
    await page.locator('.picture a').last().scrollIntoViewIfNeeded()
    expect(await page.evaluate('scrollY')).toBeGreaterThan(0)
    await page.locator('.picture a').last().dispatchEvent('click')
    await settled(page)
    expect(await page.evaluate('scrollY')).toBe(0)
  })
}
