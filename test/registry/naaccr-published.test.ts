import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ImportedNaaccr, NaaccrItem } from '../../engine/registry/index.ts'
import { publicData } from '../../fixtures/public-data.ts'
import { available } from '../available.ts'
import { successOf } from './support/registry-answers.ts'
import { openRegistry, type RegistryWorld } from './support/registry-world.ts'
import { strictNaaccrFaults } from './support/strict-lookups.ts'

// The published dictionaries and pages of two versions, and the expectations of a published client.

const at = (name: string) => publicData('data', 'naaccr', name)

// The members of registry-lookups.md 3.1 that no published file contains. The words of allowable_values beyond
// its end are invented.
const MEMBERS = [
  ...['item_number', 'npcr_collect', 'coc_collect', 'seer_collect', 'cccr_collect', 'format'],
  ...['code_description', 'allowable_values', 'date_created', 'date_modified'],
]
const CELLS = [
  ...['80', 'Required', 'Required', 'Required', 'No recommendation', 'Upper case'],
  'In addition to USPS abbreviations',
  'Codes of states, and CD, US, XX, YY, ZZ',
  ...['2010-01-01', '2024-05-20T12:00:00Z'],
]

describe.skipIf(!available.shared)('published documentation of items', () => {
  let world: RegistryWorld
  const reports: ImportedNaaccr[] = []
  beforeAll(async () => {
    world = await openRegistry({ logLevel: 'error' })
    const folder = await mkdtemp(join(tmpdir(), 'casemill-naaccr-published-'))
    const members = join(folder, 'members.tsv')
    await writeFile(members, `${MEMBERS.join('\t')}\n${CELLS.join('\t')}\n`)
    for (const version of ['25', '26']) {
      reports.push(
        await world.engine.registry.naaccr.import({
          dictionary: at(`dictionaries/naaccr-dictionary-${version}0.xml.gz`),
          documentation: at(`documentation-naaccr${version}.tar.gz`),
          sections: at('items-extra-info.csv'),
          ...(version === '25' ? { members } : { lookups: at('naaccr-lookups-260.zip') }),
        }),
      )
    }
    await rm(folder, { recursive: true })
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  const ask = async (path: string) =>
    successOf(await world.ask(`GET /rest/naaccr/${path}`, { who: 'reader' }), 200)

  // registry-lookups.md 3.2: 946 and 954 pages, of which 166 and 183 are of retired items. With codes:
  // tar xzOf documentation-naaccr25.tar.gz | grep -c "code-nbr.*code-desc": 3832; by files: 504.
  test('all items are there', () => {
    const [of25, of26] = reports
    expect(of25).toMatchObject({ items: 946, retired: 166, withoutPage: 0, coded: 504 })
    expect(of26).toMatchObject({ items: 954, retired: 183, withoutPage: 0 })
    // These two have more than a quarter of a megabyte.
    expect(of26?.leftOut).toEqual(['causeOfDeath.csv', 'histologicTypeIcdO3_allTerms.csv'])
  })

  test.each(['25', '26'])('every item of %s decodes', async (version) => {
    const items = (await ask(version)) as readonly { readonly item: string }[]
    expect(strictNaaccrFaults('items', items)).toEqual([])
    const { naaccr } = world.engine.registry
    const all = await Promise.all(items.map(({ item }) => naaccr.item(version, item)))
    expect(all.flatMap((item) => strictNaaccrFaults('item', item))).toEqual([])
    const codes = all.flatMap(({ allowed_codes = [] }) => allowed_codes)
    if (version === '25') expect(codes).toHaveLength(3832)
    expect(codes.filter(({ code }) => /[<>&]\w*;/.test(code))).toEqual([])
    const numbers = items.map(({ item }) => Number(item))
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  })

  test('what the published client expects of versions', async () => {
    const versions = await ask('versions')
    expect(strictNaaccrFaults('versions', versions)).toEqual([])
    expect(versions).toMatchObject([{ version: '25' }, { version: '26' }])
  })

  test('what the published client expects of an item, by number and by id', async () => {
    const lines = (
      await readFile(publicData('vectors', 'registry', 'client-expectations.jsonl'), 'utf8')
    )
      .trim()
      .split('\n')
    const asked = lines.map((line) => JSON.parse(line)).filter(({ area }) => area === 'naaccr')
    expect(asked).toHaveLength(1)
    const item = (await ask('25/80')) as NaaccrItem
    expect(await ask('25/addrAtDxState')).toEqual(item)
    for (const { expect: facts } of asked) expect(item).toMatchObject(facts)
    expect(strictNaaccrFaults('item', item)).toEqual([])
    // registry-lookups.md 3.1
    expect(item).toMatchObject({
      year_implemented: '2011',
      version_implemented: '12.2',
      section: 'Demographic',
      source_of_standard: 'CoC',
      format: 'Upper case',
      description: expect.stringMatching(/./),
      rationale: expect.stringMatching(/./),
      npcr_collect: 'Required',
      coc_collect: 'Required',
      seer_collect: 'Required',
      cccr_collect: 'No recommendation',
      alternate_names: ['State at Diagnosis (CoC)', 'State (pre-96 CoC)'],
      code_description: 'In addition to USPS abbreviations',
      allowable_values: expect.stringMatching(/CD, US, XX, YY, ZZ$/),
    })
    expect(item.allowed_codes?.map(({ code }) => code)).toEqual(['CD', 'US', 'XX', 'YY', 'ZZ'])
    expect(item.allowed_codes?.every(({ description }) => description.length > 10)).toBe(true)
    for (const name of ['date_created', 'date_modified'] as const) {
      expect(item[name]).toMatch(/^20(10|24)-/)
    }
  })

  test('searches find words of ids, numbers and names', async () => {
    const state = { id: 'addrAtDxState', item: '80', name: 'Addr at DX--State' }
    expect(await ask('25?q=addr+DX+state')).toEqual([state])
    expect(await ask('25?q=addrAtDxState')).toEqual([state])
    expect(await ask('25?q=pre-96')).toContainEqual(state)
    expect(await ask('25?count=3')).toHaveLength(3)
    // tar xzf documentation-naaccr26.tar.gz; the fifth cell of the summary, by
    // for f in *.html; do grep naaccr-summary-cell $f | sed -n 5p; done | grep -c '>26<': 8
    expect(await ask('latest?version_implemented=26')).toHaveLength(8)
    expect(await ask('26?version_implemented=12.2')).toContainEqual(state)
  })

  test('look-ups stand in for codes that no page has, and for no others', async () => {
    // unzip -p naaccr-lookups-260.zip '*/primarySite.csv' | wc -l: 330
    expect(((await ask('26/primarySite')) as NaaccrItem).allowed_codes).toHaveLength(330)
    const { allowed_codes: codes } = (await ask('26/addrAtDxState')) as NaaccrItem
    expect(codes?.map(({ code }) => code)).toEqual(['CD', 'US', 'XX', 'YY', 'ZZ'])
  })
})
