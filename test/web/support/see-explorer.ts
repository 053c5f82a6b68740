import type { Browser, Page } from 'playwright-core'
import type { DemoServer } from '../../attack/support/demo-server.ts'
import { PATIENCE_MS } from './browser.ts'

/** The explorer in a browser. */
export interface Seen {
  readonly page: Page
  /** Errors of scripts, violations of the content policy, and requests to other hosts. */
  readonly complaints: string[]
}

/** Opens the explorer at a fragment, with the demo's token and key. */
export async function seeExplorer(
  browser: Browser,
  server: Pick<DemoServer, 'address' | 'credentials'>,
  fragment: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Seen> {
  const page = await (await browser.newContext(options)).newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error.stack)))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (/^https?:$/.test(url.protocol) && url.origin !== server.address) {
      complaints.push(request.url())
    }
  })
  await page.goto(server.address)
  await page.getByText('Sign in').click()
  const { 'X-SEERAPI-Key': key = '', 'X-Auth-Token': token = '' } = server.credentials
  await page.getByLabel('Key of the registry').fill(key)
  await page.getByLabel('Token of the data commons').fill(token)
  await page.getByRole('button', { name: 'Use them' }).click()
  await page.locator('.credentials summary').click()
  await goTo(page, fragment)
  return { page, complaints }
}

/** Goes to a page of the explorer, and waits until it is complete. */
export async function goTo(page: Page, fragment: string): Promise<void> {
  // Until the event, the previous page is still shown.
  await page.evaluate(`new Promise((resolve) => {
    const before = location.href
    addEventListener('hashchange', resolve, { once: true })
    location.hash = ${JSON.stringify(fragment)}
    if (location.href === before) resolve()
  })`)
  await settled(page)
}

/** Three frames and a task later, changes have been drawn and their effects have started. */
const DRAWN = `new Promise((resolve) =>
  requestAnimationFrame(() => requestAnimationFrame(() =>
    requestAnimationFrame(() => setTimeout(resolve)))))`

/** Waits until no request is pending, including those that answers cause a moment later. */
export async function settled(page: Page): Promise<void> {
  const awaited = page.locator('.renewing, [role=status]')
  await page.evaluate(DRAWN)
  await page.waitForLoadState('networkidle')
  for (let quiet = 0; quiet < 2; quiet++) {
    if ((await awaited.count()) > 0) quiet = 0
    await awaited.first().waitFor({ state: 'detached' })
    await page.evaluate(DRAWN)
  }
}
