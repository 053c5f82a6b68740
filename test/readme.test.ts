import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEMO_CELLS, DEMO_EXPRESSION, DEMO_FILES } from '../fixtures/demo-commons.ts'
import { DEMO_DOWNLOADS } from '../fixtures/downloads.ts'

// What the README tells and what the program does are the same. Whether the commands work as pasted
// is proved by .ci/run.

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PROGRAM = join(ROOT, 'bin', 'casemill.ts')
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')

/** Commands of the README's code blocks. */
const commands = [...README.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) =>
  block.trim().split('\n'),
)
const curls = commands.filter((line) => line.startsWith('curl '))

// A setting of the person who runs the tests must not change what the program says.
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('CASEMILL_')),
)

let folder = ''
let banner: string[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-readme-'))
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0'], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  for await (const line of createInterface({ input: child.stdout })) {
    banner.push(line)
    if (banner.filter((each) => each.startsWith('curl ')).length === 12) break
  }
  child.kill('SIGINT')
  await ended
  // As it is when nothing is asked for and nobody else has the port.
  const [address = 'none'] = /http:\/\/[\d.]+:\d+/.exec(banner[0] ?? '') ?? []
  banner = banner.map((line) => line.replaceAll(address, 'http://127.0.0.1:8080'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the two commands are there, each on a line of its own', () => {
  expect(commands).toEqual(expect.arrayContaining(['npm ci && npm start', 'npm ci && npm test']))
})

test('what the start prints to try is in the README', () => {
  const tried = banner.filter((line) => line.startsWith('curl '))
  expect(tried).toHaveLength(12)
  const asWritten = tried.map((line) =>
    line
      .replace(/'X-Auth-Token: [\w-]{32,}'/, '"X-Auth-Token: $TOKEN"')
      .replace(/'X-SEERAPI-Key: [\w-]{32,}'/, '"X-SEERAPI-Key: $KEY"'),
  )
  expect(asWritten.join('\n')).toMatch(/\$TOKEN.*\$KEY/s)
  expect(curls).toEqual(expect.arrayContaining(asWritten))
})

test('every id in the README is one of the demo', () => {
  const ids = README.match(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g) ?? []
  expect(new Set(ids)).toEqual(
    new Set([
      ...[...DEMO_FILES, ...DEMO_DOWNLOADS.slice(0, 2), DEMO_CELLS].map(({ id }) => id),
      ...DEMO_EXPRESSION.caseIds,
    ]),
  )
})

test('commands that need no token name open files only', () => {
  const controlled = DEMO_FILES.filter(({ access }) => access === 'controlled')
  const without = curls.filter((line) => !line.includes('TOKEN'))
  expect(without.length).toBeGreaterThanOrEqual(3)
  expect(without.filter((line) => controlled.some(({ id }) => line.includes(id)))).toEqual([])
})

test('every command of the program has its row', async () => {
  const help = async (...words: string[]) => {
    const run = promisify(execFile)
    const { stdout } = await run(process.execPath, [PROGRAM, ...words, '--help'])
    const listed = stdout.slice(stdout.indexOf('Commands:')).matchAll(/^ {2}([a-z-]+)/gm)
    return [...listed].map(([, name = '']) => name).filter((name) => name !== 'help')
  }
  const known = (await help()).map(async (name) => {
    if (!['import', 'key', 'staging', 'project', 'token', 'notification'].includes(name))
      return [name]
    return (await help(name)).map((word) => `${name} ${word}`)
  })
  const rows = [...README.matchAll(/^\| `([a-z]+(?: [a-z-]+)?)/gm)].map(([, name]) => name)
  expect(rows).toEqual(expect.arrayContaining((await Promise.all(known)).flat()))
})

test('every setting is named', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [PROGRAM, 'serve', '--print-config'],
    { cwd: folder, env: environment },
  )
  const names = Object.keys(JSON.parse(stdout)).map(
    (key) => `\`CASEMILL_${key.replace(/[A-Z]/g, '_$&').toUpperCase()}\``,
  )
  expect(names.filter((name) => !README.includes(name))).toEqual([])
})
