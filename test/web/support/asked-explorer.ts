import type { Browser } from 'playwright-core'
import { expect } from 'vitest'
import { eventually } from '../../eventually.ts'
import { DemoInBrowser } from './demo-in-browser.ts'
import { goTo, type Seen } from './see-explorer.ts'

const WINDOW = { width: 1280, height: 720 }

/** The answer to a request for counts. */
export interface Counts {
  readonly data: {
    readonly pagination: { readonly total: number }
    readonly aggregations: Readonly<
      Record<string, { readonly buckets: readonly { key: string; doc_count: number }[] }>
    >
  }
}

/** The explorer with the demo, and the interface that it uses. */
export class AskedExplorer implements AsyncDisposable {
  readonly demo = new DemoInBrowser()
  readonly server = this.demo.server
  #window: Seen | undefined

  async start(): Promise<void> {
    await this.demo.start()
    const isReady = async () => (await fetch(`${this.server.address}/health/ready`)).ok
    // Until then, the page for operators correctly reports that the service is not ready.
    await eventually(async () => expect(await isReady()).toBe(true))
  }

  /**
   * Leads the window that most tests share to a page, since each new window loads and draws the whole explorer
   * again. Its state is in its address, but for the secrets.
   */
  async lead(fragment: string): Promise<Seen> {
    this.#window ??= await this.see('#/')
    const { page, complaints } = this.#window
    complaints.length = 0
    await page.emulateMedia({ media: null, colorScheme: null })
    await page.setViewportSize(WINDOW)
    await goTo(page, fragment)
    return this.#window
  }

  /** Opens a separate window. */
  see(fragment: string, options?: Parameters<Browser['newContext']>[0]): Promise<Seen> {
    return this.demo.see(fragment, options)
  }

  /** The interface's JSON answer. */
  async ask<Answer>(path: string, query: Readonly<Record<string, string>>): Promise<Answer> {
    const response = await fetch(`${this.server.address}${path}?${new URLSearchParams(query)}`)
    expect(response.status).toBe(200)
    return (await response.json()) as Answer
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.demo[Symbol.asyncDispose]()
  }
}

/** Parses a number as pages write it. */
export const numberOf = (text: string): number => Number(text.replaceAll(',', ''))
