import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { available } from '../available.ts'
import { barriers, PATIENCE_MS } from './support/browser.ts'
import { DemoInBrowser } from './support/demo-in-browser.ts'
import { type FilledRequest, filledRequests } from './support/filled-requests.ts'

// The page in a browser, checked by axe-core (https://github.com/dequelabs/axe-core).

describe.skipIf(!available.chromium)('in a browser', () => {
  const demo = new DemoInBrowser()
  const { server } = demo
  let requests: readonly FilledRequest[]

  beforeAll(async () => {
    await demo.start()
    requests = filledRequests(await (await fetch(`${server.address}/openapi.json`)).json())
  })
  afterAll(() => demo[Symbol.asyncDispose]())

  interface Seen {
    readonly page: Page
    /** Everything that the browser refused or reported as an error. */
    readonly complaints: string[]
  }

  async function see(
    path: string,
    options: Parameters<Browser['newContext']>[0] = {},
  ): Promise<Seen> {
    const page = await (await demo.browser.newContext(options)).newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) complaints.push(message.text())
    })
    await page.goto(`${server.address}${path}`)
    return { page, complaints }
  }

  const PAGES = ['/', '/terms', '/nothing-at-all']

  test.each(PAGES.flatMap((path) => ['light', 'dark'].map((scheme) => [path, scheme] as const)))(
    '%s has no barriers in %s colours, on a narrow screen, without scripts',
    async (path, scheme) => {
      const colorScheme = scheme === 'dark' ? 'dark' : 'light'
      const { page, complaints } = await see(path, {
        colorScheme,
        viewport: { width: 360, height: 640 },
      })
      expect(await barriers(page)).toEqual([])
      const width = await page.evaluate('document.documentElement.scrollWidth')
      expect(width).toBeLessThanOrEqual(360)
      expect(await page.locator('main h1').count()).toBe(1)
      expect(complaints).toEqual([])
      await page.context().close()
    },
  )

  const idOf = ({ method, pattern }: Pick<FilledRequest, 'method' | 'pattern'>) =>
    [method.toLowerCase(), ...(pattern.match(/\w+/g) ?? [])].join('_')

  /** Opens one operation, sends the values filled in, and returns the answer. */
  async function execute(page: Page, request: FilledRequest) {
    const { origin, pathname } = new URL(request.path, server.address)
    const words = `${request.method} ${request.pattern}`
    await page.locator('.operation-filter-input').fill(words)
    const operation = page.locator(`[id$="-${idOf(request)}"].opblock`)
    const control = operation.locator('.opblock-summary-control')
    await control.click()
    const answer = page.waitForResponse(
      (response) =>
        response.request().method() === request.method &&
        response.url().split('?')[0] === origin + pathname,
    )
    await operation.locator('.execute').click()
    const response = await answer
    await operation.locator('.live-responses-table').first().waitFor()
    return { response, close: () => control.click() }
  }

  test('the API page has no barriers: closed, with an operation open, and asking for a token', async () => {
    const { page, complaints } = await see('/docs')
    await page.locator('.opblock-tag').first().waitFor()
    expect(await page.locator('.opblock').count()).toBe(0)
    expect(await barriers(page)).toEqual([])
    for (const wanted of ['GET /cases', 'POST /cases', 'PATCH /submission/{program}']) {
      const request = requests.find(({ method, pattern }) => `${method} ${pattern}` === wanted)
      if (request === undefined) throw new Error(`${wanted} is not served`)
      const { close } = await execute(page, request)
      expect([wanted, await barriers(page)]).toEqual([wanted, []])
      await close()
    }
    await page.locator('.btn.authorize').first().click()
    await page.locator('.dialog-ux').waitFor()
    expect(await barriers(page)).toEqual([])
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('the API page finds an operation by its path or summary', async () => {
    const { page } = await see('/docs')
    await page.locator('.operation-filter-input').fill('analysis survival')
    const found = page.locator('.opblock-summary-path')
    await found.first().waitFor()
    expect(new Set(await found.allInnerTexts())).toEqual(new Set(['/analysis/survival']))
    await page.context().close()
  })

  /** Requests as Swagger UI sends them; the test of all operations must send the same. */
  const SENT = [
    ...['GET /files', 'GET /cases', 'POST /cases', 'GET /genes/{gene_id}', 'GET /ssms/ids'],
    ...['GET /analysis/survival', 'POST /analysis/survival', 'GET /clinical_tar', 'GET /data'],
    ...['POST /files/versions/manifest', 'POST /slicing/view/{bam_file_id}'],
    ...['POST /submission/graphql', 'GET /submission/{program}/{project}/export'],
    ...['POST /submission/validation/upload_manifest', 'POST /rest/glossary/match'],
    ...['POST /rest/mph/batch', 'GET /rest/disease/{version}/same_primary', 'GET /rest/ndc'],
    'POST /rest/staging/{algorithm}/{version}/stage',
  ]

  test('the API page sends what is filled in as the operation takes it', async () => {
    const { page } = await see('/docs', { extraHTTPHeaders: { ...server.credentials } })
    for (const wanted of SENT) {
      const request = requests.find(({ method, pattern }) => `${method} ${pattern}` === wanted)
      if (request === undefined) throw new Error(`${wanted} is not served`)
      const { response, close } = await execute(page, request)
      const sent = response.request()
      expect([wanted, response.ok()]).toEqual([wanted, true])
      expect([wanted, parametersOf(sent.url())]).toEqual([wanted, parametersOf(request.path)])
      const body = sent.postData() ?? undefined
      expect([wanted, saidBy(body)]).toEqual([wanted, saidBy(request.body)])
      await close()
    }
    await page.context().close()
  })

  /** Parameters by name; JSON is compared by value, without empty objects, which have no effect. */
  function parametersOf(url: string): Readonly<Record<string, unknown>> {
    const { searchParams } = new URL(url, server.address)
    const values = [...searchParams].map(([name, text]) => [name, saidBy(text)] as const)
    return Object.fromEntries(values.filter(([, value]) => JSON.stringify(value) !== '{}'))
  }

  function saidBy(text: string | undefined): unknown {
    try {
      return JSON.parse(text ?? 'null')
    } catch {
      return text
    }
  }
})
