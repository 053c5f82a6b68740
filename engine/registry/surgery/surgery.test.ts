import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { newState, newStates } from '../../shared/support/new-state.ts'
import { Surgery } from './surgery.ts'

let folder: string
let surgery: Surgery
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-surgery-'))
  surgery = new Surgery({ state: await newState(), yearNow: () => '2026' })
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

const edition = (tables: string, version = '2014') =>
  `<surgery-tables version="${version}" version-name="Made ${version}">${tables}</surgery-tables>`

const COLON = `<surgery-table title="Colon">
  <site-inclusion>C180-C189,C199</site-inclusion>
  <hist-exclusion>9700,9720-9799</hist-exclusion>
  <pre-note><![CDATA[See <b>A&amp;B</b><br/> ]]></pre-note><post-note/>
  <row level="0"><code>00</code><description>None &lt; all</description></row>
  <row break="true"/>
  <row level="2"><code/><description><![CDATA[ any ]]></description></row>
  <row><description>alone</description></row>
</surgery-table>`
const BLOOD = `<surgery-table title="Blood">
  <site-inclusion>C420</site-inclusion><hist-inclusion>9720-9799</hist-inclusion>
</surgery-table>`
const OTHER = `<surgery-table title="colon"><site-inclusion>C180-C769</site-inclusion>
  <row><code>1</code><description>x</description></row></surgery-table>`

const load = async (name: string, content = edition(COLON)) =>
  surgery.import([await file(name, content)])

const titleFor = async (site: string, hist: string) =>
  (await surgery.table('2014', { site, hist })).title

test('a table is answered as the file has it; what is empty is left out, but for codes', async () => {
  await load('a-2014.xml')
  expect(await surgery.table('2014', { title: 'Colon' })).toStrictEqual({
    title: 'Colon',
    site_inclusions: 'C180-C189,C199',
    hist_exclusions: '9700,9720-9799',
    pre_note: 'See <b>A&amp;B</b><br/> ',
    row: [
      { code: '00', description: 'None < all', level: 0, line_break: false },
      { level: 0, line_break: true },
      { code: '', description: ' any ', level: 2, line_break: false },
      { description: 'alone', level: 0, line_break: false },
    ],
  })
})

// Follows the three steps of registry-lookups.md 2.3.
describe('site and histology', () => {
  beforeEach(() => load('a-2014.xml', edition(`${COLON}${BLOOD}${OTHER}`)))

  test.each([
    ['C180', '8140', 'Colon'],
    ['C189', '9699', 'Colon'],
    ['C199', '9701', 'Colon'],
    ['C19', '8000', 'Colon'],
    // The first table excludes it, and the second accepts its histology for any site.
    ['C180', '9720', 'Blood'],
    ['C509', '9799', 'Blood'],
    ['C180', '9700', 'colon'],
    ['C190', '8000', 'colon'],
    ['C42', '8000', 'colon'],
  ])('%s and %s: %s', async (site, hist, title) => {
    expect(await titleFor(site, hist)).toBe(title)
  })

  test.each([
    [{}, 'either title, or site and hist, must be supplied'],
    [{ site: 'C180' }, "Required parameter 'hist' is not present."],
    [{ hist: '8140' }, "Required parameter 'site' is not present."],
    [{ site: 'C809', hist: '8000' }, 'no table for this site and histology'],
    [{ title: 'Colo' }, 'no table for this title'],
    [{ title: '', site: 'C180', hist: '8000' }, 'no table for this title'],
    ...['', '?', 'C1', 'c180', 'C1800', '180', 'C18 ', 'C18\n'].map(
      (site) => [{ site, hist: '8140' }, '"site" is no code'] as const,
    ),
    ...['', '?', '814', '81400', '814O', '8140/3'].map(
      (hist) => [{ site: 'C180', hist }, '"hist" is no code'] as const,
    ),
  ] as const)('%j is refused', async (request, message) => {
    await expect(surgery.table('2014', request)).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining(message),
    })
  })

  test('a title decides, exactly at first and then in any case', async () => {
    const titled = async (title: string) =>
      (await surgery.table('2014', { title, site: '?', hist: '?' })).title
    expect(await titled('Colon')).toBe('Colon')
    expect(await titled('colon')).toBe('colon')
    expect(await titled('COLON')).toBe('Colon')
    expect(await titled('bLOOD')).toBe('Blood')
  })
})

describe('years', () => {
  const named = (title: string) => edition(OTHER.replace('colon', title))
  beforeEach(async () => {
    await load('a-2004.xml', named('four'))
    await load('a-1998.xml.gz', named('eight'))
    // The tables are of a future year.
    await load('a-2027.xml', named('seven'))
    await load('a-2010.xml', named('ten'))
  })

  test.each([
    ['1998', 'eight'],
    ['2003', 'eight'],
    ['2004', 'four'],
    ['2009', 'four'],
    ['2010', 'ten'],
    ['2026', 'ten'],
    ['latest', 'ten'],
  ])('%s has the newest that is not newer', async (year, title) => {
    expect(await surgery.titles(year)).toEqual([title])
    expect(await surgery.table(year, { title })).toMatchObject({ title })
  })

  test.each(['1997', '2027', '0', '', '02004', '2004.0', '-2004', '9999', 'LATEST', 'x'])(
    '%j is refused',
    async (year) => {
      const refusal = { code: 'bad_input', message: expect.stringContaining('from 1998 to 2026') }
      await expect(surgery.titles(year)).rejects.toMatchObject(refusal)
      await expect(surgery.table(year, { title: 'ten' })).rejects.toMatchObject(refusal)
    },
  )
})

test('without tables every year is refused', async () => {
  await expect(surgery.titles('latest')).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining('no tables of surgery codes'),
  })
})

describe('an import', () => {
  test('takes the year of the name, else of the version, plain or packed', async () => {
    const paths = [
      await file('tables-1998.xml.gz', gzipSync(edition(COLON, '2003'))),
      await file('tables.xml', edition(`${COLON}${BLOOD}`, '2014')),
    ]
    const change = 'added'
    expect(await surgery.import(paths)).toEqual([
      { year: 1998, edition: 'Made 2003', change, tables: 1, rows: 4 },
      { year: 2014, edition: 'Made 2014', change, tables: 2, rows: 4 },
    ])
  })

  test('replaces those of its year alone, and tells what is the same', async () => {
    const path = await file('a-2014.xml', edition(`${COLON}${BLOOD}`))
    const other = await file('a-2015.xml', edition(COLON))
    const changes = async (dryRun: boolean) =>
      (await surgery.import([path, other], { dryRun })).map(({ change }) => change)
    expect(await changes(true)).toEqual(['added', 'added'])
    await expect(surgery.titles('2014')).rejects.toMatchObject({ code: 'bad_input' })
    expect(await changes(false)).toEqual(['added', 'added'])
    expect(await changes(false)).toEqual(['same', 'same'])
    await writeFile(path, edition(BLOOD))
    expect(await changes(true)).toEqual(['changed', 'same'])
    expect(await surgery.titles('2014')).toEqual(['Colon', 'Blood'])
    expect(await changes(false)).toEqual(['changed', 'same'])
    expect(await surgery.titles('2014')).toEqual(['Blood'])
    expect(await surgery.titles('2015')).toEqual(['Colon'])
  })

  test('is seen by another process at once', async () => {
    const [one, two] = await newStates(folder)
    const reader = new Surgery({ state: two, yearNow: () => '2026' })
    await expect(reader.titles('2014')).rejects.toMatchObject({ code: 'bad_input' })
    await new Surgery({ state: one }).import([await file('a-2014.xml', edition(COLON))])
    expect(await reader.titles('2014')).toEqual(['Colon'])
  })

  test.each([
    ['another root', '<tables/>', 'give a file of <surgery-tables>'],
    ['no table', edition(''), 'no <surgery-table>'],
    ['something beside the tables', edition('<table/>'), '<table>'],
    ['a table without a title', edition('<surgery-table/>'), 'no title'],
    ['two tables of a title', edition(`${BLOOD}${BLOOD}`), 'same title'],
    ['an element that is not known', edition(BLOOD.replace('<hist', '<x/><hist')), '<x>'],
    ['an element twice', edition(BLOOD.replace('<hist', '<pre-note/><pre-note/><hist')), 'once'],
    ['a list of sites that is none', edition(BLOOD.replace('C420', 'C42')), 'site-inclusion'],
    ['half a range', edition(BLOOD.replace('9720-9799', '9720-')), 'hist-inclusion'],
    [
      'HTML outside CDATA',
      edition(BLOOD.replace('<hist', '<pre-note><b/></pre-note><hist')),
      '<b>',
    ],
    ['a level that is none', edition(COLON.replace('level="2"', 'level="x"')), 'row 3'],
    ['a break with a text', edition(COLON.replace('level="0"', 'break="true"')), 'row 1'],
    ['a break that is no word', edition(COLON.replace('"true"', '"yes"')), 'row 2'],
    [
      'a row without a text',
      edition(COLON.replace('<description>alone</description>', '')),
      'row 4',
    ],
    ['no XML', 'a,b\n', 'XML'],
    ['an entity', `<!DOCTYPE x [<!ENTITY a "b">]>${edition(BLOOD)}`, 'declarations'],
  ])('refuses %s, naming the file', async (_, content, message) => {
    const loading = surgery.import([await file('a-2014.xml', content)])
    await expect(loading).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringMatching(new RegExp(`a-2014\\.xml.*${message}`)),
    })
    await expect(surgery.titles('2014')).rejects.toMatchObject({ code: 'bad_input' })
  })

  test('refuses a file without a year, and two files of one', async () => {
    const named = await file('tables.xml', edition(BLOOD, 'x'))
    await expect(surgery.import([named])).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('tables-2014.xml'),
    })
    const paths = [
      await file('a-2014.xml', edition(BLOOD)),
      await file('b-2014.xml', edition(COLON)),
    ]
    await expect(surgery.import(paths)).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('2014'),
    })
  })

  test('refuses what unpacks to more than any such file', async () => {
    const path = await file('a-2014.xml.gz', gzipSync(Buffer.alloc(9 << 20, ' ')))
    await expect(surgery.import([path])).rejects.toMatchObject({ code: 'too_large' })
  })
})
