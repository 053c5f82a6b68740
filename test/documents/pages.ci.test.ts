import { expect, test } from 'vitest'
import { isExhaustive } from '../depth.ts'
import { followPage } from './follow-page.ts'
import { givenTo, lacksNeeds, unknownNeeds } from './needs.ts'
import { STARTING } from './page.ts'
import { PAGES } from './pages.ts'

// Every block of commands in the tutorials and the pages of how-to works as its page says. Those that ask the
// demo are followed in demo.ci.test.ts.

/** Pages that are fast to follow. */
const USUAL = [
  'docs/how-to/audit.md',
  'docs/how-to/import-records.md',
  'docs/how-to/log-in.md',
  'docs/how-to/tokens-and-keys.md',
]

test('what pages say that their readers need is known', () => {
  const unknown = PAGES.flatMap((page) => unknownNeeds(page).map((name) => `${page.path}: ${name}`))
  expect(unknown).toEqual([])
  expect(PAGES.length).toBeGreaterThan(15)
})

test('a line that starts the service is the last of its block: it keeps its terminal', () => {
  const goesOn = PAGES.flatMap(({ path, steps }) =>
    steps
      .filter(({ code }) => STARTING.test(code.trimEnd().split('\n').slice(0, -1).join('\n')))
      .map(({ line }) => `${path}:${line}`),
  )
  expect(goesOn).toEqual([])
})

const followed = PAGES.filter(({ path, isOfDemo }) => {
  return !isOfDemo && (isExhaustive || USUAL.includes(path))
})

for (const page of followed) {
  test.skipIf(lacksNeeds(page))(`${page.path} does what it says`, async ({ signal }) => {
    await followPage(page, givenTo(page), { signal })
  })
}
