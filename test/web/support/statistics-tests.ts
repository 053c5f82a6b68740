import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { available } from '../../available.ts'
import { runR } from '../../peers/run-peer.ts'
import { type AskedExplorer, numberOf } from './asked-explorer.ts'
import { settled } from './see-explorer.ts'
import { LUNG, LUNG_COHORT } from './shown-cohorts.ts'

/** A case with its simple mutations, read from records. */
export interface Mutated {
  readonly id: string
  readonly gender: string
  /** Ages at the diagnoses, in days. */
  readonly ages: readonly number[]
  readonly site: string
  readonly isTested: boolean
  readonly mutations: number
  /** Ids of the mutated genes. */
  readonly genes: ReadonlySet<string>
}

interface Hits<Hit> {
  readonly data: { readonly hits: readonly Hit[] }
}

const SIZE = { size: '100000' }

/** Reads all cases of the demo, and counts their mutations from the occurrences. */
export async function mutatedCases(explorer: AskedExplorer): Promise<readonly Mutated[]> {
  const [cases, occurrences] = await Promise.all([
    explorer.ask<
      Hits<{
        readonly case_id: string
        readonly primary_site: string
        readonly available_variation_data?: readonly string[]
        readonly demographic?: { readonly gender?: string }
        readonly diagnoses?: readonly { readonly age_at_diagnosis?: number | null }[]
      }>
    >('/cases', {
      ...SIZE,
      fields:
        'case_id,primary_site,available_variation_data,demographic.gender,diagnoses.age_at_diagnosis',
    }),
    explorer.ask<
      Hits<{
        readonly case: { readonly case_id: string }
        readonly ssm: {
          readonly consequence?: readonly {
            readonly transcript: { readonly gene?: { readonly gene_id: string } }
          }[]
        }
      }>
    >('/ssm_occurrences', {
      ...SIZE,
      fields: 'case.case_id,ssm.consequence.transcript.gene.gene_id',
    }),
  ])
  const byCase = Map.groupBy(occurrences.data.hits, (hit) => hit.case.case_id)
  return cases.data.hits.map((hit) => {
    const own = byCase.get(hit.case_id) ?? []
    return {
      id: hit.case_id,
      gender: hit.demographic?.gender ?? '',
      ages: (hit.diagnoses ?? []).flatMap(({ age_at_diagnosis: age }) =>
        typeof age === 'number' ? [age] : [],
      ),
      site: hit.primary_site,
      isTested: hit.available_variation_data?.includes('ssm') ?? false,
      mutations: own.length,
      genes: new Set(
        own.flatMap(({ ssm }) =>
          (ssm.consequence ?? []).flatMap(({ transcript }) => transcript.gene?.gene_id ?? []),
        ),
      ),
    }
  })
}

const cellsOf = (page: Page) =>
  page
    .locator('.figure tbody tr')
    .evaluateAll((all) =>
      all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
    )

const shownCases = async (page: Page) =>
  numberOf(await page.locator('.cohort-list .active .count').innerText())

/** Formats a p value as pages do. */
export const shownP = (p: number): string => (p < 0.001 ? p.toExponential(2) : p.toPrecision(3))

/** Gene pairs, mutation burden and two variables, compared with the records and with R. */
export function testStatistics(explorer: AskedExplorer): void {
  test.skipIf(!available.survival)(
    'a pair of genes has the counts of the records and the test of R, and its counts are doors',
    async () => {
      const { page, complaints } = await explorer.lead('#/pairs?genes=TP53,KRAS')
      await page.getByRole('button', { name: 'Table', exact: true }).click()
      const [row = []] = await cellsOf(page)
      const tested = (await mutatedCases(explorer)).filter(({ isTested }) => isTested)
      const count = (first: boolean, second: boolean) =>
        tested.filter(
          ({ genes }) =>
            genes.has('ENSG00000141510') === first && genes.has('ENSG00000133703') === second,
        ).length
      const counts = [count(true, true), count(true, false), count(false, true)]
      const neither = count(false, false)
      expect(row.slice(0, 6)).toEqual(['TP53', 'KRAS', ...[...counts, neither].map(String)])
      const script = [
        'x <- matrix(as.integer(commandArgs(TRUE)), 2)',
        'se <- sqrt(sum(1 / x)); l <- log(x[1, 1] * x[2, 2] / x[1, 2] / x[2, 1])',
        'cat(exp(l + c(0, -1, 1) * qnorm(0.975) * se), fisher.test(x)$p.value)',
      ].join('\n')
      const [ratio = 0, low = 0, high = 0, p = 0] = (
        await runR(script, [...counts, neither].map(String))
      )
        .split(' ')
        .map(Number)
      for (const [place, value] of [ratio, low, high].entries()) {
        expect(Number(row[7 + place])).toBeCloseTo(value, 4)
      }
      // One pair is not adjusted.
      expect(row.slice(10)).toEqual([shownP(p), shownP(p)])
      await page
        .locator('.figure tbody')
        .getByRole('link', { name: String(counts[1]), exact: true })
        .click()
      await settled(page)
      expect(await page.locator('h1').innerText()).toBe('Cohort builder')
      expect(await shownCases(page)).toBe(counts[1])
      expect(complaints).toEqual([])
    },
  )

  test('a mark of a pair tells its cases by keys, and opens them', async () => {
    const { page } = await explorer.lead(`#/pairs?${LUNG_COHORT}`)
    const picture = page.getByRole('group', { name: /^Picture of Which genes/ })
    await picture.focus()
    await page.keyboard.press('ArrowRight')
    const text = await page.locator('.tip:not([hidden])').innerText()
    const cases = /\. ([\d,]+) cases with (both changed|one changed without the other)$/.exec(text)
    expect(cases).not.toBeNull()
    await page.keyboard.press('Enter')
    await settled(page)
    expect(await page.locator('h1').innerText()).toBe('Cohort builder')
    expect(await shownCases(page)).toBe(numberOf(cases?.[1] ?? ''))
  })

  test.skipIf(!available.survival)(
    'the burden of groups has the quartiles of R, and a dot opens its case',
    async () => {
      const groups = encodeURIComponent('{"by":"values","field":"demographic.gender"}')
      const { page, complaints } = await explorer.lead(`#/burden?groups=${groups}`)
      const tested = (await mutatedCases(explorer)).filter(({ isTested }) => isTested)
      const script = 'cat(quantile(as.integer(strsplit(commandArgs(TRUE)[1], " ")[[1]])))'
      const expected = await Promise.all(
        ['female', 'male'].map(async (gender) => {
          const own = tested.filter((one) => one.gender === gender).map((one) => one.mutations)
          const ends = (await runR(script, [own.join(' ')])).split(' ')
          return [gender, String(own.length), ...ends]
        }),
      )
      const table = page.locator('main .table', { hasText: 'Simple mutations per case' })
      const rows = await table
        .locator('tbody tr')
        .evaluateAll((all) =>
          all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
        )
      expect(rows.map(([group, some, , ...ends]) => [group, some, ...ends])).toEqual(expected)
      const figure = page.locator('.figure', { hasText: 'How many mutations do the cases have?' })
      await figure.getByRole('button', { name: 'Table', exact: true }).click()
      const most = Math.max(...tested.map(({ mutations }) => mutations))
      const [first = []] = await cellsOf(page)
      expect(first[4]).toBe(String(most))
      await figure.locator('tbody a').first().click()
      await settled(page)
      expect(await page.locator('h1').innerText()).toBe('Case')
      expect(complaints).toEqual([])
    },
  )

  test.skipIf(!available.survival)(
    'two numbers have the correlations of R, a number and categories its test',
    async () => {
      const site = JSON.parse(LUNG).content.value[0]
      const { page, complaints } = await explorer.lead(
        `#/variables?${LUNG_COHORT}&x=diagnoses.age_at_diagnosis&y=burden`,
      )
      const lung = (await mutatedCases(explorer)).filter(
        (one) => one.isTested && one.site.toLowerCase() === site,
      )
      const aged = lung.filter(({ ages }) => new Set(ages).size === 1)
      const script = [
        'a <- lapply(strsplit(commandArgs(TRUE), " "), as.numeric)',
        'r <- cor.test(a[[1]], a[[2]]); s <- cor.test(a[[1]], a[[2]], method = "spearman", exact = FALSE)',
        'cat(r$estimate, r$p.value, s$estimate, s$p.value)',
      ].join('\n')
      const numbers = [aged.map(({ ages }) => ages[0]), aged.map((one) => one.mutations)]
      const [r = 0, p = 0, rho = 0, q = 0] = (
        await runR(
          script,
          numbers.map((some) => some.join(' ')),
        )
      )
        .split(' ')
        .map(Number)
      const said = await page.locator('.result').innerText()
      expect(said).toContain(`Pearson’s r = ${r.toPrecision(3)} (`)
      expect(said).toContain(`p = ${shownP(p)}; Spearman’s ρ = ${rho.toPrecision(3)}`)
      expect(said).toContain(`p = ${shownP(q)}, ${aged.length} of`)
      await page.getByLabel('First variable').selectOption({ label: 'Gender' })
      await settled(page)
      const women = lung.filter(({ gender }) => gender === 'female')
      const men = lung.filter(({ gender }) => gender === 'male')
      const wilcoxon =
        'a <- lapply(strsplit(commandArgs(TRUE), " "), as.numeric); cat(wilcox.test(a[[1]], a[[2]], exact = FALSE)$p.value)'
      const values = [women, men].map((some) => some.map((one) => one.mutations).join(' '))
      expect(await page.locator('.result').innerText()).toContain(
        `Mann-Whitney test: p = ${shownP(Number(await runR(wilcoxon, values)))}, `,
      )
      const box = page.locator('.picture a').first()
      expect(await box.getAttribute('aria-label')).toMatch(
        new RegExp(`^female: median .*, ${women.length} cases$`),
      )
      expect(complaints).toEqual([])
    },
  )

  test.skipIf(!available.survival)(
    'the mean expression of genes is a variable, whose correlation is that of R',
    async () => {
      const { page, complaints } = await explorer.lead('#/variables?x=burden&y=primary_site')
      await page.getByLabel('Second variable').selectOption({ label: 'Expression of genes' })
      const genes = page.getByLabel('Genes of second variable')
      await genes.fill('EGFR, TP53 NOSUCHGENE')
      await genes.press('Enter')
      await genes.blur()
      await settled(page)
      expect(await page.locator('main .note').allInnerTexts()).toContain(
        'No gene has the symbol or id NOSUCHGENE.',
      )
      const sent = await fetch(`${explorer.server.address}/gene_expression/values`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({
          case_filters: { op: 'not', content: { field: 'cases.case_id', value: 'MISSING' } },
          gene_ids: ['ENSG00000146648', 'ENSG00000141510'],
          tsv_units: 'uqfpkm',
        }),
      })
      const [ids = [], ...values] = (await sent.text())
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t').slice(1))
      const burden = new Map(
        (await mutatedCases(explorer))
          .filter(({ isTested }) => isTested)
          .map(({ id, mutations }) => [id, mutations]),
      )
      const known = [...ids.keys()].filter((place) => burden.has(ids[place] ?? ''))
      const script = [
        'x <- lapply(strsplit(commandArgs(TRUE), " "), as.numeric)',
        'm <- (log2(x[[2]] + 1) + log2(x[[3]] + 1)) / 2',
        'r <- cor.test(x[[1]], m); s <- cor.test(x[[1]], m, method = "spearman", exact = FALSE)',
        'cat(r$estimate, r$p.value, s$estimate, s$p.value)',
      ].join('\n')
      const rows = [
        known.map((place) => burden.get(ids[place] ?? '')),
        ...values.map((row) => known.map((place) => row[place])),
      ]
      const [r = 0, p = 0, rho = 0, q = 0] = (
        await runR(
          script,
          rows.map((row) => row.join(' ')),
        )
      )
        .split(' ')
        .map(Number)
      const said = await page.locator('.result').innerText()
      expect(said).toContain(`Pearson’s r = ${r.toPrecision(3)} (`)
      expect(said).toContain(`p = ${shownP(p)}; Spearman’s ρ = ${rho.toPrecision(3)}`)
      expect(said).toContain(`p = ${shownP(q)}, ${known.length.toLocaleString('en')} of`)
      expect(complaints).toEqual([])
    },
  )

  test('two variables of categories are counted as in the records, and a part opens its cases', async () => {
    const { page } = await explorer.lead('#/variables?x=demographic.gender&y=ssm:TP53')
    const tested = (await mutatedCases(explorer)).filter(({ isTested }) => isTested)
    const count = (gender: string, isMutated: boolean) =>
      tested.filter(
        (one) => one.gender === gender && one.genes.has('ENSG00000141510') === isMutated,
      ).length
    await page.getByRole('button', { name: 'Table', exact: true }).click()
    const rows = (await cellsOf(page)).map(([gender, part, , cases]) => [gender, part, cases])
    expect(rows).toEqual(
      ['female', 'male'].flatMap((gender) => [
        [gender, 'mutated', String(count(gender, true))],
        [gender, 'not mutated', String(count(gender, false))],
      ]),
    )
    await page.getByRole('button', { name: 'Picture', exact: true }).click()
    await page.locator('.picture a').nth(1).focus()
    await page.keyboard.press('Enter')
    await settled(page)
    expect(await shownCases(page)).toBe(count('female', false))
  })
}
