import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { DEMO_REGISTRY_FILE } from '../../../fixtures/naaccr/items.ts'
import type { AskedExplorer } from './asked-explorer.ts'
import { STAGING, TUMOURS } from './shown-cohorts.ts'

interface AnsweredPatient {
  readonly tumors?: readonly { readonly edits: readonly unknown[] }[]
}

/** Opens a part of the page that is folded, unless an earlier test has. */
async function unfold(page: Page, summary: string): Promise<void> {
  const part = page.locator('details', { has: page.getByText(summary, { exact: true }) })
  if ((await part.getAttribute('open')) === null) await part.getByText(summary).click()
}

/** The demo's registry file with its patients so many times. */
function manyPatients(times: number): string {
  const start = DEMO_REGISTRY_FILE.indexOf('<Patient>')
  const end = DEMO_REGISTRY_FILE.lastIndexOf('</Patient>') + '</Patient>'.length
  const patients = DEMO_REGISTRY_FILE.slice(start, end)
  const all = `${patients}\n`.repeat(times)
  return `${DEMO_REGISTRY_FILE.slice(0, start)}${all}${DEMO_REGISTRY_FILE.slice(end)}`
}

/** Tests of staging, multiple primaries, the reference, and submission. */
export function testRegistry(explorer: AskedExplorer): void {
  const { server } = explorer

  test('staging shows the stage of the interface, and each row that decided', async () => {
    const { page } = await explorer.lead(STAGING)
    const response = await fetch(`${server.address}/rest/staging/demo/1.0/stage?explain=true`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...server.credentials },
      body: JSON.stringify({
        site: 'C182',
        hist: '8140',
        year_dx: '2023',
        depth: 'B2',
        size: '035',
        nodes_pos: '02',
      }),
    })
    interface Staged {
      readonly output: Readonly<Record<string, string>>
      readonly explain: readonly { readonly table: string; readonly purpose: string }[]
    }
    const { output, explain } = (await response.json()) as Staged
    const shown = await page.locator('dl.outputs dd').allInnerTexts()
    expect(shown).toEqual(Object.values(output).map((value) => value || '–'))
    const decided = explain.filter(({ purpose }) => ['path', 'jump', 'selection'].includes(purpose))
    expect(await page.locator('.path summary strong').allInnerTexts()).toEqual(
      decided.map(({ table }) => table),
    )
    await page.getByRole('button', { name: 'Try every other code' }).click()
    const row = page.getByRole('row').filter({ hasText: 'No growth found' })
    await row.waitFor()
    expect(await row.innerText()).toContain('stage: 3 → U')
  })

  test('a file of cases is staged as the interface stages it, line by line', async () => {
    const cases = Array.from({ length: 600 }, (_, i) => ({
      site: i % 50 === 7 ? 'C509' : 'C182',
      hist: '8140',
      year_dx: '2023',
      depth: ['A1', 'B1', 'B2', 'XX'][i % 4] ?? '',
      size: '035',
      nodes_pos: String(i % 3).padStart(2, '0'),
    }))
    const response = await fetch(`${server.address}/rest/staging/demo/1.0/stage/batch`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson', ...server.credentials },
      body: cases.map((one) => `${JSON.stringify(one)}\n`).join(''),
    })
    const answers = (await response.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly result: string; readonly output: object })
    const names = Object.keys(cases[0] ?? {})
    const rows = cases.map((one) => Object.values(one).join(','))
    const { page } = await explorer.lead('#/staging?algorithm=demo&version=1.0')
    await unfold(page, 'Stage a file of cases')
    const buffer = Buffer.from(`${names.join(',')}\n${rows.join('\n')}\n`)
    const file = { name: 'cases.csv', mimeType: 'text/csv', buffer }
    await page.locator('.case-file input').setInputFiles(file)
    await page.getByRole('heading', { name: '600 cases' }).waitFor()
    const started = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save results as JSON lines' }).click()
    const saved = await readFile(await (await started).path(), 'utf8')
    const shown = saved
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as (typeof answers)[number] & { readonly line: number })
    expect(shown.map(({ line }) => line)).toEqual(cases.map((_, i) => i + 2))
    expect(shown.map(({ result, output }) => ({ result, output }))).toEqual(
      answers.map(({ result, output = {} }) => ({ result, output })),
    )
    const failed = answers.filter(({ result }) => result !== 'STAGED').length
    expect(failed).toBeGreaterThan(0)
    const caption = page.getByRole('table', { name: 'Cases that were not staged' })
    expect(await caption.locator('tbody tr').count()).toBe(Math.min(failed, 20))
  })

  test('a registry file is staged and edited as the interface does it, patient by patient', async () => {
    const xml = manyPatients(1500)
    const posted = async (path: string) => {
      const response = await fetch(`${server.address}/rest/naaccr/${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/xml', ...server.credentials },
        body: xml,
      })
      const lines = (await response.text()).trimEnd().split('\n')
      return lines.map((line) => JSON.parse(line) as AnsweredPatient)
    }
    const { page } = await explorer.lead('#/staging?algorithm=demo&version=1.0')
    const file = { name: 'cases.xml', mimeType: 'text/xml', buffer: Buffer.from(xml) }
    const saved = async (of: string) => {
      const started = page.waitForEvent('download')
      await page.locator(of).getByRole('button', { name: 'Save results as JSON lines' }).click()
      const lines = (await readFile(await (await started).path(), 'utf8')).trimEnd().split('\n')
      return lines.map((line) => JSON.parse(line) as AnsweredPatient)
    }
    await unfold(page, 'Stage a file of cases')
    await page.locator('.case-file input').setInputFiles(file)
    await page.getByRole('heading', { name: '3,000 cases' }).waitFor()
    const items = 'primarySite,histologicTypeIcdO3,dateOfDiagnosis'
    const staged = await posted(`process?algorithm=demo&version=1.0&items=${items}`)
    expect(await saved('.case-file')).toEqual(staged.slice(0, -1))
    await page.getByLabel('Count by').selectOption('site')
    const counted = page.getByRole('table', { name: 'Cases by site' })
    const rows = await counted.locator('tbody tr').allInnerTexts()
    expect(rows.map((row) => row.split('\t'))).toEqual([
      ['C182', '1,500'],
      ['C999', '1,500'],
    ])
    const failed = page.getByRole('table', { name: 'Cases that were not staged' })
    expect(await failed.locator('tbody tr').count()).toBe(20)
    await page.getByRole('table', { name: 'What else was found in the file' }).waitFor()

    await unfold(page, 'Edit a registry file')
    await page.locator('.edit-file input').setInputFiles(file)
    const edited = await posted('edits')
    const own = edited.flatMap(({ tumors = [] }) => tumors)
    const passed = own.filter(({ edits }) => edits.length === 0).length.toLocaleString('en')
    const heading = `${passed} of 3,000 tumors pass all edits`
    await page.getByRole('heading', { name: heading }).waitFor()
    expect(await saved('.edit-file')).toEqual(edited.slice(0, -1))
    // The service keeps nothing of a file, and neither does the page.
    const stored = `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])`
    expect(await page.evaluate(stored)).not.toContain('C182')
  })

  test('a file that the service refuses says why', async () => {
    const { page } = await explorer.lead('#/staging?algorithm=demo&version=1.0')
    const buffer = Buffer.from(manyPatients(1).replace('</NaaccrData>', '<broken>'))
    await unfold(page, 'Stage a file of cases')
    await page
      .locator('.case-file input')
      .setInputFiles({ name: 'broken.xml', mimeType: 'text/xml', buffer })
    await page.locator('.case-file').getByRole('alert').waitFor()
    const told = await page.locator('.case-file').getByRole('alert').innerText()
    expect(told).toContain('go on from line')
    await page.getByRole('heading', { name: '2 cases' }).waitFor()
  })

  test('multiple primaries shows the rule that decided a pair', async () => {
    const { page } = await explorer.lead(`#/primaries?${TUMOURS}`)
    expect(await page.locator('main h2').first().innerText()).toBe('2 primaries')
    await page.locator('.matrix button').first().click()
    // The pair meets rule M7 for the breast: both sides (Solid Tumor Rules).
    await page.locator('li.fits', { hasText: 'M7' }).waitFor()
  })

  test('codes are read as people write them, and what is invalid is no primary', async () => {
    const primaries = (tumours: string) =>
      explorer.lead(`#/primaries?tumours=${encodeURIComponent(tumours)}`)
    const headline = async (tumours: string) => {
      const { page } = await primaries(tumours)
      await page.locator('.matrix').waitFor()
      const text = await page.locator('main h2').first().innerText()
      return text
    }
    // The answer to the same tumours in the registry's own format.
    expect(await headline('C504,8500,3,1,2019,,;C501,8500,3,1,2020,,')).toBe('1 primary')
    expect(await headline('c50.4,8500/3,,1,2019,,;C50.1,M-8500/3,3,1,2020,,')).toBe('1 primary')
    expect(await headline('C504,8500,3,1,2019,,;C9X,8500,3,1,2020,,')).toBe(
      '1 primary, 1 invalid and not counted',
    )
    const { page } = await primaries('c50.4,8500/3,2,1,20,,;C501,8500,3,1,2020,,')
    expect(await page.getByRole('alert').locator('li').allInnerTexts()).toEqual([
      'Tumour 1: 8500/3 says behaviour 3, and the form 2',
      'Tumour 1: write the year 20 with four digits: 1920 or 2020',
    ])
    expect(await page.locator('.readings li').allInnerTexts()).toEqual([
      'Tumour 1: c50.4 is read as C504',
      'Tumour 1: 8500/3 is read as 8500 with behaviour 3',
    ])
    expect(await page.locator('.matrix').count()).toBe(0)
  })

  test('a search of the reference opens what it finds', async () => {
    const { page } = await explorer.lead('#/reference')
    await page.getByLabel('Name, code or word').fill('doxorubicin')
    await page.getByRole('link', { name: 'Doxorubicin', exact: true }).click()
    await page.locator('.facts dd', { hasText: 'Anthracycline' }).waitFor()
  })

  test('submission shows what a project has, and what is wrong with what was sent', async () => {
    const sent = await fetch(`${server.address}/submission/DEMO/TRIAL/_dry_run`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...server.credentials },
      body: JSON.stringify({ type: 'case', submitter_id: 'faulty', projects: { code: 'TRIAL' } }),
    })
    interface Refused {
      readonly transaction_id: number
      readonly entities: readonly { readonly errors: readonly { readonly message: string }[] }[]
    }
    const { transaction_id, entities } = (await sent.json()) as Refused
    const { page } = await explorer.lead(`#/submission?project=DEMO-TRIAL&open=${transaction_id}`)
    const shown = page.getByRole('region', { name: `Transaction ${transaction_id}` })
    const messages = await shown.locator('tbody td:last-child').allInnerTexts()
    expect(messages).toEqual(entities[0]?.errors.map(({ message }) => message))
    await page.getByRole('button', { name: 'Table', exact: true }).click()
    const row = page.getByRole('row').filter({ has: page.getByText('sample', { exact: true }) })
    const counted = await fetch(`${server.address}/submission/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...server.credentials },
      body: JSON.stringify({ query: '{ _sample_count(project_id: "DEMO-TRIAL") }' }),
    })
    const { data } = (await counted.json()) as { readonly data: Record<string, number> }
    expect(await row.locator('td').last().innerText()).toBe(String(data._sample_count))
  })
}
