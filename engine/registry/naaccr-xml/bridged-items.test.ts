import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { publicData } from '../../../fixtures/public-data.ts'
import { available } from '../../../test/available.ts'
import { bridgedValues, bridgesOf, namesInFile } from './bridged-items.ts'
import { Definitions } from './dictionary.ts'
import { readDictionary } from './read-dictionary.ts'

const FOLDER = join(publicData(), 'data/naaccr/dictionaries')

const ASKED = new Set([
  ...['sex', 'sexAssignedAtBirth', 'lnStatusPelvic', 'lnStatusFemorInguinParaaortPelv'],
  ...['rxSummSurgPrimSite2023', 'eodMets', 'summaryStage2018', 'gradeClinical', 'primarySite'],
])

describe.skipIf(!available.shared)('bridges of a file', () => {
  const definitions = async (version: string) =>
    new Definitions([await readDictionary(join(FOLDER, `naaccr-dictionary-${version}.xml.gz`))])

  // Found by zgrep -c 'naaccrId="ID"' in each dictionary, which shows which item each has.
  test.each([
    ['160', 'sex>sexAssignedAtBirth rxSummSurgPrimSite>rxSummSurgPrimSite2023'],
    ['180', 'sex>sexAssignedAtBirth lnStatusFemorInguinParaaortPelv>lnStatusPelvic'],
    ['220', 'sex>sexAssignedAtBirth rxSummSurgPrimSite>rxSummSurgPrimSite2023'],
    ['250', 'sex>sexAssignedAtBirth lnStatusPelvic>lnStatusFemorInguinParaaortPelv'],
    ['260', 'sexAssignedAtBirth>sex lnStatusPelvic>lnStatusFemorInguinParaaortPelv'],
  ])('of version %s are %s', async (version, some) => {
    const bridges = bridgesOf(ASKED, await definitions(version))
    const told = bridges.map(({ given, asked }) => `${given}>${asked}`)
    expect(told).toEqual(expect.arrayContaining(some.split(' ')))
    expect(told.some((one) => one.endsWith('primarySite'))).toBe(false)
    expect(told.includes('seerMets>eodMets')).toBe(version === '160')
    expect(told.includes('grade>gradeClinical')).toBe(version === '160')
  })

  test('an item that the version lacks is called as its counterpart, or not at all', async () => {
    const items = new Set(['sexAssignedAtBirth', 'primarySite', 'schemaDiscriminator1'])
    expect(namesInFile(items, await definitions('250'))).toEqual({ sexAssignedAtBirth: 'sex' })
    expect(namesInFile(items, await definitions('160'))).toEqual({
      sexAssignedAtBirth: 'sex',
      schemaDiscriminator1: null,
    })
    expect(namesInFile(items, await definitions('260'))).toEqual({})
  })
})

// naaccr-lookups-260: sex.csv has 1 to 6 and 9, sexAssignedAtBirth.csv 1, 2 and 9 with the same meanings.
test.each([
  ['1', true],
  ['2', true],
  ['3', false],
  ['4', false],
  ['5', false],
  ['6', false],
  ['9', true],
])('sex %s is read as sex at birth: %s', (value, isRead) => {
  const dictionary = { uri: '', items: [{ id: 'sex' }, { id: 'other' }] }
  const definitions = new Definitions([dictionary as never])
  const bridges = bridgesOf(new Set(['sexAssignedAtBirth', 'other']), definitions)
  const counts: unknown[] = []
  const values = bridgedValues(new Map([['sex', value]]), bridges, (one) => counts.push(one))
  expect(values).toEqual(isRead ? [['sexAssignedAtBirth', value]] : [])
  const kind = isRead ? 'bridged' : 'not_bridged'
  expect(counts).toEqual([{ kind, code: 'sex', of: 'sexAssignedAtBirth' }])
})
