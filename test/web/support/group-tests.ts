import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { available } from '../../available.ts'
import { runR } from '../../peers/run-peer.ts'
import { type AskedExplorer, type Counts, numberOf } from './asked-explorer.ts'
import { LUNG, TWO, WOMEN } from './shown-cohorts.ts'

/** A case as the tests of groups read it. */
interface CaseHit {
  readonly case_id: string
  readonly primary_site: string
  readonly available_variation_data?: readonly string[]
  readonly demographic?: { readonly gender?: string }
  readonly diagnoses?: readonly {
    readonly age_at_diagnosis?: number | null
    readonly ajcc_pathologic_stage?: string | null
  }[]
}

const FIELDS = [
  'case_id',
  'primary_site',
  'available_variation_data',
  'demographic.gender',
  'diagnoses.age_at_diagnosis',
  'diagnoses.ajcc_pathologic_stage',
].join()

/** Returns all cases of the demo. */
export async function allCases(explorer: AskedExplorer): Promise<readonly CaseHit[]> {
  interface Answer {
    readonly data: { readonly hits: readonly CaseHit[] }
  }
  return (await explorer.ask<Answer>('/cases', { fields: FIELDS, size: '10000' })).data.hits
}

/** Returns the address of a page with groups. */
export const grouped = (page: string, split: unknown, more = '') =>
  `#/${page}?groups=${encodeURIComponent(JSON.stringify(split))}${more}`

/** Returns the names and numbers of cases in the list of groups. */
export async function groupsOn(page: Page) {
  const texts = await page.locator('.group-list li').allInnerTexts()
  return texts.map((text) => {
    const [, name = '', cases = ''] = /^\s*(.*\S)\s+([\d,]+)\s*$/.exec(text) ?? []
    return [name, numberOf(cases)] as const
  })
}

/**
 * Returns the statistics of R's package survival for groups of cases, in the words of the page: the log-rank
 * test of `survdiff`, and the medians of `survfit` with the hazard ratios of `coxph` to the first group.
 */
export async function statisticsOfR(
  explorer: AskedExplorer,
  groupOf: ReadonlyMap<string, string>,
  order: readonly string[],
): Promise<{ readonly test: string; readonly rows: readonly (readonly string[])[] }> {
  interface Survival {
    readonly results: readonly {
      readonly donors: readonly { id: string; time: number; censored: boolean }[]
    }[]
  }
  const { results } = await explorer.ask<Survival>('/analysis/survival', { filters: '[{}]' })
  const rows = (results[0]?.donors ?? []).flatMap(({ id, time, censored }) => {
    const group = groupOf.get(id)
    return group === undefined ? [] : [`${order.indexOf(group)}\t${time}\t${censored ? 0 : 1}`]
  })
  const script = [
    'library(survival)',
    'd <- read.table(text = commandArgs(TRUE)[1], col.names = c("g", "t", "e"))',
    'd$g <- factor(d$g, sort(unique(d$g)))',
    's <- survdiff(Surv(t, e) ~ g, d); k <- length(s$n) - 1',
    'cat(s$chisq, k, pchisq(s$chisq, k, lower.tail = FALSE), "\\n")',
    'm <- summary(survfit(Surv(t, e) ~ g, d))$table',
    'h <- c(1, exp(coef(coxph(Surv(t, e) ~ g, d))))',
    'for (i in seq_len(k + 1)) cat(m[i, "records"], m[i, "events"], m[i, "median"], h[i], "\\n")',
  ].join('\n')
  const [overall = '', ...groups] = (await runR(script, [rows.join('\n')])).trimEnd().split('\n')
  const [chi = 0, df = 0, p = 0] = overall.trim().split(/\s+/).map(Number)
  const shown = p < 0.001 ? p.toExponential(2) : p.toPrecision(3)
  const degrees = df === 1 ? 'degree' : 'degrees'
  return {
    test: `Log-rank test over ${groups.length} groups: p = ${shown} (χ² = ${chi.toPrecision(4)}, ${df} ${degrees} of freedom)`,
    rows: groups.map((line, index) => {
      const [donors = '', deaths = '', median = '', hazard = ''] = line.trim().split(/\s+/)
      const days = median === 'NA' ? '–' : shownDays(Number(median))
      return [donors, deaths, days, index === 0 ? '–' : Number(hazard).toPrecision(3)]
    }),
  }
}

const shownDays = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 1 })

/** Returns what the page shows of the statistics, in the same form. */
export async function statisticsOn(page: Page) {
  const table = page.locator('main table', { hasText: 'Median (days)' })
  const rows = await table
    .locator('tbody tr')
    .evaluateAll((all) =>
      all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
    )
  return {
    test: await page.locator('.result').innerText(),
    rows: rows.map((cells) => [
      String(numberOf(cells[2] ?? '')),
      String(numberOf(cells[3] ?? '')),
      cells[4] ?? '',
      cells[6] ?? '',
    ]),
  }
}

/** Stages in the order of the AJCC Cancer Staging Manual. */
const STAGES = ['I', 'IA', 'IB', 'II', 'IIA', 'IIB', 'III', 'IIIA', 'IIIB', 'IV', 'IVA', 'IVB']

/** Tests that groups are those that were chosen, that the others are named, and that tests are those of R. */
export function testGroups(explorer: AskedExplorer): void {
  test.skipIf(!available.survival)(
    'survival draws all stages in their order, with the statistics of R',
    async () => {
      const field = 'diagnoses.ajcc_pathologic_stage'
      const { page } = await explorer.lead(`#/survival?by=${field}`)
      const groupOf = new Map<string, string>()
      for (const { case_id, diagnoses = [] } of await allCases(explorer)) {
        for (const { ajcc_pathologic_stage: stage } of diagnoses) {
          if (stage) groupOf.set(case_id, stage)
        }
      }
      const order = STAGES.map((stage) => `Stage ${stage}`)
      const expected = order.map((stage) => [
        stage,
        [...groupOf.values()].filter((one) => one === stage).length,
      ])
      expect(await groupsOn(page)).toEqual(expected)
      expect(await statisticsOn(page)).toEqual(await statisticsOfR(explorer, groupOf, order))
    },
  )

  test('values that are not drawn are named, and others can be chosen', async () => {
    const { page } = await explorer.lead(
      grouped('survival', { by: 'values', field: 'primary_site' }),
    )
    const cases = await allCases(explorer)
    const sites = [...Map.groupBy(cases, ({ primary_site }) => primary_site)].map(
      ([site, some]) => [site, some.length] as const,
    )
    const shown = await groupsOn(page)
    expect(shown).toHaveLength(12)
    const left = await page.locator('.note', { hasText: 'Not among the groups' }).innerText()
    for (const [site, count] of sites) {
      const isDrawn = shown.some(([name, some]) => name === site && some === count)
      expect([site, isDrawn || left.includes(`${site} (${count})`)]).toEqual([site, true])
    }
    const chosen = { by: 'values', field: 'primary_site', values: ['Brain', 'Nowhere'] }
    const { page: other } = await explorer.lead(grouped('survival', chosen))
    expect(await groupsOn(other)).toHaveLength(1)
    expect(await other.locator('.note', { hasText: 'Not among' }).innerText()).toContain(
      'Nowhere (0)',
    )
    await explorer.lead(grouped('survival', { by: 'values', field: 'primary_site' }))
    await page.locator('.group-values').getByLabel('Pancreas').uncheck()
    await page.locator('.group-values').getByLabel('Esophagus').check()
    const names = async () => (await groupsOn(page)).map(([name]) => name)
    await expect.poll(names).toContain('Esophagus')
    expect(await names()).not.toContain('Pancreas')
    await page.getByLabel('All other values as one group').check()
    // The other values take the place of one group.
    const inAll = async () => (await groupsOn(page)).reduce((sum, [, some]) => sum + some, 0)
    await expect.poll(inAll).toBe(cases.length)
    expect(await page.locator('.note', { hasText: 'Not among the groups' }).count()).toBe(0)
  })

  test.skipIf(!available.survival)(
    'cohorts that share cases are not tested until these are left out, and then as in R',
    async () => {
      const { page } = await explorer.lead(`#/survival?${TWO}`)
      const cases = await allCases(explorer)
      const isWoman = ({ demographic }: CaseHit) => demographic?.gender === 'female'
      const isLung = ({ primary_site }: CaseHit) => primary_site === 'Bronchus and lung'
      const both = cases.filter((one) => isWoman(one) && isLung(one)).length
      expect(await page.locator('.result').innerText()).toMatch(
        new RegExp(`^No test: ${both} cases`),
      )
      const note = page.locator('.note', { hasText: 'in several groups' })
      expect(await note.innerText()).toContain(
        `${both} cases are in several groups: Women (${both}), Lung (${both}).`,
      )
      await page.getByRole('button', { name: 'Leave these cases out' }).click()
      const groupOf = new Map(
        cases.flatMap((one) =>
          isWoman(one) === isLung(one)
            ? []
            : [[one.case_id, isWoman(one) ? 'Women' : 'Lung'] as const],
        ),
      )
      await expect.poll(() => page.locator('.result').innerText()).toMatch(/^Log-rank/)
      const { data } = await explorer.ask<Counts>('/cases', { size: '0', filters: WOMEN })
      expect(await groupsOn(page)).toEqual([
        ['Women', data.pagination.total - both],
        ['Lung', cases.filter(isLung).length - both],
      ])
      expect(await statisticsOn(page)).toEqual(
        await statisticsOfR(explorer, groupOf, ['Women', 'Lung']),
      )
    },
  )

  test('a cohort without cases and a thirteenth cohort are named', async () => {
    const none = JSON.stringify({ op: 'in', content: { field: 'primary_site', value: ['none'] } })
    const cohorts = Array.from({ length: 13 }, (_, index) =>
      index === 1 ? `Empty:${none}` : `Lung ${index + 1}:${LUNG}`,
    )
    const query = cohorts.map((one) => `cohort=${encodeURIComponent(one)}`).join('&')
    const { page } = await explorer.lead(`#/survival?${query}`)
    expect(await groupsOn(page)).toHaveLength(12)
    const notes = (await page.locator('.groups .note').allInnerTexts()).join('\n')
    expect(notes).toContain('Without cases: Empty.')
    expect(notes).toMatch(/Not among the groups: Lung 13 \(\d+\)\./)
    // Each of the others has a colour of its own.
    const colours = (await page.evaluate(`[...document.querySelectorAll('.group-list .swatch')].map(
      (one) => getComputedStyle(one).backgroundColor)`)) as readonly string[]
    expect(new Set(colours).size).toBe(12)
  })
}
