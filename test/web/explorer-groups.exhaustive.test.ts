import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { available } from '../available.ts'
import { runR } from '../peers/run-peer.ts'
import { AskedExplorer, numberOf } from './support/asked-explorer.ts'
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

  test('one change of a protein makes a group', async () => {
    const { page } = await explorer.lead(grouped('survival', { by: 'mutated', gene: 'TP53' }))
    interface Occurrence {
      readonly case: { readonly case_id: string }
      readonly ssm: {
        readonly consequence: readonly {
          readonly transcript: {
            readonly aa_change?: string | null
            readonly gene: { readonly symbol: string }
          }
        }[]
      }
    }
    const { data } = await explorer.ask<{
      readonly data: { readonly hits: readonly Occurrence[] }
    }>('/ssm_occurrences', {
      filters: byGene('ssm.consequence.transcript.gene.symbol', 'TP53'),
      fields:
        'case.case_id,ssm.consequence.transcript.aa_change,ssm.consequence.transcript.gene.symbol',
      size: '10000',
    })
    const changes = data.hits.flatMap((hit) =>
      hit.ssm.consequence.flatMap(({ transcript: { aa_change: change, gene } }) =>
        change && gene.symbol === 'TP53' ? [[change, hit.case.case_id] as const] : [],
      ),
    )
    const byChange = [...Map.groupBy(changes, ([change]) => change)]
      .map(([change, some]) => [change, new Set(some.map(([, id]) => id)).size] as const)
      .toSorted(([, one], [, other]) => other - one)
    const [change = '', having = 0] = byChange[0] ?? []
    const tested = (await allCases(explorer)).filter((one) =>
      one.available_variation_data?.includes('ssm'),
    ).length
    await page.getByLabel('Protein change').fill(`p.${change}`)
    await page.getByLabel('Protein change').press('Enter')
    await expect
      .poll(() => groupsOn(page))
      .toEqual([
        [`TP53 ${change}`, having],
        [`TP53 not ${change}`, tested - having],
      ])
  })

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
    await page.locator('.controls select').first().selectOption('quantiles')
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

  test('pasted ids and barcodes make a cohort, and what is not found or doubled is named', async () => {
    interface Found {
      readonly data: {
        readonly hits: readonly {
          readonly case_id: string
          readonly submitter_id: string
          readonly samples: readonly { readonly submitter_id: string }[]
        }[]
      }
    }
    const { data } = await explorer.ask<Found>('/cases', {
      fields: 'case_id,submitter_id,samples.submitter_id',
      filters: JSON.stringify({
        op: 'not',
        content: { field: 'samples.sample_id', value: 'MISSING' },
      }),
      size: '4',
    })
    const [one, two, three, four] = data.hits
    const { page } = await explorer.lead('#/survival')
    await page.getByText('Paste ids', { exact: true }).click()
    const ids = [
      one?.case_id,
      two?.submitter_id,
      two?.submitter_id,
      three?.samples[0]?.submitter_id,
    ]
    await page
      .getByLabel('Ids or barcodes of cases')
      .fill(`"${ids.join('", "')}"\nNOT-A-CASE; ${four?.case_id} ${four?.submitter_id}`)
    await page.getByRole('button', { name: 'Make a cohort of them' }).click()
    const report = page.locator('.paste .note')
    await report.waitFor()
    const lines = (await report.innerText()).split('\n').filter((line) => line !== '')
    expect(lines).toEqual([
      '5 of 6 different ids name 4 cases.',
      'Not found (1): NOT-A-CASE.',
      `More than once in the list (1): ${two?.submitter_id}.`,
      '1 id names a case that another id names, too.',
    ])
    const active = () => page.locator('.cohort-list .active').innerText()
    await expect
      .poll(async () => (await active()).replace(/\s+/g, ' ').trim())
      .toBe('Pasted cases 4')
    // Its negation is all other cases.
    await page.getByRole('button', { name: 'Add all other cases' }).click()
    const cases = await allCases(explorer)
    await expect
      .poll(async () => (await active()).replace(/\s+/g, ' ').trim())
      .toBe(`Not Pasted cases ${(cases.length - 4).toLocaleString('en')}`)
  })

  /** Returns the cells of the rows of a figure's table. */
  async function tableOf(page: Page, title: string): Promise<readonly (readonly string[])[]> {
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

  test('a set of a file in GMT is chosen, and what is beyond the limit of genes is told', async () => {
    const { page, complaints } = await explorer.lead(
      grouped('survival', { by: 'gene-set', genes: [], parts: 2 }),
    )
    const many = Array.from({ length: 600 }, (_, gene) => `G${gene}`)
    const lines = [
      ['FEW', 'na', 'TP53', 'KRAS'],
      ['OTHER', 'na', 'EGFR'],
      ['MANY', 'na', ...many],
    ]
    await page.getByLabel('or a file (GMT)').setInputFiles({
      name: 'sets.gmt',
      mimeType: 'text/plain',
      buffer: Buffer.from(lines.map((line) => `${line.join('\t')}\n`).join('')),
    })
    const sets = page.getByLabel('Set of the file')
    await sets.waitFor()
    expect(await sets.locator('option').allInnerTexts()).toEqual([
      'FEW (2 genes)',
      'OTHER (1 gene)',
      'MANY (600 genes)',
    ])
    await expect
      .poll(() => page.getByLabel('Genes', { exact: true }).inputValue())
      .toBe('TP53, KRAS')
    await sets.selectOption('OTHER (1 gene)')
    await expect.poll(() => page.getByLabel('Genes', { exact: true }).inputValue()).toBe('EGFR')
    await settled(page)
    expect(await page.locator('main').innerText()).toMatch(/OTHER (to|above)/)
    await sets.selectOption('MANY (600 genes)')
    await page.getByText('The first 500 of 600 genes count.').waitFor()
    expect(complaints).toEqual([])
  })

  const GENDER = { by: 'values', field: 'demographic.gender' }

  test('expression shows the values of each group', async () => {
    const { page } = await explorer.lead(
      grouped('expression', GENDER, `&genes=EGFR&${LUNG_COHORT}`),
    )
    const cases = await allCases(explorer)
    const lung = cases.filter(({ primary_site }) => primary_site === 'Bronchus and lung')
    const table = await posted('/gene_expression/values', {
      case_ids: lung.map(({ case_id }) => case_id),
      gene_ids: ['ENSG00000146648'],
      tsv_units: 'uqfpkm',
    })
    const [ids = [], values = []] = table
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t').slice(1))
    const genderOf = new Map(lung.map((one) => [one.case_id, one.demographic?.gender]))
    const expected = ids.map((id, place) => [
      id,
      genderOf.get(id),
      Math.log2(Number(values[place]) + 1).toFixed(3),
    ])
    const shown = await tableOf(page, 'EGFR by group')
    const rounded = shown.map(([id, group, value]) => [id, group, Number(value).toFixed(3)])
    expect(rounded.toSorted()).toEqual(expected.toSorted())
    expect(shown.length).toBeGreaterThan(10)
  })

  test('two groups are compared by their genes, one with the other', async () => {
    const { page } = await explorer.lead(grouped('differential', GENDER))
    const among = (value: string) => ({
      op: 'in',
      content: { field: 'cases.demographic.gender', value: [value] },
    })
    const answer = await posted('/gene_expression/differential', {
      case_filters: among('female'),
      other_case_filters: among('male'),
    })
    const { genes } = JSON.parse(answer) as {
      readonly genes: readonly { readonly gene_id: string; readonly p_value: number }[]
    }
    await page.getByRole('button', { name: 'Table', exact: true }).click()
    const rows = await page
      .locator('.figure tbody tr')
      .evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
      )
    expect(rows.length).toBeGreaterThan(10)
    expect(rows.map((cells) => [cells[1], Number(cells[5])])).toEqual(
      genes
        .slice(0, rows.length)
        .map(({ gene_id, p_value }) => [gene_id, Number(p_value.toPrecision(6))]),
    )
  })

  test('mutated genes are shown by group, of the tested cases of each', async () => {
    const { page } = await explorer.lead(grouped('genes', GENDER))
    const cases = await allCases(explorer)
    const { data } = await explorer.ask<{
      readonly data: {
        readonly hits: readonly { readonly case: { readonly case_id: string } }[]
      }
    }>('/ssm_occurrences', {
      filters: byGene('ssm.consequence.transcript.gene.symbol', 'TP53'),
      fields: 'case.case_id',
      size: '10000',
    })
    const mutated = new Set(data.hits.map((one) => one.case.case_id))
    const shown = await tableOf(page, 'Which genes are mutated in which group?')
    for (const gender of ['female', 'male']) {
      const tested = cases.filter(
        (one) =>
          one.demographic?.gender === gender && one.available_variation_data?.includes('ssm'),
      )
      const having = tested.filter(({ case_id }) => mutated.has(case_id)).length
      const row = shown.find(([gene, , group]) => gene === 'TP53' && group === gender)
      expect(row?.slice(3, 5).map(numberOf)).toEqual([having, tested.length])
    }
  })

  test('all genes and all fields are tested between the groups, as in R', async () => {
    const cases = await allCases(explorer)
    const { data } = await explorer.ask<{
      readonly data: { readonly hits: readonly { readonly case: { readonly case_id: string } }[] }
    }>('/ssm_occurrences', {
      filters: byGene('ssm.consequence.transcript.gene.symbol', 'PTEN'),
      fields: 'case.case_id',
      size: '10000',
    })
    const mutated = new Set(data.hits.map((one) => one.case.case_id))
    const of = (gender: string) => cases.filter((one) => one.demographic?.gender === gender)
    const tested = (gender: string) =>
      of(gender).filter((one) => one.available_variation_data?.includes('ssm'))
    const having = (gender: string) =>
      tested(gender).filter(({ case_id }) => mutated.has(case_id)).length
    const rowOf = async (name: string) =>
      page
        .locator('tr', { has: page.getByRole('cell', { name, exact: true }) })
        .first()
        .locator('td')
        .allInnerTexts()
    const { page } = await explorer.lead(grouped('compare', GENDER))
    await page.getByRole('button', { name: 'All genes' }).click()
    await settled(page)
    const genes = await rowOf('PTEN')
    const counts = ['female', 'male'].flatMap((gender) => [
      having(gender),
      tested(gender).length - having(gender),
    ])
    const fisher =
      'cat(fisher.test(matrix(as.integer(strsplit(commandArgs(TRUE)[1], " ")[[1]]), 2))$p.value)'
    const ofR = Number(await runR(fisher, [counts.join(' ')]))
    expect(genes.slice(1, 3).map((text) => Number.parseInt(text, 10))).toEqual([
      having('female'),
      having('male'),
    ])
    expect(Number(genes[4])).toBeCloseTo(ofR, 4)
    await page.getByRole('button', { name: 'All clinical fields' }).click()
    await settled(page)
    const single = (gender: string) =>
      of(gender).flatMap(({ diagnoses = [] }) => {
        const ages = new Set(
          diagnoses.flatMap(({ age_at_diagnosis: age }) => (typeof age === 'number' ? [age] : [])),
        )
        return ages.size === 1 ? [...ages] : []
      })
    const wilcoxon = [
      'x <- lapply(commandArgs(TRUE), function(a) as.numeric(strsplit(a, " ")[[1]]))',
      'cat(wilcox.test(x[[1]], x[[2]])$p.value, median(x[[1]]) / 365.25, median(x[[2]]) / 365.25)',
    ].join('\n')
    const [p = 0, women = 0, men = 0] = (
      await runR(wilcoxon, [single('female').join(' '), single('male').join(' ')])
    )
      .split(' ')
      .map(Number)
    const more = page.getByRole('button', { name: /^Show more/ })
    while (await more.first().isVisible()) await more.first().click()
    const row = await page
      .locator('tr', { hasText: /^Age at diagnosis/ })
      .locator('td')
      .allInnerTexts()
    const years = (value: number) =>
      `${value.toLocaleString('en', { maximumFractionDigits: 1 })} years`
    expect(row.slice(1, 4)).toEqual(['median', years(women), years(men)])
    expect(Number(row[5])).toBeCloseTo(p, 3)
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
      [{ by: 'values', field: 'primary_site', values: [] }, 'Check at least one value.'],
      [{ by: 'values', field: 'primary_site', values: ['Nowhere'] }, 'of Nowhere.'],
      [{ by: 'ranges', field: 'diagnoses.age_at_diagnosis', cuts: [] }, 'Type the cuts'],
      [{ by: 'quantiles', field: 'diagnoses.tumor_burden', parts: 2 }, 'No case has a number'],
    ] as const) {
      const { page } = await explorer.lead(grouped('survival', split))
      expect(await page.locator('main [role=alert]').innerText()).toContain(words)
    }
  })
})
