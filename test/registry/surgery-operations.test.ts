import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DEMO_SURGERY, loadDemoSurgery } from '../../fixtures/surgery/tables.ts'
import { describeArea, type Step } from './support/area-tests.ts'
import type { RegistryWorld } from './support/registry-world.ts'

// Every operation of the surgery tables with every status that it declares.

const TABLES = 'GET /rest/surgery/{year}/tables'
const TABLE = 'GET /rest/surgery/{year}/table'
const { title, site, hist } = DEMO_SURGERY

const area = await describeArea({
  area: 'surgery',
  names: { year: String(DEMO_SURGERY.year) },
  unknown: { year: '1066' },
  rolesFor: () => [],
  reads: /^$/,
  async prepare({ engine }: RegistryWorld) {
    const folder = await mkdtemp(join(tmpdir(), 'casemill-surgery-operations-'))
    await loadDemoSurgery(engine.registry, folder)
    await rm(folder, { recursive: true })
  },
})

const asked = `title=${encodeURIComponent(title)}`
const STEPS: readonly Step[] = [
  [TABLES, 200],
  [TABLES, 200, { year: 'latest' }],
  [TABLES, 400, { year: '2019' }],
  [TABLES, 400, { year: 'x' }],
  [TABLE, 200, { query: asked }],
  [TABLE, 200, { query: `site=${site}&hist=${hist}` }],
  [TABLE, 200, { query: `site=C18&hist=${hist}` }],
  [TABLE, 200, { query: `${asked}&site=x&hist=x` }],
  [TABLE, 400],
  [TABLE, 400, { query: 'title=' }],
  [TABLE, 400, { query: 'site=C182' }],
  [TABLE, 400, { query: 'site=C809&hist=8000' }],
  [TABLE, 400, { query: 'site=C182&hist=814%00' }],
  [TABLE, 400, { query: asked, year: '2019' }],
]

area.testSteps('each of them', STEPS)
area.testRefusals()
area.testRoles()

test('parameters that are not known are ignored, and reported', async () => {
  const response = await area.world.ask(`GET /rest/surgery/latest/table?${asked}&titel=x`)
  expect(response.status).toBe(200)
  expect(response.headers.get('x-warnings')).toContain('titel')
})

test('a missing parameter is named', async () => {
  expect(await area.take([TABLE, 400, { query: 'site=C182' }])).toBe(
    "Required parameter 'hist' is not present.",
  )
  expect(await area.take([TABLE, 400, { query: 'hist=8140' }])).toBe(
    "Required parameter 'site' is not present.",
  )
})

area.testSeen({ unsaid: /C182|8140|made up|1066|BAD KEY/, said: TABLE.slice(4) })
