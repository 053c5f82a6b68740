import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEMO_CELLS, DEMO_EXPRESSION, DEMO_FILES } from '../../fixtures/demo-commons.ts'
import { DEMO_DOWNLOADS } from '../../fixtures/downloads.ts'
import { isExhaustive } from '../depth.ts'
import { DemoService } from './demo-service.ts'
import { followPage } from './follow-page.ts'
import { givenTo, lacksNeeds } from './needs.ts'
import { ROOT, readPage } from './page.ts'
import { PAGES } from './pages.ts'

// The README, the tour of the demo, and the program's output agree, and the pages that query the demo work as
// described.

const WALK_PATH = 'docs/tutorials/demo.md'

const linesOf = (path: string) =>
  readPage(path).steps.flatMap(({ language, code }) =>
    language === 'sh' ? code.trim().split('\n') : [],
  )
const README = linesOf('README.md')
const WALK = linesOf(WALK_PATH)
const curls = WALK.filter((line) => line.startsWith('curl '))

let banner: readonly string[] = []
let demo: DemoService
beforeAll(async () => {
  demo = await DemoService.start()
  // The banner of a start without settings, when the port is free.
  banner = demo.banner.map((line) => line.replaceAll(demo.address, 'http://127.0.0.1:8080'))
})
afterAll(() => demo?.[Symbol.asyncDispose]())

test('the README has at most 150 lines, and the two commands, each on a line of its own', () => {
  const lines = readFileSync(join(ROOT, 'README.md'), 'utf8').trimEnd().split('\n')
  expect(lines.length).toBeLessThanOrEqual(150)
  expect(README).toEqual(expect.arrayContaining(['npm ci && npm start', 'npm ci && npm test']))
})

test('what the start prints to try is in the walk through the demo', () => {
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

test('every id in the walk is one of the demo', () => {
  const ids = WALK.join('\n').match(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g) ?? []
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

const followed = PAGES.filter(({ path, isOfDemo }) => {
  return isOfDemo && (isExhaustive || path === WALK_PATH)
})

for (const page of followed) {
  test.skipIf(lacksNeeds(page))(`${page.path} does what it says`, async ({ signal }) => {
    await followPage(page, givenTo(page), { demo, signal })
  })
}
