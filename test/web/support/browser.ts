import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'

/** What takes so long hangs; a busy machine is no failure. */
export const PATIENCE_MS = 120_000

/** Debian's browser, without a window. */
export async function openBrowser(): Promise<Browser> {
  const { stdout } = await promisify(execFile)('sh', ['-c', 'command -v chromium'])
  return chromium.launch({ executablePath: stdout.trim() })
}

const SETTLED = `Promise.allSettled(document.getAnimations()
  .filter((one) => one.effect.getComputedTiming().endTime !== Infinity)
  .map((one) => one.finished))`

/** What hinders people on a page seriously or wholly, as rule and element. */
export async function barriers(page: Page): Promise<readonly string[]> {
  // Colours that are on their way are judged as they end.
  await page.evaluate(SETTLED)
  // A page that is judged again has it already.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run(document)')) as axe.AxeResults
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
}
