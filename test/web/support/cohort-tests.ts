import { expect, test } from 'vitest'
import { type AskedExplorer, type Counts, numberOf } from './asked-explorer.ts'
import { goTo, settled } from './see-explorer.ts'
import { LUNG, LUNG_COHORT, TWO, WOMEN } from './shown-cohorts.ts'

interface Histograms {
  readonly data: {
    readonly aggregations: Readonly<
      Record<string, { readonly histogram: Counts['data']['aggregations'][string] }>
    >
  }
}

/** Tests of cohorts: cards, years, comparison and sets. */
export function testCohorts(explorer: AskedExplorer): void {
  const { demo } = explorer

  test('cards follow the cohort, the address keeps it, and the way back undoes a step', async () => {
    const { page } = await explorer.lead('#/cohort')
    const card = page.getByRole('region', { name: 'Gender' })
    await page.getByRole('region', { name: 'Primary site' }).getByLabel('breast').check()
    await settled(page)
    const filters = JSON.stringify({
      op: 'in',
      content: { field: 'primary_site', value: ['breast'] },
    })
    const { data } = await explorer.ask<Counts>('/cases', {
      size: '0',
      filters,
      facets: 'demographic.gender',
    })
    const expected = data.aggregations['demographic.gender']?.buckets.map(
      ({ key, doc_count }) => `${key} ${doc_count}`,
    )
    const shown = async () =>
      (await card.locator('label').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim())
    await expect.poll(shown).toEqual(expected)
    expect(numberOf(await page.locator('.cohort-list .count').innerText())).toBe(
      data.pagination.total,
    )
    // Another page keeps the cohort, and a copied link shows the same.
    await page.getByRole('link', { name: 'Files' }).click()
    expect(await page.locator('.chip-text').innerText()).toBe('Primary site: Breast')
    const link = page.url()
    await page.goBack()
    await page.goBack()
    await expect.poll(() => page.locator('.chip').count()).toBe(0)
    const other = await demo.browser.newPage()
    await other.goto(link)
    expect(await other.locator('.chip-text').innerText()).toBe('Primary site: Breast')
    await other.close()
  })

  test('a bar of a histogram of dates is a year of the cohort, and years are typed', async () => {
    const { page } = await explorer.lead('#/cohort')
    const name = 'created_datetime'
    const { data } = await explorer.ask<Histograms>('/cases', {
      size: '0',
      histograms: `${name}:year`,
    })
    const { buckets = [] } = data.aggregations[name]?.histogram ?? {}
    const [first, second, third] = buckets
    const card = page.getByRole('region', { name: 'Created datetime', exact: true })
    const total = async () => numberOf(await page.locator('.cohort-list .count').innerText())
    await card.getByRole('button', { name: `${second?.key}: ${second?.doc_count} records` }).click()
    await expect.poll(total).toBe(second?.doc_count)
    expect(await page.locator('.chip-text').innerText()).toBe(`Created datetime: ${second?.key}`)
    const end = card.getByLabel('to', { exact: true })
    await end.fill(third?.key ?? '')
    await end.press('Enter')
    await expect.poll(total).toBe((second?.doc_count ?? 0) + (third?.doc_count ?? 0))
    // An invalid year is not sent.
    await end.fill('20')
    await end.press('Enter')
    await settled(page)
    const words = `Created datetime: ${second?.key} to ${third?.key}`
    expect(await page.locator('.chip-text').innerText()).toBe(words)
    // The card still shows the other years.
    const bar = card.getByRole('button', { name: `${first?.key}: ${first?.doc_count} records` })
    expect(await bar.isVisible()).toBe(true)
  })

  test('cards have stages in their order and genes in capitals, and tell what misses a value', async () => {
    const stage = 'diagnoses.ajcc_pathologic_stage'
    const symbol = 'ssms.consequence.transcript.gene.symbol'
    const { page } = await explorer.lead(`#/cohort?fields=${stage},${symbol}`)
    const card = page.getByRole('region', { name: 'AJCC stage' })
    await card.getByRole('button', { name: 'All 12' }).click()
    const shown = () => card.locator('.value').allInnerTexts()
    const numbers = ['I', 'IA', 'IB', 'II', 'IIA', 'IIB', 'III', 'IIIA', 'IIIB', 'IV', 'IVA', 'IVB']
    await expect.poll(shown).toEqual(numbers.map((number) => `Stage ${number}`))
    const genes = page.getByRole('region', { name: 'Mutated gene' })
    await expect.poll(() => genes.locator('.value').first().innerText()).toBe('TP53')
    interface Staged {
      readonly data: { readonly hits: readonly { readonly diagnoses?: readonly unknown[] }[] }
    }
    const { data } = await explorer.ask<Staged>('/cases', {
      fields: `diagnoses.diagnosis_id,${stage}`,
      size: '10000',
    })
    const lacks = (one: unknown) =>
      Reflect.get(one as object, 'ajcc_pathologic_stage') === undefined
    const lacking = data.hits.filter(({ diagnoses = [] }) => diagnoses.some(lacks)).length
    expect(await card.locator('.soft').last().innerText()).toBe(
      `${lacking} cases without it in all or some of their diagnoses`,
    )
  })

  test('two cohorts are compared by the cases that each has', async () => {
    interface Ids {
      readonly data: {
        readonly hits: readonly { readonly case_id: string; readonly primary_site: string }[]
      }
    }
    const fields = 'case_id,primary_site'
    const [women = [], lung = []] = await Promise.all(
      [WOMEN, LUNG].map(
        async (filters) =>
          (await explorer.ask<Ids>('/cases', { filters, fields, size: '5000' })).data.hits,
      ),
    )
    const ofLung = new Set(lung.map(({ case_id }) => case_id))
    const both = women.filter(({ case_id }) => ofLung.has(case_id)).length
    const { page } = await explorer.lead(`#/compare?${TWO}&by=primary_site`)
    const rowsOf = async (title: string) => {
      const figure = page.locator('.figure', { has: page.getByRole('heading', { name: title }) })
      await figure.getByRole('button', { name: 'Table', exact: true }).click()
      const more = figure.getByRole('button', { name: /^Show more/ })
      while (await more.isVisible()) await more.click()
      return figure
        .locator('tbody tr')
        .evaluateAll((all) =>
          all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
        )
    }
    const [overlap = []] = await rowsOf('Which cases do they share?')
    expect([...overlap.slice(0, 2), ...overlap.slice(2).map(numberOf)]).toEqual([
      ...['Women', 'Lung', women.length - both, both, lung.length - both],
    ])
    // A cohort defined by this field has only its own values.
    const sides = await rowsOf('Primary site side by side')
    const shown = new Map(
      sides.map(([site, name, cases = '']) => [`${name} ${site}`, numberOf(cases)]),
    )
    const sites = Map.groupBy(women, ({ primary_site }) => primary_site)
    for (const [site, cases] of sites) expect(shown.get(`Women ${site}`)).toBe(cases.length)
    expect([...shown].filter(([name, cases]) => name.startsWith('Lung') && cases > 0)).toEqual([
      ['Lung Bronchus and lung', lung.length],
    ])
    // Women with lung tumours are in both cohorts.
    expect(await page.locator('.result').innerText()).toMatch(
      new RegExp(`^No test: ${both} cases are in several groups`),
    )
  })

  test('cohorts are saved as sets, combined, and filter as their cases do', async () => {
    const { page, complaints } = await explorer.lead(`#/compare?${TWO}`)
    const [women, lung] = [WOMEN, LUNG].map((filter) => JSON.parse(filter) as unknown)
    const totalOf = async (...content: readonly unknown[]) => {
      const filters = JSON.stringify({ op: 'and', content })
      return (await explorer.ask<Counts>('/cases', { size: '0', filters })).data.pagination.total
    }
    const [ofWomen, ofLung, both] = await Promise.all([
      totalOf(women),
      totalOf(lung),
      totalOf(women, lung),
    ])
    const count = async () =>
      numberOf(await page.locator('.cohort-list .active .count').innerText())
    const section = page.locator('section', {
      has: page.getByRole('heading', { name: 'Make a set of them' }),
    })
    // Each button makes a new cohort, after which the first two are requested again.
    for (const [button, cases] of [
      ['In any of them', ofWomen + ofLung - both],
      ['In all of them', both],
      ['In the first alone', ofWomen - both],
    ] as const) {
      await goTo(page, `#/compare?${TWO}`)
      await section.getByRole('button', { name: button }).click()
      await expect.poll(count).toBe(cases)
      const parts = await section
        .locator('tbody tr')
        .evaluateAll((all) =>
          all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
        )
      expect(
        parts.map(([within, outside, size]) => [within, outside, numberOf(size ?? '')]),
      ).toEqual([
        ['Women', 'Lung', ofWomen - both],
        ['Lung', 'Women', ofLung - both],
        ['Women, Lung', '', both],
      ])
    }
    // A set also filters other pages, and can be saved from a cohort of values.
    await goTo(page, `#/files?${LUNG_COHORT}`)
    const found = () => page.locator('.cart h2').innerText()
    const files = await found()
    await page.getByRole('button', { name: 'Save as a set' }).click()
    // The set has as many cases as the cohort, so only its condition shows which of them applies.
    const chip = () => page.locator('.chip-text').innerText()
    await expect.poll(chip).toMatch(/^Case id: set [0-9a-f]{6}…$/)
    await expect.poll(count).toBe(ofLung)
    await settled(page)
    expect(await found()).toBe(files)
    expect(complaints).toEqual([])
  })
}
