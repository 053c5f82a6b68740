import type { Browser } from 'playwright-core'
import { DemoServer } from '../../attack/support/demo-server.ts'
import { openBrowser } from './browser.ts'
import { type Seen, seeExplorer } from './see-explorer.ts'

/** A service with the demo's data, and a browser that shows it. */
export class DemoInBrowser implements AsyncDisposable {
  readonly server = new DemoServer()
  #browser: Browser | undefined

  async start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.server.start(settings)
    this.#browser = await openBrowser()
  }

  get browser(): Browser {
    if (!this.#browser) throw new Error('the browser is not open yet')
    return this.#browser
  }

  /** Opens the explorer at a fragment. */
  see(fragment: string, options?: Parameters<Browser['newContext']>[0]): Promise<Seen> {
    return seeExplorer(this.browser, this.server, fragment, options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser?.close()
    await this.server[Symbol.asyncDispose]()
  }
}
