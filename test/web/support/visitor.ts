import type { Locator, Page } from 'playwright-core'
import { settled } from './see-explorer.ts'

/** A user of the explorer whose steps to an answer are counted. */
export class Visitor {
  readonly page: Page
  /** The number of clicks and of fields filled in. */
  steps = 0

  constructor(page: Page) {
    this.page = page
  }

  async click(target: Locator): Promise<void> {
    this.steps++
    await target.click()
    await settled(this.page)
  }

  /** Types a text and leaves the field. */
  async type(label: string | Locator, text: string): Promise<void> {
    this.steps++
    const field = typeof label === 'string' ? this.page.getByLabel(label) : label
    await field.fill(text)
    await field.press('Enter')
    await field.blur()
    await settled(this.page)
  }

  async choose(label: string, option: string): Promise<void> {
    this.steps++
    // The text of a label includes the words of its choices.
    await this.page.getByLabel(new RegExp(`^${label}`)).selectOption({ label: option })
    await settled(this.page)
  }

  /** Opens a page from the menu. */
  async open(title: string): Promise<void> {
    const menu = this.page.getByRole('navigation', { name: 'Pages' })
    await this.click(menu.getByRole('link', { name: title, exact: true }))
    await menu.locator('[aria-current="page"]', { hasText: title }).waitFor()
    await settled(this.page)
  }

  /** Checks a value on a card of the cohort builder. */
  async check(card: string, value: string): Promise<void> {
    await this.click(
      this.page
        .getByRole('region', { name: card, exact: true })
        .getByLabel(value, { exact: false })
        .first(),
    )
  }

  /** The cells in the first rows of the first table of a figure. */
  async tableOf(title: string | RegExp): Promise<readonly (readonly string[])[]> {
    const heading = this.page.getByRole('heading', { name: title })
    const figure = this.page.locator('.figure', { has: heading }).first()
    await this.click(figure.getByRole('button', { name: 'Table', exact: true }))
    return figure
      .locator('tbody tr')
      .evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? '')),
      )
  }
}
