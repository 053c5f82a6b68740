import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import type { Download, Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { AskedExplorer, Counts } from './asked-explorer.ts'
import { goTo, settled } from './see-explorer.ts'
import { LUNG, LUNG_COHORT, WOMEN } from './shown-cohorts.ts'

interface Hits {
  readonly data: {
    readonly hits: readonly (Readonly<Record<string, unknown>> & {
      readonly submitter_id: string
    })[]
  }
}

/** The cells of the first column whose header has a title. */
const cellsOf = async (page: Page | Locator, title: string): Promise<readonly string[]> => {
  const table = page.locator('.table').first()
  const titles = await table.locator('thead th').allInnerTexts()
  const place = titles.findIndex((text) => text.trim() === title)
  expect(place).toBeGreaterThanOrEqual(0)
  return table.locator(`tbody td:nth-child(${place + 1})`).allInnerTexts()
}

async function saved(page: Page, format: string): Promise<Download> {
  const button = page.locator('.saves').first().getByText(format, { exact: true })
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
  return download
}

async function bytesOf(download: Download): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of await download.createReadStream()) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

/** Tests of the tables of records: order, columns, pages, and files of the whole cohort. */
export function testTables(explorer: AskedExplorer): void {
  const AGE = 'diagnoses.age_at_diagnosis'

  test('a column sorts all cases, not those of the page, and keeps the focus', async () => {
    const { page, complaints } = await explorer.lead('#/cohort')
    const head = page.getByRole('button', { name: 'Age at diagnosis, years' })
    for (const [way, order] of [
      ['asc', 'ascending'],
      ['desc', 'descending'],
    ] as const) {
      await head.press('Enter')
      await settled(page)
      const { data } = await explorer.ask<Hits>('/cases', {
        fields: 'submitter_id',
        size: '20',
        sort: `${AGE}:${way}`,
      })
      expect(await cellsOf(page, 'Case')).toEqual(data.hits.map((hit) => hit.submitter_id))
      expect(await page.locator('th[aria-sort]').getAttribute('aria-sort')).toBe(order)
      expect(await page.evaluate('document.activeElement.textContent')).toBe(
        'Age at diagnosis, years',
      )
    }
    expect(complaints).toEqual([])
  })

  test('any field becomes a column, and the address keeps it', async () => {
    const { page } = await explorer.lead('#/cohort')
    await page.locator('.columns summary').click()
    const search = page.getByLabel('Search in the columns')
    await search.fill('demographic ethnicity')
    await page.locator('.fields-list').getByLabel('demographic.ethnicity', { exact: true }).check()
    await settled(page)
    const { data } = await explorer.ask<{
      readonly data: { readonly hits: readonly { demographic?: { ethnicity?: string } }[] }
    }>('/cases', { fields: 'demographic.ethnicity', size: '20', sort: 'submitter_id:asc' })
    const expected = data.hits.map((hit) => hit.demographic?.ethnicity ?? '')
    expect(await cellsOf(page, 'Ethnicity')).toEqual(expected)
    const address = new URL(page.url()).hash
    await goTo(page, '#/')
    await goTo(page, address)
    expect(await cellsOf(page, 'Ethnicity')).toEqual(expected)
  })

  test('pages reach the last case', async () => {
    const { page } = await explorer.lead('#/cohort')
    await page.getByRole('button', { name: 'Last page' }).click()
    await settled(page)
    const { data } = await explorer.ask<Hits>('/cases', {
      fields: 'submitter_id',
      size: '1',
      sort: 'submitter_id:desc',
    })
    expect((await cellsOf(page, 'Case')).at(-1)).toBe(data.hits[0]?.submitter_id)
    await page.getByRole('button', { name: 'First page' }).click()
    await page.getByLabel('Rows').selectOption('100')
    await settled(page)
    expect(await cellsOf(page, 'Case')).toHaveLength(100)
  })

  test('all cases of the cohort are saved in each format', async () => {
    const { page, complaints } = await explorer.lead(`#/cohort?${LUNG_COHORT}`)
    const { data } = await explorer.ask<Hits>('/cases', {
      filters: LUNG,
      fields: 'submitter_id',
      size: '10000',
      sort: 'submitter_id:asc',
    })
    const names = data.hits.map((hit) => hit.submitter_id)
    expect(names.length).toBeGreaterThan(20)
    const folder = await mkdtemp(join(tmpdir(), 'casemill-saved-'))
    const duckdb = await (await DuckDBInstance.create()).connect()
    for (const [format, name, reader] of [
      ['TSV', 'cases.tsv', 'read_csv'],
      ['CSV', 'cases.csv', 'read_csv'],
      ['JSON', 'cases.json', 'read_json'],
      ['JSON lines', 'cases.ndjson', 'read_json'],
      ['Parquet', 'cases.parquet', 'read_parquet'],
    ] as const) {
      const file = await saved(page, format)
      expect(file.suggestedFilename()).toBe(name)
      const path = join(folder, name)
      await file.saveAs(path)
      const read = await duckdb.runAndReadAll(`select submitter_id from ${reader}('${path}')`)
      expect([format, read.getRows().map(([one]) => one)]).toEqual([format, names])
    }
    await rm(folder, { recursive: true })
    expect(complaints).toEqual([])
  })

  test('a filter that is too long for a link is sent by a form', async () => {
    const { data } = await explorer.ask<Hits>('/cases', {
      filters: WOMEN,
      fields: 'submitter_id',
      size: '300',
      sort: 'submitter_id:asc',
    })
    const names = data.hits.map((hit) => hit.submitter_id)
    const filter = { op: 'in', content: { field: 'submitter_id', value: names } }
    const cohort = encodeURIComponent(`Many:${JSON.stringify(filter)}`)
    const { page, complaints } = await explorer.lead(`#/tables?of=cases&cohort=${cohort}`)
    expect(await page.locator('form.saves').count()).toBe(1)
    const text = (await bytesOf(await saved(page, 'TSV'))).toString()
    expect(text.trimEnd().split('\n')).toHaveLength(names.length + 1)
    expect(page.url()).toContain('#/tables')
    expect(complaints).toEqual([])
  })

  test('on a narrow screen each row is a card with the names of its values', async () => {
    const { page } = await explorer.lead('#/files')
    await page.setViewportSize({ width: 390, height: 800 })
    await settled(page)
    const named = await page.evaluate(`[...document.querySelector('tbody tr').cells].map(
      (cell) => getComputedStyle(cell, '::before').content.replaceAll('"', ''))`)
    expect(named).toEqual(['Chosen', 'File', 'Case', 'Data type', 'Format', 'Access', 'Size'])
    const narrowest = await page
      .locator('tbody td:nth-child(2)')
      .evaluateAll((all) => Math.min(...all.map((cell) => cell.clientWidth)))
    expect(narrowest).toBeGreaterThan(300)
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(9000)
  })

  test('tables of other records have those of the cohort', async () => {
    for (const [dataset, field] of [
      ['ssms', 'occurrence.case.primary_site'],
      ['cnvs', 'occurrence.case.primary_site'],
      ['ssm_occurrences', 'case.primary_site'],
      ['cnv_occurrences', 'case.primary_site'],
      ['files', 'cases.primary_site'],
    ] as const) {
      const { page } = await explorer.lead(`#/tables?of=${dataset}&${LUNG_COHORT}`)
      const filters = JSON.stringify({ op: 'in', content: { field, value: ['bronchus and lung'] } })
      const { data } = await explorer.ask<Counts>(`/${dataset}`, { size: '0', filters })
      const { total } = data.pagination
      expect(total).toBeGreaterThan(0)
      expect(await page.locator('.table caption').innerText()).toMatch(
        new RegExp(` of ${total.toLocaleString('en')}$`),
      )
    }
    const { page } = await explorer.lead('#/tables?of=annotations')
    expect(await page.locator('.table caption').innerText()).toContain('Annotations 1 to 20 of')
  })

  test('each tumour of a case has its own row, and all are saved as such', async () => {
    const { page } = await explorer.lead(`#/tables?of=tumours&${LUNG_COHORT}`)
    interface Cases {
      readonly data: {
        readonly hits: readonly {
          readonly diagnoses?: readonly { readonly morphology?: string }[]
        }[]
      }
    }
    const { data } = await explorer.ask<Cases>('/cases', {
      filters: LUNG,
      fields: 'diagnoses.morphology',
      sort: 'submitter_id:asc',
      size: '20',
    })
    const expected = data.hits.flatMap(({ diagnoses = [] }) =>
      diagnoses.map(({ morphology = '' }) => morphology),
    )
    expect(expected.length).toBeGreaterThan(20)
    expect(await cellsOf(page, 'Morphology')).toEqual(expected)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /^Save with a row for each tumour/ }).click(),
    ])
    // A tar.gz begins with the magic number of gzip (RFC 1952 2.3.1).
    expect([...(await bytesOf(download)).subarray(0, 2)]).toEqual([0x1f, 0x8b])
  })
}
