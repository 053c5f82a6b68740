import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { available } from '../available.ts'
import { DemoInBrowser } from './support/demo-in-browser.ts'
import { settled } from './support/see-explorer.ts'

// The pages of genes with the demo, in a browser. Numbers are compared with those counted here in the records of
// cases and occurrences.

const LUNG = JSON.stringify({
  op: 'in',
  content: { field: 'primary_site', value: ['bronchus and lung'] },
})
const LUNG_COHORT = `cohort=${encodeURIComponent(`Lung:${LUNG}`)}`

describe.skipIf(!available.chromium)('genes in the explorer', () => {
  const demo = new DemoInBrowser()
  const { server } = demo

  beforeAll(() => demo.start())
  afterAll(() => demo[Symbol.asyncDispose]())

  const see = (fragment: string) => demo.see(fragment)

  /** The interface's JSON answer. */
  async function ask<Answer>(path: string, query: Readonly<Record<string, string>>) {
    const response = await fetch(`${server.address}${path}?${new URLSearchParams(query)}`)
    expect(response.status).toBe(200)
    return (await response.json()) as Answer
  }

  const numberOf = (text: string) => Number(text.replaceAll(',', ''))

  interface Found {
    readonly data: { readonly hits: readonly Readonly<Record<string, unknown>>[] }
  }

  /** Returns the values at a path, through arrays. */
  function at(value: unknown, path: string): unknown[] {
    if (Array.isArray(value)) return value.flatMap((one) => at(one, path))
    if (path === '') return [value]
    const [name = '', ...rest] = path.split('.')
    const inner = (value as Readonly<Record<string, unknown>> | null)?.[name]
    return inner === undefined || inner === null ? [] : at(inner, rest.join('.'))
  }

  /** Cases of the lung, with the mutations and copy numbers in their records. */
  async function lungRecords() {
    const all = async (path: string, fields: string, field: string) => {
      const filters = JSON.stringify({ op: '=', content: { field, value: 'bronchus and lung' } })
      const answer = await ask<Found>(path, { size: '10000', fields, filters })
      return answer.data.hits
    }
    const gene = 'consequence.transcript.gene.symbol'
    const [cases, mutations, copies] = await Promise.all([
      all('/cases', 'case_id,submitter_id,available_variation_data', 'primary_site'),
      all('/ssm_occurrences', `case.case_id,ssm.ssm_id,ssm.${gene}`, 'case.primary_site'),
      all(
        '/cnv_occurrences',
        'case.case_id,cnv.cnv_change_5_category,cnv.consequence.gene.symbol',
        'case.primary_site',
      ),
    ])
    const casesOf = (occurrences: typeof mutations, path: string) =>
      Map.groupBy(
        occurrences.flatMap((one) =>
          [...new Set(at(one, path))].map((symbol) => `${symbol} ${at(one, 'case.case_id')[0]}`),
        ),
        (pair) => pair.split(' ')[0],
      )
    const tested = cases.filter((one) => at(one, 'available_variation_data').includes('ssm')).length
    return {
      cases,
      mutations,
      copies,
      tested,
      mutated: new Map(
        [...casesOf(mutations, `ssm.${gene}`)].map(([symbol, pairs]) => [
          symbol,
          new Set(pairs).size,
        ]),
      ),
    }
  }

  /** The texts of the cells of a table's rows. */
  const cellsOf = (page: Page, figure: string) =>
    page
      .locator('.figure', { has: page.getByRole('heading', { name: figure }) })
      .locator('tbody tr')
      .evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
      )

  const openTable = (page: Page, figure: string) =>
    page
      .locator('.figure', { has: page.getByRole('heading', { name: figure }) })
      .getByRole('button', { name: 'Table', exact: true })
      .click()

  test('genes shows the mutated ones as the records have them, with the planted ones first', async () => {
    const { page } = await see(`#/genes?${LUNG_COHORT}`)
    const { tested, mutated } = await lungRecords()
    await openTable(page, 'Which genes are mutated most?')
    const shown = await cellsOf(page, 'Which genes are mutated most?')
    expect(shown).toHaveLength(20)
    for (const [symbol = '', , cases, of] of shown) {
      expect([symbol, Number(cases), Number(of)]).toEqual([symbol, mutated.get(symbol), tested])
    }
    // The demo plants these in half, three tenths and two tenths of the cases, and all others in less than a tenth.
    expect(shown.slice(0, 3).map(([symbol]) => symbol)).toEqual(['TP53', 'KRAS', 'EGFR'])
    expect(Number(shown[3]?.at(-1))).toBeLessThan(0.1)
    await page.context().close()
  })

  test('the grid has the mutations and copy numbers of each case, and opens genes and cases', async () => {
    const { page } = await see(`#/genes?${LUNG_COHORT}&size=25`)
    const { cases, mutations, copies } = await lungRecords()
    await openTable(page, 'Which cases have which changes?')
    await page.getByRole('button', { name: /^Show more/ }).click()
    const shown = await cellsOf(page, 'Which cases have which changes?')
    expect(shown.length).toBeGreaterThan(200)
    const idOf = new Map(cases.map((one) => [one.submitter_id, one.case_id]))
    for (const [symbol = '', name, count, , copied] of shown) {
      const isOf = (one: unknown, path: string) =>
        at(one, 'case.case_id')[0] === idOf.get(name) && at(one, path).includes(symbol)
      const own = mutations.filter((one) => isOf(one, 'ssm.consequence.transcript.gene.symbol'))
      const changes = copies
        .filter((one) => isOf(one, 'cnv.consequence.gene.symbol'))
        .flatMap((one) => at(one, 'cnv.cnv_change_5_category'))
      expect([symbol, name, Number(count), copied?.split(', ').filter(Boolean).sort()]).toEqual([
        ...[symbol, name, own.length],
        [...new Set(changes)].sort(),
      ])
    }
    await page.getByRole('button', { name: 'Picture', exact: true }).last().click()
    const canvas = page.locator('.grid-scroller canvas')
    const [first = []] = shown
    // The first gene is below the tracks, its name on the left, followed by the first case.
    const y = (await page.locator('.legend > div').count()) * 16 - 16
    await canvas.hover({ position: { x: 130, y } })
    await expect
      .poll(() => page.locator('.tip:not([hidden])').innerText())
      .toContain(`${first[0]} in ${first[1]} (`)
    await canvas.click({ position: { x: 130, y } })
    await page.getByRole('heading', { name: String(first[1]), exact: true }).waitFor()
    await page.goBack()
    await page.locator('.grid-scroller').waitFor()
    await settled(page)
    await canvas.click({ position: { x: 110, y } })
    await page.getByRole('heading', { name: 'TP53, tumour protein p53' }).waitFor()
    await page.context().close()
  })

  test('a gene shows its mutations, projects and copy numbers as the records have them', async () => {
    const { page } = await see(`#/genes?${LUNG_COHORT}&gene=TP53`)
    const { cases, mutations, copies, tested, mutated } = await lungRecords()
    expect(await page.locator('.result').innerText()).toContain(
      `Mutated in ${mutated.get('TP53')} of ${tested} tested cases`,
    )
    await openTable(page, 'Mutations along the protein')
    const shown = await cellsOf(page, 'Mutations along the protein')
    const own = mutations.filter((one) =>
      at(one, 'ssm.consequence.transcript.gene.symbol').includes('TP53'),
    )
    const byId = Map.groupBy(own, (one) => at(one, 'ssm.ssm_id')[0])
    expect(shown.length).toBeGreaterThan(10)
    for (const row of shown) {
      expect([row.at(-1), Number(row.at(-2))]).toEqual([row.at(-1), byId.get(row.at(-1))?.length])
    }
    const [change = '', , , residue] = shown.find(([text]) => /^[A-Z]\d+/.test(text ?? '')) ?? []
    expect(Number(residue)).toBe(Number(/\d+/.exec(change)?.[0]))
    await openTable(page, 'Copy numbers of TP53')
    const counted = (await cellsOf(page, 'Copy numbers of TP53')).map(([name, count]) => [
      ...[name, Number(count)],
    ])
    const changes = copies
      .filter((one) => at(one, 'cnv.consequence.gene.symbol').includes('TP53'))
      .flatMap((one) => at(one, 'cnv.cnv_change_5_category'))
    const expected = [...Map.groupBy(changes, (text) => text)].map(([text, { length }]) => [
      ...[text, length],
    ])
    expect(counted.sort()).toEqual(expected.sort())
    // A single click makes a cohort of the mutated cases.
    await page.getByRole('button', { name: /^Cohort of the/ }).click()
    const ids = new Set(own.map((one) => at(one, 'case.case_id')[0]))
    await expect
      .poll(() => page.locator('.cohort-list .active .count').innerText())
      .toBe(String(ids.size))
    expect(ids.size).toBeLessThan(cases.length)
    await page.context().close()
  })

  test('cohorts are compared by the shares of their cases', async () => {
    const { page } = await see(`#/genes?${LUNG_COHORT}&cohort=All`)
    const { tested, mutated } = await lungRecords()
    await openTable(page, 'Which genes are mutated in which group?')
    const shown = await cellsOf(page, 'Which genes are mutated in which group?')
    const lung = shown.filter((row) => row[2] === 'Lung')
    expect(lung.length).toBeGreaterThan(5)
    for (const [symbol = '', , , cases, of] of lung) {
      expect([symbol, Number(cases), numberOf(of ?? '')]).toEqual([
        ...[symbol, mutated.get(symbol) ?? 0, tested],
      ])
    }
    await page.context().close()
  })
})
