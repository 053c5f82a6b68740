import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { freePort } from '../free-port.ts'
import type { DemoService } from './demo-service.ts'
import { Interpreter } from './interpreters.ts'
import { type Language, type Page, ROOT, STARTING, shows } from './page.ts'

/** Folders of the checkout that pages name. */
const LINKED = ['engine', 'examples']

/** Files that a page says it needs, by the path that it gives them. */
export type Given = Readonly<Record<string, readonly string[]>>

/** The page's address of the service. */
const ADDRESS = 'http://127.0.0.1:8080'

interface Following {
  /** What answers until the page starts a service of its own. */
  readonly demo?: DemoService
  /** Ends all that the page started. */
  readonly signal: AbortSignal
}

/**
 * Does in a fresh folder what a page says, from its first block to its last.
 * Throws when a block fails, or prints something else than the page shows.
 */
export async function followPage(
  page: Page,
  given: Given,
  { demo, signal }: Following,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'casemill-page-'))
  for (const name of LINKED) symlinkSync(join(ROOT, name), join(folder, name))
  // The demo lies where it was started.
  if (demo) symlinkSync(demo.data, join(folder, basename(demo.data)))
  for (const [path, files] of Object.entries(given)) giveFiles(join(folder, path), files)
  const port = await freePort()
  const own = `http://127.0.0.1:${port}`
  const environment = {
    NODE: process.execPath,
    CHECKOUT: ROOT,
    SERVED: own,
    DEMO: demo?.address ?? '',
    CASEMILL_PORT: String(port),
    CASEMILL_LOG_LEVEL: 'error',
    PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`,
  }
  await using running = new AsyncDisposableStack()
  running.defer(() => rmSync(folder, { recursive: true, force: true }))
  const interpreters = new Map<Language, Interpreter>()
  let served = demo?.address ?? own
  for (const [i, { language, code, printed, line }] of page.steps.entries()) {
    const interpreter =
      interpreters.get(language) ??
      running.use(new Interpreter(language, { cwd: folder, environment, signal }))
    interpreters.set(language, interpreter)
    // What the page started last is what answers.
    if (/^npm start -- /m.test(code)) served = own
    const block = join(folder, `.block-${i}`)
    const here = code
      .replaceAll(ADDRESS, served)
      .replaceAll('the-printed-token', demo?.token ?? '')
      .replaceAll('the-printed-key', demo?.key ?? '')
    writeFileSync(block, here)
    const place = `${page.path}:${line}`
    const output = await interpreter.run(block).catch((cause: Error) => {
      throw new Error(`the block at ${place} failed: ${cause.message}`, { cause })
    })
    // The service keeps the terminal: a reader goes on in a second one, which knows no variable of the first.
    if (STARTING.test(code)) interpreters.delete('sh')
    if (printed !== undefined && !shows(printed.replaceAll(ADDRESS, served), output)) {
      throw new Error(`the block at ${place} printed\n${output}\ninstead of\n${printed}`)
    }
  }
}

/** One file has the name that is given; several are in a folder of that name. */
function giveFiles(path: string, files: readonly string[]): void {
  const isFolder = path.endsWith('/')
  if (isFolder) mkdirSync(path)
  for (const file of files) symlinkSync(file, isFolder ? join(path, basename(file)) : path)
}
