import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { DEMO_CELLS } from '../../../fixtures/demo-commons.ts'
import { available } from '../../available.ts'
import { runR } from '../../peers/run-peer.ts'
import { type AskedExplorer, numberOf } from './asked-explorer.ts'
import { LUNG, LUNG_COHORT } from './shown-cohorts.ts'

interface Row {
  readonly gene_id: string
  readonly symbol: string
  readonly p_value: number
  readonly spearman: number
}

/** Tables round to six digits. */
const asShown = (value: number) => Number(value.toPrecision(6))

/** Ids and one number of the first rows of a table. */
const firstRows = (page: Page, place: number) =>
  page.locator('.figure tbody tr').evaluateAll(
    (all, at) =>
      all.map((row) => {
        const cells = [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')
        return [cells[1], Number(cells[at])]
      }),
    place,
  )

/** Survival, expression and single cells, compared with the interface and R. */
export function testAnalyses(explorer: AskedExplorer): void {
  const { server } = explorer

  test.skipIf(!available.survival)(
    'survival shows the numbers at risk, and the p value, of R',
    async () => {
      const by = 'demographic.gender'
      const { page } = await explorer.lead(`#/survival?by=${by}`)
      const texts = await page.locator('.picture svg text').allTextContents()
      const said = await page.locator('.result').innerText()
      const groups = ['female', 'male']
      const filters = groups.map((value) => ({
        op: 'in',
        content: { field: `cases.${by}`, value: [value] },
      }))
      interface Survival {
        readonly results: readonly {
          readonly donors: readonly { readonly time: number; readonly censored: boolean }[]
        }[]
      }
      const { results } = await explorer.ask<Survival>('/analysis/survival', {
        filters: JSON.stringify(filters),
      })
      const rows = results.flatMap(({ donors }, group) =>
        donors.map(({ time, censored }) => `${group}\t${time}\t${censored ? 0 : 1}`),
      )
      const script = [
        'library(survival)',
        'd <- read.table(text = commandArgs(TRUE)[1], col.names = c("g", "t", "e"))',
        'for (g in 0:1) { f <- survfit(Surv(t, e) ~ 1, d[d$g == g, ])',
        'cat(summary(f, times = 0:5 * 365.25, extend = TRUE)$n.risk, "\\n") }',
      ].join('\n')
      const [female = '', male = ''] = (await runR(script, [rows.join('\n')])).split('\n')
      // Below the picture, the numbers of both groups are next to each other, one year apart.
      for (const line of [female, male]) {
        const [first = '', ...others] = line.trim().split(/\s+/)
        const shown = texts.map(numberOf)
        const place = shown.findIndex(
          (number, index) =>
            number === Number(first) && shown[index + 1] === Number(others[0] ?? ''),
        )
        expect([line, shown.slice(place, place + 6)]).toEqual([
          line,
          [first, ...others].map(Number),
        ])
      }
      expect(said).toMatch(/over 2 groups: p = 0\.\d+/)
    },
  )

  test('expression shows the genes that the interface selects, and their values', async () => {
    const { page } = await explorer.lead(`#/expression?${LUNG_COHORT}&size=25`)
    const case_filters = { ...JSON.parse(LUNG), content: { ...JSON.parse(LUNG).content } }
    case_filters.content.field = 'cases.primary_site'
    const post = async (path: string, body: unknown) => {
      const headers = { 'Content-Type': 'application/json' }
      return fetch(`${server.address}${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
    }
    interface Selection {
      readonly gene_selection: readonly { readonly gene_id: string; readonly symbol: string }[]
    }
    const selection = { case_filters, gene_type: 'protein_coding', selection_size: 25 }
    const selected = await post('/gene_expression/gene_selection', selection)
    const genes = ((await selected.json()) as Selection).gene_selection
    const asked = {
      case_filters,
      gene_ids: genes.map(({ gene_id }) => gene_id),
      tsv_units: 'median_centered_log2_uqfpkm',
    }
    const table = await (await post('/gene_expression/values', asked)).text()
    const [header = '', ...lines] = table
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'))
    const expected = lines.map((cells) => [cells[0], cells[1], cells.at(-1)]).sort()
    await page.getByRole('button', { name: 'Table', exact: true }).first().click()
    await page.getByRole('button', { name: /^Show more/ }).click()
    const heads = await page.locator('.figure th').allInnerTexts()
    const rows = await page
      .locator('.figure tbody tr')
      .evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
      )
    const places = [1, heads.indexOf(header[1] ?? ''), heads.indexOf(header.at(-1) ?? '')]
    const shown = rows.map((row) => places.map((place) => row[place])).sort()
    const rounded = (all: readonly (readonly (string | undefined)[])[]) =>
      all.map(([id, ...values]) => [id, ...values.map((value) => Number(value).toFixed(4))])
    expect(rounded(shown)).toEqual(rounded(expected))
  })

  /** The genes in the interface's answer. */
  async function genesOf(path: string, body: unknown): Promise<readonly Row[]> {
    const response = await fetch(`${server.address}/gene_expression/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    return ((await response.json()) as { readonly genes: readonly Row[] }).genes
  }

  test('two groups shows the tests of the interface, and genes of men differ from those of women', async () => {
    const men = { op: 'in', content: { field: 'demographic.gender', value: ['male'] } }
    const { page } = await explorer.lead(
      `#/differential?cohort=${encodeURIComponent(`Men:${JSON.stringify(men)}`)}`,
    )
    await page.getByRole('button', { name: 'Table', exact: true }).click()
    men.content.field = 'cases.demographic.gender'
    const genes = await genesOf('differential', { case_filters: men })
    const expected = genes.slice(0, 20).map(({ gene_id, p_value }) => [gene_id, asShown(p_value)])
    expect(await firstRows(page, 5)).toEqual(expected)
    const [first] = (
      await explorer.ask<{ data: { hits: readonly { gene_chromosome: string }[] } }>('/genes', {
        filters: JSON.stringify({
          op: '=',
          content: { field: 'gene_id', value: genes[0]?.gene_id },
        }),
        fields: 'gene_chromosome',
      })
    ).data.hits
    expect(first?.gene_chromosome).toBe('Y')
  })

  test('co-expression shows the correlations of the interface', async () => {
    const { page } = await explorer.lead(`#/coexpression?${LUNG_COHORT}&gene=TP53`)
    await page.getByRole('button', { name: 'Table', exact: true }).click()
    const lung = JSON.parse(LUNG)
    lung.content.field = 'cases.primary_site'
    const asked = { case_filters: lung, gene_id: 'ENSG00000141510' }
    const expected = (await genesOf('coexpression', asked))
      .slice(0, 20)
      .map(({ gene_id, spearman }) => [gene_id, asShown(spearman)])
    expect(await firstRows(page, 3)).toEqual(expected)
  })

  test('cells are told apart by group, and a gene that marks a group is high in it', async () => {
    const { page } = await explorer.lead(`#/cells?file=${DEMO_CELLS.id}&genes=EGFR&by=Group`)
    // The picture is drawn once its width is known.
    await page.locator('.picture svg text', { hasText: '% zero' }).first().waitFor()
    const labels = await page.locator('.picture svg text').allTextContents()
    await page.getByRole('button', { name: 'Table', exact: true }).click()
    const shown = await page
      .locator('.figure tbody tr')
      .evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
      )
    const headers = { 'Content-Type': 'application/json' }
    const post = async <Answer>(path: string, body: unknown) => {
      const sent = { method: 'POST', headers, body: JSON.stringify(body) }
      return (await (await fetch(`${server.address}${path}`, sent)).json()) as Answer
    }
    interface Groups {
      readonly data: { annotation: { values: readonly string[]; codes: readonly number[] } }
    }
    interface Cells {
      readonly data: readonly { readonly cells: readonly { readonly value: number }[] }[]
    }
    const file_id = DEMO_CELLS.id
    const { annotation } = (
      await post<Groups>('/scrna_seq/cell_annotations', { file_id, annotation: 'Group' })
    ).data
    const gene = { file_id, gene_ids: ['ENSG00000146648'] }
    const cells = (await post<Cells>('/scrna_seq/gene_expression', gene)).data[0]?.cells ?? []
    const counted = annotation.values.toSorted().map((group) => {
      const code = annotation.values.indexOf(group)
      const values = cells.filter((_, cell) => annotation.codes[cell] === code)
      const above = values.filter(({ value }) => value > 0)
      return ['EGFR', group, values.length, above.length]
    })
    expect(
      shown.map(([name, group, all, above]) => [name, group, Number(all), Number(above)]),
    ).toEqual(counted)
    // The gene is in about one cell of ten of three groups (fixtures/single-cell.ts).
    const zeros = counted.map(([, , all, above]) => 100 - (100 * Number(above)) / Number(all))
    expect(zeros.filter((part) => part > 80)).toHaveLength(3)
    expect(zeros.filter((part) => part < 10)).toHaveLength(1)
    expect(labels.filter((label) => label.endsWith('% zero'))).toEqual(
      zeros.map((part) => `${Math.round(part)} % zero`),
    )
  })
}
