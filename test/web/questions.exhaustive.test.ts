import type { Download, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { available } from '../available.ts'
import { runPython, runR } from '../peers/run-peer.ts'
import { AskedExplorer, numberOf } from './support/asked-explorer.ts'
import { statisticsOfR, statisticsOn } from './support/group-tests.ts'
import { settled } from './support/see-explorer.ts'
import { LUNG } from './support/shown-cohorts.ts'
import { type Mutated, mutatedCases, shownP } from './support/statistics-tests.ts'
import { Visitor } from './support/visitor.ts'

// Questions that analysts and registrars bring to a portal, each answered in the browser alone, from the first page
// on. The records are read from the interface; what follows from them is counted here, or computed by R or scipy,
// whose command stands in the test.

interface Hits<Hit> {
  readonly data: { readonly hits: readonly Hit[] }
}

interface Clinical {
  readonly case_id: string
  readonly submitter_id: string
  readonly primary_site: string
  readonly available_variation_data?: readonly string[]
  readonly project: { readonly project_id: string }
  readonly demographic?: { readonly gender?: string; readonly vital_status?: string }
  readonly diagnoses?: readonly {
    readonly age_at_diagnosis?: number | null
    readonly year_of_diagnosis?: number | null
    readonly ajcc_pathologic_stage?: string | null
  }[]
}

const FIELDS = [
  ...['case_id', 'submitter_id', 'primary_site', 'available_variation_data'],
  ...['project.project_id', 'demographic.gender', 'demographic.vital_status'],
  ...['diagnoses.age_at_diagnosis', 'diagnoses.year_of_diagnosis'],
  'diagnoses.ajcc_pathologic_stage',
].join(',')

async function textOf(download: Download): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of await download.createReadStream()) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}

const TP53 = 'ENSG00000141510'
const KRAS = 'ENSG00000133703'
const EGFR = 'ENSG00000146648'

describe.skipIf(!available.chromium || !available.survival || !available.numpy)('asked', () => {
  const explorer = new AskedExplorer()
  let records: readonly Clinical[] = []
  let cases: readonly Mutated[] = []
  beforeAll(async () => {
    await explorer.start()
    const all = await explorer.ask<Hits<Clinical>>('/cases', { fields: FIELDS, size: '100000' })
    records = all.data.hits
    cases = await mutatedCases(explorer)
  })
  afterAll(() => explorer[Symbol.asyncDispose]())

  const tested = () => cases.filter(({ isTested }) => isTested)
  const isLung = ({ site }: Mutated) => site === 'Bronchus and lung'

  /** Begins at the first page, with all cases. */
  async function visit(): Promise<Visitor> {
    const { page, complaints } = await explorer.lead('#/')
    expect(complaints).toEqual([])
    return new Visitor(page)
  }

  /** Makes lung cancer the cohort. */
  async function visitLung(): Promise<Visitor> {
    const visitor = await visit()
    await visitor.open('Cohort builder')
    await visitor.check('Primary site', 'bronchus and lung')
    return visitor
  }

  /** The numbers that an R script prints for some lists of numbers. */
  async function inR(
    script: string,
    ...lists: readonly (readonly (number | string)[])[]
  ): Promise<readonly number[]> {
    const read = 'x <- lapply(strsplit(commandArgs(TRUE), " "), as.numeric)'
    const args = lists.map((list) => list.join(' '))
    return (await runR(`${read}\n${script}`, args)).trim().split(/\s+/).map(Number)
  }

  const rowsOf = (page: Page, within: string) =>
    page
      .locator(`${within} tbody tr`)
      .evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
      )

  const shownCases = async (page: Page) =>
    numberOf(await page.locator('.cohort-list .active .count').innerText())

  const byGene = (field: string, gene: string) =>
    JSON.stringify({ op: 'in', content: { field, value: [gene] } })

  describe('by the report', () => {
    test('do mutations of TP53 and KRAS exclude each other', async () => {
      const visitor = await visit()
      await visitor.open('Gene pairs')
      await visitor.type('Genes by symbol or id', 'TP53 KRAS')
      const [row = []] = await visitor.tableOf(/^Which genes/)
      const count = (first: boolean, second: boolean) =>
        tested().filter((one) => one.genes.has(TP53) === first && one.genes.has(KRAS) === second)
          .length
      const counts = [
        ...[count(true, true), count(true, false)],
        ...[count(false, true), count(false, false)],
      ]
      const [p = 0] = await inR('cat(fisher.test(matrix(x[[1]], 2))$p.value)', counts)
      expect(row.slice(2, 6).map(numberOf)).toEqual(counts)
      expect(row[6]).toBe('co-occurrence')
      expect(row[10]).toBe(shownP(p))
    })

    test('do thirds by the expression of EGFR differ in survival', async () => {
      const visitor = await visit()
      await visitor.open('Survival')
      await visitor.choose('Groups', 'All cases by the expression of a gene')
      const asked = {
        case_filters: { op: 'not', content: { field: 'cases.case_id', value: 'MISSING' } },
        gene_ids: [EGFR],
        tsv_units: 'uqfpkm',
      }
      const sent = await fetch(`${explorer.server.address}/gene_expression/values`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(asked),
      })
      const [ids = [], values = []] = (await sent.text())
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t').slice(1))
      const known = ids.flatMap((id, place) =>
        values[place] ? [[id, values[place]] as const] : [],
      )
      // The thirds are those of quantile() and cut().
      const thirds = await inR(
        'v <- log2(x[[1]] + 1); cat(as.integer(cut(v, c(-Inf, quantile(v, 1:2 / 3), Inf))))',
        known.map(([, value]) => value),
      )
      const names = ['low', 'middle', 'high']
      const groupOf = new Map(
        known.map(([id], place) => [id, names[(thirds[place] ?? 0) - 1] ?? ''] as const),
      )
      expect(await statisticsOn(visitor.page)).toEqual(
        await statisticsOfR(explorer, groupOf, names),
      )
    })

    test('how do two cohorts differ in all clinical fields', async () => {
      const visitor = await visit()
      const { page } = visitor
      await visitor.open('Compare cohorts')
      await visitor.choose('Groups', 'All cases by gender')
      await visitor.click(page.getByRole('button', { name: 'All clinical fields' }))
      const more = page.getByRole('button', { name: /^Show more/ })
      while (await more.first().isVisible()) await more.first().click()
      const rows = await rowsOf(page, 'section')
      // Vital status has several values, so that it is tested by chisq.test().
      const values = [...new Set(records.map((one) => one.demographic?.vital_status))].filter(
        (value) => value !== undefined,
      )
      const counts = ['female', 'male'].flatMap((gender) =>
        values.map(
          (value) =>
            records.filter(
              ({ demographic }) =>
                demographic?.gender === gender && demographic.vital_status === value,
            ).length,
        ),
      )
      const [p = 0] = await inR(
        'cat(chisq.test(matrix(x[[1]], ncol = 2), correct = FALSE)$p.value)',
        counts,
      )
      const row = rows.find(([field]) => field?.startsWith('Vital status'))
      expect(row?.slice(4, 6)).toEqual(['chi-square', shownP(p)])
      // q is that of p.adjust() over all tests of the table.
      const shown = rows.filter((cells) => /^[a-z-]+$/.test(cells[4] ?? ''))
      const least = (cell: string | undefined) => (cell ?? '').replace('below ', '')
      const adjusted = await inR(
        'cat(p.adjust(x[[1]], "BH"))',
        shown.map((cells) => least(cells[5])),
      )
      for (const [place, cells] of shown.entries()) {
        // The shown p has three digits, or is below the least that is shown.
        if (cells[6]?.startsWith('below')) expect(adjusted[place]).toBeLessThan(1e-290)
        else expect(Number(cells[6]) / (adjusted[place] ?? 1)).toBeCloseTo(1, 1)
      }
    })

    test('where is the clinical table of a cohort as a file', async () => {
      const visitor = await visitLung()
      await visitor.open('Tables')
      const [download] = await Promise.all([
        visitor.page.waitForEvent('download'),
        visitor.page.getByRole('link', { name: 'TSV', exact: true }).click(),
      ])
      // R counts the lines and the women of the file.
      const script =
        'd <- read.delim(text = commandArgs(TRUE)[1]); cat(nrow(d), sum(d$demographic.gender == "female"))'
      const counted = (await runR(script, [await textOf(download)])).split(' ')
      const lung = cases.filter(isLung)
      expect(counted.map(Number)).toEqual([
        lung.length,
        lung.filter(({ gender }) => gender === 'female').length,
      ])
    })

    test('where in the protein is TP53 hit', async () => {
      const visitor = await visit()
      await visitor.open('Genes')
      await visitor.type('One gene by symbol or id', 'TP53')
      const [first = []] = await visitor.tableOf(/^Mutations along/)
      const { data } = await explorer.ask<
        Hits<{ readonly case: { readonly case_id: string }; readonly ssm: { ssm_id: string } }>
      >('/ssm_occurrences', {
        filters: byGene('ssm.consequence.transcript.gene.gene_id', TP53),
        fields: 'case.case_id,ssm.ssm_id',
        size: '100000',
      })
      const having = Map.groupBy(data.hits, ({ ssm }) => ssm.ssm_id)
      const most = Math.max(
        ...[...having.values()].map((hits) => new Set(hits.map((one) => one.case.case_id)).size),
      )
      expect(numberOf(first[5] ?? '')).toBe(most)
      expect(having.get(first[6] ?? '')).toHaveLength(most)
    })

    test('what is the mutation burden of the cohort', async () => {
      const visitor = await visitLung()
      await visitor.open('Mutation burden')
      const [row = []] = await rowsOf(visitor.page, 'main .table')
      const numbers = tested().filter(isLung)
      const ends = await inR(
        'cat(quantile(x[[1]]))',
        numbers.map(({ mutations }) => mutations),
      )
      expect(row.slice(3).map(Number)).toEqual(ends)
      expect(numberOf(row[1] ?? '')).toBe(numbers.length)
    })

    test('what is the copy number of MYC by project', async () => {
      const visitor = await visit()
      await visitor.open('Genes')
      await visitor.type('One gene by symbol or id', 'MYC')
      const rows = await visitor.tableOf('Copy number of MYC by project')
      const { data } = await explorer.ask<
        Hits<{
          readonly case: { readonly case_id: string; readonly project: { project_id: string } }
          readonly cnv: { readonly cnv_change_5_category: string }
        }>
      >('/cnv_occurrences', {
        filters: byGene('cnv.consequence.gene.symbol', 'MYC'),
        fields: 'case.case_id,case.project.project_id,cnv.cnv_change_5_category',
        size: '100000',
      })
      const inProject = (id: string) =>
        records.filter(
          ({ project, available_variation_data: kinds }) =>
            project.project_id === id && kinds?.includes('cnv'),
        )
      expect(rows.length).toBe(20)
      for (const [project = '', change = '', cases = '', of = ''] of rows) {
        const own = data.hits.filter((hit) => hit.case.project.project_id === project)
        const having = own.filter(({ cnv }) => cnv.cnv_change_5_category === change)
        const count = (hits: typeof own) => new Set(hits.map((hit) => hit.case.case_id)).size
        const all = inProject(project).length
        const expected = change === 'No change' ? all - count(own) : count(having)
        expect([project, change, numberOf(cases), numberOf(of)]).toEqual([
          ...[project, change, expected, all],
        ])
      }
    })

    test('how many diagnoses are there by year', async () => {
      const visitor = await visit()
      const { page } = visitor
      await visitor.open('Cohort builder')
      await page.getByLabel('Add a card').fill('year_of_diagnosis')
      await page.getByLabel('Add a card').press('Enter')
      await settled(page)
      const card = page.getByRole('region', { name: 'Year of diagnosis', exact: true })
      await card.waitFor()
      await card.getByLabel('from', { exact: true }).fill('2010')
      await card.getByLabel('to', { exact: true }).fill('2012')
      await card.getByLabel('to', { exact: true }).press('Enter')
      await settled(page)
      const expected = records.filter(({ diagnoses = [] }) =>
        diagnoses.some(({ year_of_diagnosis: year }) => year && year >= 2010 && year <= 2012),
      ).length
      await expect.poll(() => shownCases(page)).toBe(expected)
    })

    test('what are the stages of a file of 500 cases', async () => {
      const { page } = await explorer.lead('#/staging?algorithm=demo&version=1.0')
      // Half of the lines have a site that the algorithm does not take.
      const lines = Array.from(
        { length: 500 },
        (_, index) => `${index % 2 === 0 ? 'C182' : 'C509'},8140,2023,B2,035,02`,
      )
      const text = `site,hist,year_dx,depth,size,nodes_pos\n${lines.join('\n')}\n`
      await page.getByText('Stage a file of cases', { exact: true }).click()
      await page
        .locator('.case-file input')
        .setInputFiles({ name: 'cases.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
      await page.getByRole('heading', { name: '500 cases' }).waitFor()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save results as JSON lines' }).click(),
      ])
      const results = (await textOf(download))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { result: string; output?: { stage?: string } })
      const staged = results.filter(({ result }) => result === 'STAGED')
      expect([results.length, staged.length]).toEqual([500, 250])
      // By the tables of fixtures/staging/algorithm.ts, depth B2 with two positive nodes is stage 3.
      expect(new Set(staged.map(({ output }) => output?.stage))).toEqual(new Set(['3']))
    })

    test('which case has this barcode', async () => {
      const visitor = await visit()
      const { page } = visitor
      const last = records.at(-1)
      const box = page.getByRole('combobox', { name: /^Search for a case/ })
      await box.fill(last?.submitter_id.toLowerCase() ?? '')
      await box.press('Enter')
      await page
        .locator('main h2', { hasText: last?.submitter_id ?? '' })
        .first()
        .waitFor()
    })
  })

  describe('besides', () => {
    test('have women more mutations than men', async () => {
      const visitor = await visit()
      await visitor.open('Two variables')
      await visitor.choose('First variable', 'Gender')
      const numbers = ['female', 'male'].map((gender) =>
        tested()
          .filter((one) => one.gender === gender)
          .map(({ mutations }) => mutations),
      )
      const [p = 0] = await inR(
        'cat(wilcox.test(x[[1]], x[[2]], exact = FALSE)$p.value)',
        ...numbers,
      )
      expect(await visitor.page.locator('.result').innerText()).toContain(
        `Mann-Whitney test: p = ${shownP(p)},`,
      )
    })

    test('do mutations of lung cancer increase with age', async () => {
      const visitor = await visitLung()
      await visitor.open('Two variables')
      const aged = tested().filter((one) => isLung(one) && new Set(one.ages).size === 1)
      const [rho = 0, p = 0] = await inR(
        's <- cor.test(x[[1]], x[[2]], method = "spearman", exact = FALSE); cat(s$estimate, s$p.value)',
        aged.map(({ ages }) => ages[0] ?? 0),
        aged.map(({ mutations }) => mutations),
      )
      expect(await visitor.page.locator('.result').innerText()).toContain(
        `Spearman’s ρ = ${rho.toPrecision(3)}, p = ${shownP(p)}, ${aged.length} of`,
      )
    })

    test('does the share of mutated TP53 depend on the site', async () => {
      const visitor = await visit()
      await visitor.open('Two variables')
      await visitor.choose('First variable', 'Primary site')
      await visitor.choose('Second variable', 'Mutations of a gene')
      const sites = [...Map.groupBy(tested(), ({ site }) => site).values()]
      const mutated = sites.map((own) => own.filter(({ genes }) => genes.has(TP53)).length)
      const [p = 0] = await inR(
        'cat(chisq.test(rbind(x[[1]], x[[2]]), correct = FALSE)$p.value)',
        mutated,
        sites.map((own, place) => own.length - (mutated[place] ?? 0)),
      )
      expect(await visitor.page.locator('.result').innerText()).toContain(
        `Chi-square test: p = ${shownP(p)}, Cramér’s V`,
      )
    })

    test('do cases with mutated TP53 live shorter', async () => {
      const visitor = await visit()
      await visitor.open('Survival')
      await visitor.choose('Groups', 'All cases by mutations of a gene')
      const names = ['mutated', 'not mutated']
      const groupOf = new Map(
        tested().map(({ id, genes }) => [id, names[genes.has(TP53) ? 0 : 1] ?? ''] as const),
      )
      expect(await statisticsOn(visitor.page)).toEqual(
        await statisticsOfR(explorer, groupOf, names),
      )
    })

    test('which of the ten most mutated genes occur together', async () => {
      const visitor = await visit()
      await visitor.open('Gene pairs')
      await visitor.tableOf(/^Which genes/)
      await visitor.page.getByRole('button', { name: /^Show more/ }).click()
      const rows = await rowsOf(visitor.page, '.figure')
      expect(rows).toHaveLength(45)
      // scipy.stats.fisher_exact of the counts, adjusted by scipy.stats.false_discovery_control where it is there.
      const script = [
        'import sys, json, scipy.stats as s',
        'p = [s.fisher_exact([r[:2], r[2:]])[1] for r in json.loads(sys.argv[1])]',
        'o = sorted(range(len(p)), key=lambda i: -p[i]); q = [0] * len(p); least = 1',
        'for k, i in enumerate(o):',
        '  least = min(least, p[i] * len(p) / (len(p) - k)); q[i] = least',
        'print(json.dumps([p, q]))',
      ].join('\n')
      const counts = rows.map((cells) => cells.slice(2, 6).map(numberOf))
      const [p = [], q = []] = JSON.parse(
        await runPython(script, [JSON.stringify(counts)]),
      ) as readonly (readonly number[])[]
      expect(rows.map((cells) => cells.slice(10))).toEqual(
        p.map((value, place) => [shownP(value), shownP(q[place] ?? 0)]),
      )
    })

    test('which genes are mutated more often in lung cancer than elsewhere', async () => {
      const visitor = await visitLung()
      const { page } = visitor
      await visitor.open('Compare cohorts')
      await visitor.choose('Groups', 'My cohort and all other cases')
      await visitor.click(page.getByRole('button', { name: 'All genes' }))
      const rows = await rowsOf(page, 'section')
      const row = rows.find(([gene]) => gene === 'TP53')
      const [lung, others] = [tested().filter(isLung), tested().filter((one) => !isLung(one))]
      const having = (some: readonly Mutated[]) =>
        some.filter(({ genes }) => genes.has(TP53)).length
      const counts = [lung, others].flatMap((some) => [having(some), some.length - having(some)])
      if (row) {
        const [p = 0] = await inR('cat(fisher.test(matrix(x[[1]], 2))$p.value)', counts)
        expect(row.slice(1, 3).map((text) => Number.parseInt(text, 10))).toEqual([
          ...[having(lung), having(others)],
        ])
        expect(row[4]).toBe(shownP(p))
      }
      // The first gene of the table is the one with the least p of all.
      const genes = new Set(tested().flatMap((one) => [...one.genes]))
      const tables = [...genes].map((gene) =>
        [lung, others].flatMap((some) => {
          const changed = some.filter((one) => one.genes.has(gene)).length
          return [changed, some.length - changed]
        }),
      )
      const [least = 0] = await inR(
        'm <- matrix(x[[1]], 4); cat(min(apply(m, 2, function(v) fisher.test(matrix(v, 2))$p.value)))',
        tables.flat(),
      )
      expect(rows[0]?.[4]).toBe(shownP(least))
    })

    test('which mutations has a case', async () => {
      const most = tested().toSorted((one, other) => other.mutations - one.mutations)[0]
      const visitor = await visit()
      await visitor.open('Mutation burden')
      const [first = []] = await visitor.tableOf(/^How many mutations/)
      expect(Number(first[4])).toBe(most?.mutations)
      await visitor.click(visitor.page.locator('.figure tbody a').first())
      const own = cases.find(({ id }) => id === first[1])
      const caption = visitor.page.locator('caption', { hasText: /^Simple mutations/ })
      expect(await caption.innerText()).toMatch(new RegExp(` of ${own?.mutations}$`))
    })

    test('where are all variants of a cohort as a file', async () => {
      const visitor = await visitLung()
      await visitor.open('Tables')
      await visitor.click(visitor.page.getByRole('link', { name: 'Mutations of cases' }))
      const [download] = await Promise.all([
        visitor.page.waitForEvent('download'),
        visitor.page.getByRole('link', { name: 'TSV', exact: true }).click(),
      ])
      const lines = (await textOf(download)).trimEnd().split('\n')
      const mutations = cases.filter(isLung).reduce((sum, one) => sum + one.mutations, 0)
      expect(lines.length - 1).toBe(mutations)
    })

    test('at which age are women with lung cancer diagnosed', async () => {
      const visitor = await visitLung()
      await visitor.open('Two variables')
      await visitor.choose('Second variable', 'Gender')
      const rows = await visitor.tableOf(/by Gender$/)
      const ages = cases
        .filter((one) => isLung(one) && one.gender === 'female' && new Set(one.ages).size === 1)
        .map(({ ages: [age = 0] }) => age / 365.25)
      const ends = await inR('cat(format(quantile(x[[1]]), digits = 6))', ages)
      expect(rows[0]?.slice(0, 3)).toEqual(['female', 'My cohort', String(ages.length)])
      for (const [place, value] of ends.entries()) {
        expect(numberOf(rows[0]?.[3 + place] ?? '')).toBeCloseTo(value, 3)
      }
    })

    test('which gene goes along with EGFR in lung cancer', async () => {
      const visitor = await visitLung()
      await visitor.open('Co-expression')
      await visitor.type('Gene by symbol', 'EGFR')
      const [first = []] = await visitor.tableOf(/^Which genes are expressed together/)
      const filter = { ...JSON.parse(LUNG) }
      filter.content.field = 'cases.primary_site'
      const sent = await fetch(`${explorer.server.address}/gene_expression/values`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({
          case_filters: filter,
          gene_ids: [EGFR, first[1]],
          tsv_units: 'uqfpkm',
        }),
      })
      const lines = (await sent.text()).trimEnd().split('\n').slice(1)
      const values = [EGFR, first[1] ?? ''].map((id) =>
        (lines.find((line) => line.startsWith(id)) ?? '').split('\t').slice(1),
      )
      const [rho = 0] = await inR('cat(cor(x[[1]], x[[2]], method = "spearman"))', ...values)
      expect(Number(first[3])).toBeCloseTo(rho, 5)
    })
  })
})
