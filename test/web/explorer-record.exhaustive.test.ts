import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { available } from '../available.ts'
import { barriers } from './support/browser.ts'
import { DemoInBrowser } from './support/demo-in-browser.ts'
import { type Seen, settled } from './support/see-explorer.ts'

// The page for operators shows the record, if one is kept.

const FILE = '0c2a4a8e-53a5-5d35-9c3f-6f0f6c6b1d02'
const TITLE = 'Who had which controlled data'

describe.skipIf(!available.chromium)('the record in the explorer', () => {
  const [kept, none] = [new DemoInBrowser(), new DemoInBrowser()]
  beforeAll(async () => {
    await kept.start({ CASEMILL_AUDIT: 'true' })
    await none.start()
  })
  afterAll(async () => {
    await kept[Symbol.asyncDispose]()
    await none[Symbol.asyncDispose]()
  })

  async function search({ page }: Seen, field: string, text: string): Promise<void> {
    await page.getByLabel(field, { exact: true }).fill(text)
    await page.getByRole('button', { name: 'Search the record' }).click()
  }

  test('shows who had a file, and what a user had', async () => {
    const { address } = kept.server
    const admin = {
      'X-Auth-Token': await kept.server.secret('token', 'create', '--user', 'ada', '--admin'),
    }
    expect((await fetch(`${address}/data/${FILE}`, { headers: admin })).status).toBe(200)
    kept.server.credentials = { ...kept.server.credentials, ...admin }
    const seen = await kept.see('#/operator')
    await search(seen, 'File (ID)', FILE)
    const row = seen.page.getByRole('row').filter({ hasText: 'GET /data/{ids}' })
    expect(await row.innerText()).toMatch(/ada\s[\s\S]*token [0-9a-f]{16}\s[\s\S]*200/)
    await search(seen, 'File (ID)', '')
    await search(seen, 'User', 'nobody')
    await seen.page.getByText('0 events of this node').waitFor()
    await settled(seen.page)
    expect(await barriers(seen.page)).toEqual([])
    expect(seen.complaints).toEqual([])
  })

  test('is not mentioned where none is kept', async () => {
    const { page } = await none.see('#/operator')
    await page.getByText('Requests answered since the start').first().waitFor()
    expect(await page.getByText(TITLE).count()).toBe(0)
  })
})
