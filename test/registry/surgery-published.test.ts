import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SurgeryTable } from '../../engine/registry/index.ts'
import { publicData } from '../../fixtures/public-data.ts'
import { available } from '../available.ts'
import { expectFacts } from './support/expectation-facts.ts'
import { failureOf, successOf } from './support/registry-answers.ts'
import { openRegistry, type RegistryWorld } from './support/registry-world.ts'
import { strictSurgeryFaults } from './support/strict-lookups.ts'

// The published tables of all years, and the expectations of published programs.

const FOLDER = publicData('data', 'surgery')

// registry-lookups.md 2.4: the numbers of rows, breaks, and rows with a code.
const COUNTS: Readonly<Record<string, readonly number[]>> = {
  '1998': [1149, 286, 669],
  '2004': [1403, 480, 675],
  '2007': [1205, 285, 675],
  '2010': [1257, 329, 679],
  '2012': [1260, 330, 679],
  '2013': [1260, 330, 679],
  '2014': [1215, 329, 679],
  '2015': [1269, 331, 679],
  '2016': [1268, 328, 679],
  '2018': [1279, 332, 679],
  '2021': [1285, 338, 679],
  '2022': [1253, 333, 651],
  '2023': [1229, 328, 645],
  '2024': [1188, 308, 624],
}

interface Vector {
  readonly input: Readonly<Record<'year' | 'site' | 'hist', string | null>>
  readonly expected: string | null
  readonly rows?: number
}

const linesOf = <T>(path: string): T[] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T)

describe.skipIf(!available.shared)('published surgery tables', () => {
  let world: RegistryWorld
  beforeAll(async () => {
    world = await openRegistry({ logLevel: 'error' })
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.xml.gz'))
    await world.engine.registry.surgery.import(files.map((name) => `${FOLDER}/${name}`))
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  const ask = async (path: string) =>
    successOf(await world.ask(`GET /rest/surgery/${path}`, { who: 'reader' }), 200)
  const tableOf = async (year: string, title: string) =>
    (await ask(`${year}/table?title=${encodeURIComponent(title)}`)) as SurgeryTable

  test.each(Object.entries(COUNTS))(
    '%s: rows, breaks and codes of 30 tables',
    async (year, counts) => {
      const titles = (await ask(`${year}/tables`)) as string[]
      expect(titles).toHaveLength(30)
      const tables = await Promise.all(titles.map((title) => tableOf(year, title)))
      expect(tables.flatMap(strictSurgeryFaults)).toEqual([])
      const rows = tables.flatMap(({ row }) => row)
      const breaks = rows.filter((row) => row.line_break)
      expect([rows.length, breaks.length, rows.filter(({ code }) => code).length]).toEqual(counts)
      // Codes have two digits until 2022, and then a letter and three digits.
      const form = year < '2023' ? /^\d\d$/ : /^[AB]\d{3}$/
      expect(rows.flatMap(({ code }) => (code && !form.test(code) ? [code] : []))).toEqual([])
      // In all files, only the table Stomach of 2014 has a note after it.
      const noted = tables.filter(({ post_note }) => post_note !== undefined)
      expect(noted.map(({ title }) => title)).toEqual(year === '2014' ? ['Stomach'] : [])
    },
  )

  const vectors = available.shared
    ? linesOf<Vector>(publicData('vectors', 'registry-rest', 'surgery.jsonl'))
    : []

  test('there are 19 recorded lookups', () => expect(vectors).toHaveLength(19))

  test.each(vectors)('$input: $expected', async ({ input, expected, rows }) => {
    const { year, site, hist } = input
    const { surgery } = world.engine.registry
    const request = { site: site ?? undefined, hist: hist ?? undefined }
    const given = Object.entries({ site, hist }).filter(([, value]) => value !== null)
    const query = new URLSearchParams(given as [string, string][])
    const path = `/rest/surgery/${year}/table`
    const response = await world.ask(`GET ${path}?${query}`, { who: 'reader' })
    if (expected === null) {
      await failureOf(response, 400, path)
      await expect(surgery.table(year ?? '', request)).rejects.toMatchObject({ code: 'bad_input' })
      return
    }
    const answer = await successOf(response, 200)
    expect(answer).toEqual(await surgery.table(year ?? '', request))
    expect(answer).toMatchObject({ title: expected })
    if (rows !== undefined) expect((answer as SurgeryTable).row).toHaveLength(rows)
  })

  test('the calls of the published client', async () => {
    const expectations = linesOf<{
      readonly area: string
      readonly request: string
      readonly expect: Readonly<Record<string, unknown>>
    }>(publicData('vectors', 'registry', 'client-expectations.jsonl'))
    const asked = expectations.filter(({ area }) => area === 'surgery')
    expect(asked.length).toBeGreaterThan(0)
    for (const { request, expect: facts } of asked) {
      const { 'row[0]': first, ...others } = facts
      const answer = (await ask(request.replace('GET /rest/surgery/', ''))) as SurgeryTable
      expectFacts(answer, others)
      expect(answer.row[0]).toMatchObject(first as object)
    }
    expect(await ask('2014/tables')).toContain('Oral Cavity')
    const table = await tableOf('2014', 'Oral Cavity')
    expect(table).toEqual(await ask('2014/table?site=C001&hist=8000'))
    for (const name of ['site_inclusions', 'hist_exclusions', 'pre_note'] as const) {
      expect(table[name]).toMatch(/./)
    }
    expect(table).not.toHaveProperty('hist_inclusions')
    expect(table).not.toHaveProperty('post_note')
    expect(table.row[0]).toMatchObject({ code: '00', level: 0, line_break: false })
  })
})
