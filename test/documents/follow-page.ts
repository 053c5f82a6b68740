import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { freePort } from '../free-port.ts'
import type { DemoService } from './demo-service.ts'
import { Interpreter } from './interpreters.ts'
import { type Language, type Page, ROOT, STARTING, shows } from './page.ts'

/** Folders of the checkout that pages name. */
const LINKED = ['engine', 'examples']

/** The files that a page requires, by the path that it uses. */
export type Given = Readonly<Record<string, readonly string[]>>

/** The page's address of the service. */
const ADDRESS = 'http://127.0.0.1:8080'

interface Following {
  /** The service that answers until the page starts its own. */
  readonly demo?: DemoService
  /** Ends everything that the page has started. */
  readonly signal: AbortSignal
}

/**
 * Follows a page in a new folder, from its first block to its last. Throws if a block fails or its output
 * differs from the page's.
 */
export async function followPage(
  page: Page,
  given: Given,
  { demo, signal }: Following,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'casemill-page-'))
  for (const name of LINKED) symlinkSync(join(ROOT, name), join(folder, name))
  // The demo's folder is where it was started.
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
    // The service that the page started last answers.
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
    // The service occupies the terminal, so the reader continues in a second one without the variables of the first.
    if (STARTING.test(code)) interpreters.delete('sh')
    if (printed !== undefined && !shows(printed.replaceAll(ADDRESS, served), output)) {
      throw new Error(`the block at ${place} printed\n${output}\ninstead of\n${printed}`)
    }
  }
}

/** A single file is written to the path itself; several are written to a folder at the path. */
function giveFiles(path: string, files: readonly string[]): void {
  const isFolder = path.endsWith('/')
  if (isFolder) mkdirSync(path)
  for (const file of files) symlinkSync(file, isFolder ? join(path, basename(file)) : path)
}
