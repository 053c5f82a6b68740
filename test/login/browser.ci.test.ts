import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { available } from '../available.ts'
import { barriers, openBrowser } from '../web/support/browser.ts'
import { type LoginWorld, startLoginWorld } from './support/login-world.ts'

// A person at the page of the account, in Debian's browser, from the log-in to the log-out at the institution.

describe.skipIf(!available.chromium)('the page of the account', () => {
  let world: LoginWorld
  let browser: Browser
  const problems: string[] = []
  beforeAll(async () => {
    world = await startLoginWorld({ hasExplorer: true })
    const group = { issuer: world.provider.issuer, claim: 'groups', value: 'readers' }
    await world.engine.shared.accessMap.map(group, { projects: ['P-1:read,create'] })
    browser = await openBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await world?.[Symbol.asyncDispose]()
  })

  async function newPage(): Promise<Page> {
    const page = await browser.newPage()
    page.on('pageerror', (error) => problems.push(String(error)))
    return page
  }

  const logIn = async (page: Page) => {
    await page.goto(`${world.address}/#/account`)
    await page.getByRole('link', { name: 'Log in at your institution' }).click()
    await page.getByLabel('Account').fill('ada')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('You are logged in as Ada Example.').waitFor()
  }
  const statusWith = async (token: string) =>
    (await fetch(`${world.address}/auth/user`, { headers: { 'X-Auth-Token': token } })).status

  test('a person logs in, makes a token, revokes it, and logs out', {
    timeout: 60_000,
  }, async () => {
    const page = await newPage()
    await logIn(page)
    expect(page.url()).toBe(`${world.address}/#/account`)
    await page.getByText('Your projects: P-1 (read, create).').waitFor()
    // Scripts cannot read the session.
    expect(await page.evaluate('document.cookie')).toBe('')

    await page.getByLabel('Name').fill('for R')
    await page.getByLabel('Days until it expires').fill('7')
    await page.getByRole('button', { name: 'Make token' }).click()
    const token = await page.getByRole('status').locator('code').innerText()
    expect(token).toMatch(/^cmp_/)
    expect(await statusWith(token)).toBe(200)
    expect(await barriers(page)).toEqual([])

    // It is shown once.
    await page.reload()
    await page.getByRole('button', { name: 'Revoke for R' }).waitFor()
    expect(await page.content()).not.toContain(token.slice(21))
    await page.getByRole('button', { name: 'Revoke for R' }).click()
    await page.getByRole('button', { name: 'Revoke for R' }).waitFor({ state: 'detached' })
    expect(await statusWith(token)).toBe(401)

    await page.getByRole('link', { name: 'Log out' }).click()
    await page.getByRole('button', { name: 'Yes, sign me out' }).click()
    await page.getByText('You are not logged in.').waitFor()
    expect(problems).toEqual([])
    await page.close()
  })

  test('a page of another site cannot use the session', { timeout: 60_000 }, async () => {
    const page = await newPage()
    await logIn(page)
    // The provider's host has another name, and is another site for the browser.
    await page.goto(`${world.provider.issuer}/jwks`)
    const attack = `(async () => {
      const to = ${JSON.stringify(world.address)}
      const tried = []
      for (const init of [
        { method: 'POST', body: JSON.stringify({ name: 'stolen' }), credentials: 'include', mode: 'no-cors' },
        { method: 'GET', credentials: 'include', mode: 'no-cors' },
      ]) {
        for (const path of ['/auth/tokens', '/auth/logout', '/auth/token/refresh']) {
          tried.push(await fetch(to + path, init).then(() => 'sent', String))
        }
      }
      return tried
    })()`
    await page.evaluate(attack)
    // A link that the person follows sends the cookie.
    await page.evaluate(`location.href = ${JSON.stringify(`${world.address}/auth/logout`)}`)
    await page.waitForURL(`${world.address}/**`)
    expect(await page.innerText('body')).toContain('only works from a page of this service')
    await page.goto(`${world.address}/#/account`)
    await page.getByText('You are logged in as Ada Example.').waitFor()
    expect(await page.getByRole('button', { name: /^Revoke/ }).count()).toBe(0)
    await page.close()
  })
})
