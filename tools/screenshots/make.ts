import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { type Browser, chromium, type Page } from 'playwright-core'
import { VIEWS, type View } from './views.ts'

// Makes pictures of all pages of the explorer on the demo, in both colour schemes and two widths, as
// docs/explorer/NAME-SCHEME-WIDTH.webp. Words make only those whose names they are.
//
//     npm run screenshots -- survival reads

const FOLDER = resolve(import.meta.dirname, '../../docs/explorer')
const PROGRAM = resolve(import.meta.dirname, '../../bin/casemill.ts')
const SCHEMES = ['light', 'dark'] as const
/** Sizes in CSS pixels. Anything below `most` is cut off. */
const SIZES = [
  { width: 1280, most: 1500 },
  { width: 390, most: 1700 },
] as const
const HEIGHT = 800
/** Quality of WebP at which letters are still sharp. */
const QUALITY = 60

interface Demo {
  readonly address: string
  readonly token: string
  readonly key: string
  readonly child: ChildProcess
}

/** The demo as `npm start` shows it, in a folder of its own. */
async function startDemo(folder: string): Promise<Demo> {
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let [token, key] = ['', '']
  for await (const line of createInterface({ input: child.stdout })) {
    const [, kind, secret = ''] = /^demo (token|key) .*: (\S+)$/.exec(line) ?? []
    if (kind === 'token') token = secret
    if (kind === 'key') key = secret
    const address = /^curl .*(http:\/\/127\.0\.0\.1:\d+)\//.exec(line)?.[1]
    if (address === undefined) continue
    child.stdout.resume()
    return { address, token, key, child }
  }
  throw new Error('the demo ended before it listened')
}

async function signIn(page: Page, { address, token, key }: Demo): Promise<void> {
  await page.goto(address)
  await page.getByText('Sign in').click()
  await page.getByLabel('Key of the registry').fill(key)
  await page.getByLabel('Token of the data commons').fill(token)
  await page.getByRole('button', { name: 'Use them' }).click()
  await page.locator('.credentials summary').click()
}

async function show(page: Page, { fragment }: View): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${fragment}`)}`)
  // What one answer leads to is asked for a moment later.
  for (let looks = 0; looks < 2; looks++) {
    await page.waitForLoadState('networkidle')
    await page.locator('.renewing, [role=status]').first().waitFor({ state: 'detached' })
    await page.waitForTimeout(SETTLING_MILLISECONDS)
  }
}

/** Canvases are drawn with the next frames. */
const SETTLING_MILLISECONDS = 400

/** Playwright writes no WebP; the browser does. */
async function picture(page: Page, width: number, most: number): Promise<Buffer> {
  const all = Number(await page.evaluate('document.documentElement.scrollHeight'))
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: QUALITY,
    captureBeyondViewport: true,
    clip: { x: 0, y: 0, width, height: Math.min(all, most), scale: 1 },
  })
  await session.detach()
  return Buffer.from(data, 'base64')
}

async function makeAll(browser: Browser, demo: Demo, views: readonly View[]): Promise<void> {
  for (const colorScheme of SCHEMES) {
    for (const { width, most } of SIZES) {
      const viewport = { width, height: HEIGHT }
      const context = await browser.newContext({ colorScheme, viewport })
      const page = await context.newPage()
      await signIn(page, demo)
      for (const view of views) {
        await show(page, view)
        const path = join(FOLDER, `${view.name}-${colorScheme}-${width}.webp`)
        await writeFile(path, await picture(page, width, most))
      }
      await context.close()
    }
  }
}

const wanted = process.argv.slice(2)
const views = wanted.length === 0 ? VIEWS : VIEWS.filter(({ name }) => wanted.includes(name))
const folder = await mkdtemp(join(tmpdir(), 'casemill-screenshots-'))
await mkdir(FOLDER, { recursive: true })
const demo = await startDemo(folder)
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
})
try {
  await makeAll(browser, demo, views)
} finally {
  await browser.close()
  demo.child.kill()
  await rm(folder, { recursive: true, force: true })
}
const names = await readdir(FOLDER)
const sizes = await Promise.all(names.map(async (name) => (await stat(join(FOLDER, name))).size))
const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e6
process.stdout.write(`${names.length} pictures of ${megabytes.toFixed(1)} MB in ${FOLDER}\n`)
