import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { available } from '../../available.ts'
import type { AskedExplorer, Counts } from './asked-explorer.ts'
import { startPortal } from './portal.ts'
import { WOMEN } from './shown-cohorts.ts'

/** Tests the public portal's requests with the rule of docs/how-to/public-portal.md. */
export function testPortal(explorer: AskedExplorer): void {
  const { demo, server } = explorer
  describe.skipIf(!available.nginx)(
    'a page that asks as the public portal does, behind one rule',
    () => {
      interface Said<Body = unknown> {
        readonly status: number
        readonly text: string
        readonly body: Body
      }
      let portal: Awaited<ReturnType<typeof startPortal>>
      let page: Page
      const run = <Answer>(script: string) => page.evaluate(script) as Promise<Answer>
      const asked = <Body>(path: string, ...more: readonly unknown[]) =>
        run<Said<Body>>(`ask(${[path, ...more].map((one) => JSON.stringify(one)).join(', ')})`)

      beforeAll(async () => {
        portal = await startPortal(server.address)
        page = await (await demo.browser.newContext()).newPage()
        // The page is below a folder, which becomes the path of cookies set by a script.
        await page.goto(`${portal.address}/cases/one`)
      })
      afterAll(async () => {
        await page?.context().close()
        await portal?.[Symbol.asyncDispose]()
      })

      test('counts are those of REST', async () => {
        const query =
          '{viewer{repository{files{hits(first:0){total}}}explore{cases{hits(first:0){total}}}}}'
        const { status, body } = await asked('/auth/api/v0/graphql', { query, variables: {} })
        const [files, cases] = await Promise.all(
          ['/files', '/cases'].map(
            async (path) => (await explorer.ask<Counts>(path, { size: '0' })).data.pagination.total,
          ),
        )
        expect([status, body]).toEqual([
          200,
          {
            data: {
              viewer: {
                repository: { files: { hits: { total: files } } },
                explore: { cases: { hits: { total: cases } } },
              },
            },
          },
        ])
      })

      test('a download by form ends the cookie that the page waits for', async () => {
        const form = [
          ['filters', WOMEN.replace('demographic', 'cases.demographic')],
          ['return_type', 'manifest'],
          ['size', '1000'],
          ['filename', 'women.txt'],
        ]
        const [download, key] = await Promise.all([
          page.waitForEvent('download'),
          run<string>(`download('/files', ${JSON.stringify(form)})`),
        ])
        expect(download.suggestedFilename()).toBe('women.txt')
        await expect.poll(() => run(`isAwaited('${key}')`)).toBe(false)
      })

      test('a download that fails leaves the cookie, and its words in the frame', async () => {
        const key = await run<string>(`download('/files', [['filters', '{"op":"in"}']])`)
        await expect.poll(() => run(`said('${key}')`)).toMatch(/^\{"error":"/)
        expect(await run(`isAwaited('${key}')`)).toBe(true)
      })

      test('cohorts outlive a new start of the page, which tries to remove their cookie', async () => {
        const cohorts = '/auth/api/v0/cohorts'
        expect((await asked(cohorts)).body).toEqual([])
        const cohort = { name: 'Women', filters: JSON.parse(WOMEN), type: 'dynamic' }
        const made = await asked(`${cohorts}?delete_existing=false`, cohort)
        expect(made).toMatchObject({ status: 201, body: cohort })
        expect(await run('document.cookie')).not.toContain('gdc_context_id')
        await page.reload()
        expect((await asked(`${cohorts}?include_case_ids=true`)).body).toMatchObject([cohort])
        const taken = await asked(`${cohorts}?delete_existing=false`, { ...cohort, name: 'women' })
        expect(taken).toMatchObject({
          status: 400,
          body: { message: 'Bad Request: Name must be unique (case-insensitive)' },
        })
      })

      test('a window logs in by a token, and goes back to the page', async () => {
        expect((await asked('/auth/user')).status).toBe(401)
        expect((await asked('/auth/token/refresh')).status).toBe(401)
        const [window] = await Promise.all([
          page.waitForEvent('popup'),
          run(`void open('/auth?next=' + encodeURIComponent(location.origin + '/projects'))`),
        ])
        const token = server.credentials['X-Auth-Token'] ?? ''
        await window.getByLabel('Token').fill(token)
        await window.getByRole('button', { name: 'Log in' }).click()
        await window.waitForURL(`${portal.address}/projects`)
        await window.close()
        const user = await asked<{ readonly projects: { readonly gdc_ids: unknown } }>('/auth/user')
        expect(user).toMatchObject({ status: 200, body: { username: expect.any(String) } })
        expect(user.body.projects.gdc_ids).toBeTypeOf('object')
        expect((await asked('/auth/token/refresh')).text).toBe(token)
        expect(await run('document.cookie')).not.toContain(token)
        await asked('/auth/logout?next=/')
        expect((await asked('/auth/user')).status).toBe(401)
      })

      test('tiles and the viewer are not there, in words', async () => {
        for (const path of ['/tile/metadata/one', '/custom/proteinpaint/genomes']) {
          const at = path.startsWith('/tile') ? `/auth/api/v0${path}` : `/auth/api${path}`
          const { status, body } = await asked<{ readonly message: string }>(at)
          expect([status, body.message]).toEqual([404, expect.any(String)])
        }
      })
    },
  )
}
