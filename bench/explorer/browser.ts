import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Browser, chromium, type Page, type Request } from 'playwright-core'
import type { ExplorerPage } from './pages.ts'

/** From the beginning to the last change of what is seen, and what was received for it. */
export interface Timed {
  readonly milliseconds: number
  readonly bytes: number
}

/** Debian's browser, without a window. */
export async function openBrowser(): Promise<Browser> {
  const { stdout } = await promisify(execFile)('sh', ['-c', 'command -v chromium'])
  return chromium.launch({ executablePath: stdout.trim() })
}

/** Runs in the page before anything else: notes when the document last changed. */
const WATCH = `globalThis.changedAt = 0
new MutationObserver(() => { globalThis.changedAt = performance.now() })
  .observe(document, { subtree: true, childList: true, attributes: true, characterData: true })`

/** In milliseconds: nothing is under way, and nothing has changed for so long. */
const QUIET = 150
const MAX_WAIT = 60_000

/** A person who opens the explorer and goes from page to page. */
export class Visit {
  readonly page: Page
  readonly first: Timed
  readonly #traffic: Traffic

  private constructor(page: Page, traffic: Traffic, first: Timed) {
    this.page = page
    this.#traffic = traffic
    this.first = first
  }

  /** Opens the explorer in a window that remembers nothing. */
  static async begin(browser: Browser, address: string, fragment = ''): Promise<Visit> {
    const page = await (
      await browser.newContext({ viewport: { width: 1280, height: 900 } })
    ).newPage()
    await page.addInitScript(WATCH)
    const traffic = new Traffic(page)
    await page.goto(`${address}/${fragment}`)
    const changed = await settled(page, traffic)
    return new Visit(page, traffic, { milliseconds: changed, bytes: await traffic.take() })
  }

  /** Goes to a page of the explorer, as a link does. */
  async goTo({ fragment }: ExplorerPage): Promise<Timed> {
    const begun = Number(
      await this.page.evaluate(
        `{ const now = performance.now(); location.hash = ${JSON.stringify(fragment)}; now }`,
      ),
    )
    const changed = await settled(this.page, this.#traffic)
    return { milliseconds: changed - begun, bytes: await this.#traffic.take() }
  }
}

/** Requests that are under way, and what was received. */
class Traffic {
  underWay = 0
  readonly #done: Request[] = []

  constructor(page: Page) {
    page.on('request', () => this.underWay++)
    page.on('requestfinished', (request) => {
      this.underWay--
      this.#done.push(request)
    })
    page.on('requestfailed', () => this.underWay--)
  }

  /** Bytes as they came, heads and compressed bodies, since the last call. */
  async take(): Promise<number> {
    const sizes = await Promise.all(this.#done.splice(0).map((request) => request.sizes()))
    return sizes.reduce((sum, one) => sum + one.responseBodySize + one.responseHeadersSize, 0)
  }
}

/** When the document last changed, by the clock of the page, once nothing is awaited. */
async function settled(page: Page, traffic: Traffic): Promise<number> {
  const end = performance.now() + MAX_WAIT
  while (performance.now() < end) {
    await sleep(QUIET / 3)
    const [now = 0, changed = 0, awaited = 0] = (await page.evaluate(
      "[performance.now(), globalThis.changedAt, document.querySelectorAll('.renewing, [role=status]').length]",
    )) as number[]
    if (traffic.underWay === 0 && awaited === 0 && now - changed > QUIET) {
      await failOnError(page)
      return changed
    }
  }
  throw new Error(`${page.url()} does not come to rest`)
}

/** A page that shows an error is not what is to be measured. */
async function failOnError(page: Page): Promise<void> {
  const texts = await page.locator('.note.error').allInnerTexts()
  if (texts.length > 0) throw new Error(`${page.url()}: ${texts.join('; ')}`)
}
