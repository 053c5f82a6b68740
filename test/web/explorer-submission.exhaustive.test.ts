import { hash } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { available } from '../available.ts'
import { barriers } from './support/browser.ts'
import { DemoInBrowser } from './support/demo-in-browser.ts'
import { settled } from './support/see-explorer.ts'

// A submitter sends data from the explorer, and the interface is asked whether they arrived.

const PAGE = '#/submission?project=DEMO-TRIAL'
const TABLE = ['type', 'submitter_id', 'projects.code', 'disease_type', 'primary_site'].join('\t')
const row = (name: string, site: string) => ['case', name, 'TRIAL', 'Gliomas', site].join('\t')
/** A file of more than one part in the page's uploads. */
const LARGE = Buffer.alloc(9 << 20, 'casemill\n')
const SMALL = Buffer.from('case\tdose\nann\t5\n')

describe.skipIf(!available.chromium)('submission in the explorer', () => {
  const demo = new DemoInBrowser()
  const { server } = demo
  let page: Page
  let complaints: readonly string[] = []

  beforeAll(async () => {
    await demo.start()
    const seen = await demo.see(PAGE)
    page = seen.page
    complaints = seen.complaints
  })
  afterAll(() => demo[Symbol.asyncDispose]())

  async function graphql(query: string): Promise<Record<string, unknown>> {
    const sent = await fetch(`${server.address}/submission/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...server.credentials },
      body: JSON.stringify({ query }),
    })
    return ((await sent.json()) as { readonly data: Record<string, unknown> }).data
  }

  const entity = (name: string, bytes: Buffer) => ({
    type: 'clinical_supplement',
    submitter_id: name,
    cases: [{ submitter_id: 'ann' }],
    data_category: 'Clinical',
    data_type: 'Clinical Supplement',
    data_format: 'TSV',
    file_name: name,
    file_size: bytes.length,
    md5sum: hash('md5', bytes),
  })

  test('a table is tried, then committed', async () => {
    await page.getByLabel('A table (TSV, CSV) or JSON').setInputFiles({
      name: 'cases.tsv',
      mimeType: 'text/plain',
      buffer: Buffer.from(`${TABLE}\n${row('ann', 'Brain')}\n${row('bob', 'Brain')}\n`),
    })
    await page.getByRole('button', { name: 'Try it' }).click()
    await page.getByText('It would be accepted: 2 created, 0 updated.').waitFor()
    expect(await graphql('{ case(submitter_id: "ann") { submitter_id } }')).toEqual({ case: [] })
    await page.getByRole('button', { name: 'Commit it' }).click()
    await page.getByText('It was accepted: 2 created, 0 updated.').waitFor()
    expect(await graphql('{ case(submitter_id: "ann") { submitter_id } }')).toEqual({
      case: [{ submitter_id: 'ann' }],
    })
  })

  test('errors of a table are shown with the position of their row', async () => {
    const bad = row('dan', 'no such site')
    await page.getByLabel('or paste it here').fill(`${TABLE}\n${row('eve', 'Brain')}\n${bad}\n`)
    await page.getByRole('button', { name: 'Send it' }).click()
    await page.getByText('Nothing was written.').waitFor()
    await settled(page)
    const cells = page.getByRole('region', { name: /^Transaction \d+$/ }).locator('tbody td')
    expect(await cells.first().innerText()).toBe('2')
    expect(await cells.last().innerText()).toContain('no such site')
    expect(await graphql('{ case(submitter_id: "eve") { submitter_id } }')).toEqual({ case: [] })
  })

  test('bytes of files are sent, in parts where large, and what names no entity is reported', async () => {
    const files = [entity('large.tsv', LARGE), entity('small.tsv', SMALL)]
    await page.getByLabel('or paste it here').fill(JSON.stringify(files))
    await page.getByRole('button', { name: 'Send it' }).click()
    await page.getByText('It was accepted: 2 created, 0 updated.').waitFor()
    const asked: string[] = []
    page.on('request', (request) => {
      const url = new URL(request.url())
      if (url.pathname.includes('/files/')) asked.push(`${request.method()} ${url.search}`)
    })
    const of = (name: string, buffer: Buffer) => ({ name, mimeType: 'text/plain', buffer })
    await page
      .getByLabel('Files to upload')
      .setInputFiles([of('large.tsv', LARGE), of('other.tsv', SMALL), of('small.tsv', SMALL)])
    await page.getByText('small.tsv was sent').waitFor()
    const lines = await page.locator('.uploads li').allInnerTexts()
    expect(lines.map((line) => line.split('\n', 1)[0])).toEqual([
      ...['large.tsv was sent', 'other.tsv failed', 'small.tsv was sent'],
    ])
    expect(lines[1]).toContain('No entity of the project has this file name')
    const [start, ...rest] = asked.map((line) => line.replace(/uploadId=[^&]+/, 'uploadId=U'))
    expect([start, ...rest]).toEqual([
      ...['POST ?uploads', 'PUT ?uploadId=U&partNumber=1', 'PUT ?uploadId=U&partNumber=2'],
      ...['POST ?uploadId=U', 'PUT '],
    ])
    // Size and md5 are those of the entity.
    await expect
      .poll(() => graphql('{ clinical_supplement { file_state } }'))
      .toEqual({ clinical_supplement: [{ file_state: 'validated' }, { file_state: 'validated' }] })
    await page.getByRole('button', { name: 'Refresh' }).click()
    await expect.poll(() => page.getByRole('cell', { name: 'validated' }).count()).toBe(2)
  })

  test('an upload that is cancelled leaves nothing', async () => {
    const names = entity('cancelled.tsv', LARGE)
    await page.getByLabel('or paste it here').fill(JSON.stringify(names))
    await page.getByRole('button', { name: 'Send it' }).click()
    await page.getByText('It was accepted: 1 created, 0 updated.').waitFor()
    // The second part is held back until the page has cancelled.
    await page.route(/partNumber=2/, () => undefined)
    const ended = page.waitForResponse((response) => response.request().method() === 'DELETE')
    await page
      .getByLabel('Files to upload')
      .setInputFiles({ name: 'cancelled.tsv', mimeType: 'text/plain', buffer: LARGE })
    await page.waitForRequest(/partNumber=2/)
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect((await ended).status()).toBe(204)
    await page.getByText('cancelled.tsv was cancelled').waitFor()
    expect(
      await graphql('{ clinical_supplement(submitter_id: "cancelled.tsv") { file_state } }'),
    ).toEqual({
      clinical_supplement: [{ file_state: 'registered' }],
    })
  })

  test('the page has no barriers, and nothing was complained of', async () => {
    await settled(page)
    expect(await barriers(page)).toEqual([])
    // Browsers log each failed request, such as the one with the faulty table.
    expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([])
    expect(complaints).toHaveLength(1)
  })
})
