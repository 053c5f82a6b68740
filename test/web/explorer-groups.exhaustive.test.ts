import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { available } from '../available.ts'
import { runR } from '../peers/run-peer.ts'
import { AskedExplorer } from './support/asked-explorer.ts'
import { barriers } from './support/browser.ts'
import { allCases, grouped, groupsOn, statisticsOfR, statisticsOn } from './support/group-tests.ts'
import { settled } from './support/see-explorer.ts'
import { LUNG_COHORT } from './support/shown-cohorts.ts'

// Groups of cases made in all ways, in a browser. Their members are found here from the records, and their
// statistics in R.

describe.skipIf(!available.chromium)('groups', () => {
  const explorer = new AskedExplorer()
  beforeAll(() => explorer.start(), 120_000)
  afterAll(() => explorer[Symbol.asyncDispose]())

  /** Posts to the service. */
  async function posted(path: string, body: unknown): Promise<string> {
    const headers = { 'Content-Type': 'application/json' }
    const sent = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await fetch(`${explorer.server.address}${path}`, sent)).text()
  }

  const byGene = (field: string, gene: string) =>
    JSON.stringify({ op: 'in', content: { field, value: [gene] } })

  test.skipIf(!available.survival)(
    'thirds by expression are those of R, and their survival is, too',
    async () => {
      const gene = 'ENSG00000146648'
      const { page } = await explorer.lead(
        grouped('survival', { by: 'expression', gene: 'EGFR', parts: 3 }),
      )
      const everyCase = { op: 'not', content: { field: 'cases.case_id', value: 'MISSING' } }
      const table = await posted('/gene_expression/values', {
        case_filters: everyCase,
        gene_ids: [gene],
        tsv_units: 'uqfpkm',
      })
      const [ids = [], values = []] = table
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t').slice(1))
      const script = [
        'x <- log2(scan(text = commandArgs(TRUE)[1], sep = "\\t", quiet = TRUE) + 1)',
        'q <- quantile(x, 1:2 / 3, na.rm = TRUE)',
        'cat(sprintf("%.2f", q), "\\n")',
        'cat(ifelse(is.na(x), 0, as.integer(cut(x, c(-Inf, q, Inf)))))',
      ].join('\n')
      const [cuts = '', groups = ''] = (await runR(script, [values.join('\t')])).split('\n')
      const [low, high] = cuts.trim().split(/\s+/)
      const names = [`EGFR to ${low}`, `EGFR above ${low} to ${high}`, `EGFR above ${high}`]
      const places = groups.split(' ').map(Number)
      const groupOf = new Map(
        ids.flatMap((id, place) => {
          const name = names[(places[place] ?? 0) - 1]
          return name === undefined ? [] : [[id, name] as const]
        }),
      )
      const sizes = names.map((name) => [
        name,
        [...groupOf.values()].filter((one) => one === name).length,
      ])
      expect(await groupsOn(page)).toEqual(sizes)
      expect(await statisticsOn(page)).toEqual(await statisticsOfR(explorer, groupOf, names))
    },
  )

  test.skipIf(!available.survival)(
    'cases with and without a mutation are compared if they were tested, in a cohort by another gene',
    async () => {
      const field = 'ssms.consequence.transcript.gene.symbol'
      const kras = byGene(field, 'KRAS')
      const { page } = await explorer.lead(
        grouped(
          'survival',
          { by: 'mutated', gene: 'TP53' },
          `&cohort=${encodeURIComponent(`KRAS:${kras}`)}`,
        ),
      )
      const mutated = async (gene: string) => {
        const { data } = await explorer.ask<{
          readonly data: {
            readonly hits: readonly { readonly case: { readonly case_id: string } }[]
          }
        }>('/ssm_occurrences', {
          filters: byGene('ssm.consequence.transcript.gene.symbol', gene),
          fields: 'case.case_id',
          size: '10000',
        })
        return new Set(data.hits.map((one) => one.case.case_id))
      }
      const [ofKras, ofTp53] = await Promise.all([mutated('KRAS'), mutated('TP53')])
      const names = ['TP53 mutated', 'TP53 not mutated']
      const groupOf = new Map(
        [...ofKras].map((id) => [id, names[ofTp53.has(id) ? 0 : 1] ?? ''] as const),
      )
      expect(await groupsOn(page)).toEqual(
        names.map((name) => [name, [...groupOf.values()].filter((one) => one === name).length]),
      )
      expect(await statisticsOn(page)).toEqual(await statisticsOfR(explorer, groupOf, names))
    },
  )

  test('groups by copy number have the cases with each change, and the tested ones without', async () => {
    const { page } = await explorer.lead(grouped('survival', { by: 'copies', gene: 'MYC' }))
    const { data } = await explorer.ask<{
      readonly data: {
        readonly hits: readonly {
          readonly case: { readonly case_id: string }
          readonly cnv: { readonly cnv_change_5_category: string }
        }[]
      }
    }>('/cnv_occurrences', {
      filters: byGene('cnv.consequence.gene.symbol', 'MYC'),
      fields: 'case.case_id,cnv.cnv_change_5_category',
      size: '10000',
    })
    const changes = Map.groupBy(data.hits, ({ cnv }) => cnv.cnv_change_5_category)
    const count = (change: string) =>
      new Set(changes.get(change)?.map((one) => one.case.case_id)).size
    const changed = new Set(data.hits.map((one) => one.case.case_id))
    const cases = await allCases(explorer)
    const tested = cases.filter((one) => one.available_variation_data?.includes('cnv'))
    expect(await groupsOn(page)).toEqual([
      ['MYC homozygous deletion', count('Homozygous Deletion')],
      ['MYC loss', count('Loss')],
      ['MYC no change', tested.filter(({ case_id }) => !changed.has(case_id)).length],
      ['MYC gain', count('Gain')],
      ['MYC amplification', count('Amplification')],
    ])
    expect(await page.locator('.groups .note').innerText()).toContain(
      `Not tested for copy-number changes (${cases.length - tested.length})`,
    )
  })

  test('ranges and quantiles of ages have the cases of some diagnosis in them', async () => {
    const cases = await allCases(explorer)
    const field = 'diagnoses.age_at_diagnosis'
    const ages = cases.map(({ diagnoses = [] }) =>
      diagnoses.flatMap(({ age_at_diagnosis: age }) => (typeof age === 'number' ? [age] : [])),
    )
    const having = (isIn: (age: number) => boolean) => ages.filter((some) => some.some(isIn)).length
    const { page } = await explorer.lead(
      grouped('survival', { by: 'ranges', field, cuts: [50, 70] }),
    )
    const [low, high] = [50 * 365.25, 70 * 365.25]
    expect(await groupsOn(page)).toEqual([
      ['below 50 years', having((age) => age < low)],
      ['from 50 to below 70 years', having((age) => age >= low && age < high)],
      ['from 70 years', having((age) => age >= high)],
    ])
    const firsts = ages.flatMap(([first]) => (first === undefined ? [] : [first]))
    const script = 'cat(quantile(scan(text = commandArgs(TRUE)[1], quiet = TRUE), 1:3 / 4))'
    const [q1 = 0, q2 = 0, q3 = 0] = (await runR(script, [firsts.join(' ')])).split(' ').map(Number)
    await page.getByLabel('Groups', { exact: true }).selectOption('quantiles')
    await page.getByLabel('Groups of equal size').selectOption('4')
    await expect
      .poll(async () => (await groupsOn(page)).map(([, some]) => some))
      .toEqual([
        having((age) => age <= q1),
        having((age) => age > q1 && age <= q2),
        having((age) => age > q2 && age <= q3),
        having((age) => age > q3),
      ])
  })

  test('a cohort is compared with all other cases', async () => {
    const { page } = await explorer.lead(grouped('survival', { by: 'others' }, `&${LUNG_COHORT}`))
    const cases = await allCases(explorer)
    const lung = cases.filter(({ primary_site }) => primary_site === 'Bronchus and lung').length
    expect(await groupsOn(page)).toEqual([
      ['Lung', lung],
      ['Not Lung', cases.length - lung],
    ])
  })

  test('groups follow to other pages, become cohorts, and have no barriers', async () => {
    const { page, complaints } = await explorer.lead(
      grouped('survival', { by: 'mutated', gene: 'TP53' }, `&${LUNG_COHORT}`),
    )
    expect(await barriers(page)).toEqual([])
    const groups = await groupsOn(page)
    await page.getByRole('link', { name: 'Compare cohorts' }).click()
    await settled(page)
    expect(await groupsOn(page)).toEqual(groups)
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Make them the cohorts' }).click()
    await settled(page)
    const names = await page.locator('.cohort-list a').allInnerTexts()
    expect(names.map((name) => name.replace(/\s+/g, ' ').trim())).toEqual(
      groups.map(([name, some]) => `${name} ${some.toLocaleString('en')}`),
    )
    expect(complaints).toEqual([])
  })

  test('what cannot be split is explained', async () => {
    for (const [split, words] of [
      [{ by: 'mutated', gene: 'NOGENE' }, 'No gene has the symbol or id NOGENE.'],
      [{ by: 'values', field: 'diagnoses.age_at_diagnosis' }, 'holds numbers'],
      [{ by: 'ranges', field: 'diagnoses.age_at_diagnosis', cuts: [] }, 'Type the cuts'],
      [{ by: 'quantiles', field: 'diagnoses.tumor_burden', parts: 2 }, 'No case has a number'],
    ] as const) {
      const { page } = await explorer.lead(grouped('survival', split))
      expect(await page.locator('main [role=alert]').innerText()).toContain(words)
    }
  })
})
