import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'

/** Longer waits mean a hang, even on a busy machine. */
export const PATIENCE_MS = 120_000

/** Starts Debian's browser without a window. */
export async function openBrowser(): Promise<Browser> {
  const { stdout } = await promisify(execFile)('sh', ['-c', 'command -v chromium'])
  return chromium.launch({ executablePath: stdout.trim() })
}

const SETTLED = `Promise.allSettled(document.getAnimations()
  .filter((one) => one.effect.getComputedTiming().endTime !== Infinity)
  .map((one) => one.finished))`

/** Serious and critical barriers on a page, as rule and element. */
export async function barriers(page: Page): Promise<readonly string[]> {
  // Colours in transition are judged by their final values.
  await page.evaluate(SETTLED)
  // A page that was checked before already has axe.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run(document)')) as axe.AxeResults
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
}
