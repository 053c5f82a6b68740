import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const TEST = "import { expect, test } from 'vitest'\n"
const REPORTER = join(import.meta.dirname, 'progress.ts')
const MODULES = join(import.meta.dirname, '../../node_modules')
const VITEST = join(MODULES, '.bin/vitest')

/** A folder with `passing` files that pass, one that fails and, optionally, one that never ends. */
async function makeTests(passing: number, { isEndless }: { isEndless: boolean }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-progress-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await symlink(MODULES, join(folder, 'node_modules'))
  const give = (name: string, text: string) => writeFile(join(folder, name), TEST + text)
  for (let i = 0; i < passing; i++) await give(`a-${i}.test.ts`, "test('passes', () => {})\n")
  await give('b.test.ts', "test('fails', () => expect(1).toBe(2))\n")
  if (isEndless) {
    const text = "test('never ends', () => new Promise(() => setTimeout(() => {}, 1e6)), 1e6)\n"
    await give('c.test.ts', text)
  }
  const sorted = `class {
  shard(files) { return files }
  sort(files) { return files.toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1)) }
}`
  const options = `include: ['*.test.ts'], reporters: [new Progress()], maxWorkers: 1`
  const settings = `{ test: { ${options}, sequence: { sequencer: ${sorted} } } }`
  const imports = `import { Progress } from ${JSON.stringify(REPORTER)}`
  const config = `${imports}; export default ${settings}\n`
  await writeFile(join(folder, 'vitest.config.ts'), config)
  return folder
}

/** Runs the tests; `onText` receives all output so far. */
async function run(
  folder: string,
  onText: (text: string, interrupt: () => void) => void = () => {},
) {
  const child = spawn(VITEST, ['run', '--root', folder], { cwd: folder })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part
    onText(text, () => child.kill('SIGINT'))
  })
  const [status] = await once(child, 'close')
  return { status, text }
}

test('a line counts the files from time to time, and those that failed', async () => {
  const { status, text } = await run(await makeTests(19, { isEndless: false }))
  expect(text).toContain('-- 20 of 20 files, 1 failed')
  expect(text).toContain('failed: b.test.ts > fails')
  expect(status).toBe(1)
})

test('an interrupted run names what had failed', async () => {
  const folder = await makeTests(19, { isEndless: true })
  const { status, text } = await run(folder, (written, interrupt) => {
    if (written.includes('-- 20 of 21 files')) interrupt()
  })
  expect(text).toContain('interrupted after 20 of 21 files, 1 failed')
  expect(text.split('interrupted after')[1]).toContain('failed: b.test.ts > fails')
  // The signal ends the process directly, or the shell exits with the same status.
  expect([130, null]).toContain(status)
})
