import { describe, expect, test } from 'vitest'
import { describeArea } from './support/area-tests.ts'
import { type AreaLife, lastOf, lifeOf, tableOf, testRevisions } from './support/publishing-life.ts'

// Every operation of rx with every status that it declares.

const RX = '/rest/rx/{version}'

const LIFE: AreaLife = {
  area: 'rx',
  editor: 'RX_EDITOR',
  record: { name: 'Made drug', type: 'DRUG', category: ['Chemotherapy'], do_not_code: 'NO' },
  changed: { name: 'Made drug', type: 'DRUG', remarks: 'Kadabramine' },
  bad: { name: 'Made drug', type: 'POTION' },
  filters: 'type=DRUG,REGIMEN&category=Chemotherapy&category=Other&do_not_code=NO',
  badFilter: 'do_not_code=MAYBE',
}

const REGIMEN = { id: 'both', name: 'Made regimen', type: 'REGIMEN', drugs: ['made', 'spare'] }

const area = await describeArea(tableOf(LIFE))

area.testSteps('the life of a drug', [
  ...lifeOf(LIFE),
  [`GET ${RX}/id/{id}/regimens`, 200],
  [`POST ${RX}/create`, 201, {}, REGIMEN],
  [`GET ${RX}/id/{id}/regimens`, 404, { version: 'latest', id: 'spare' }],
])

describe('regimens of a drug', () => {
  test('are those that name it, whole, and no drugs', async () => {
    const found = (await area.take([
      `GET ${RX}/id/{id}/regimens`,
      200,
      { id: 'spare' },
    ])) as object[]
    expect(found).toMatchObject([{ id: 'both', type: 'REGIMEN', drugs: ['made', 'spare'] }])
    // The regimen is not published yet.
    expect(await area.take([`GET ${RX}/id/{id}/regimens`, 200, { version: 'latest' }])).toEqual([])
  })
})

describe('edits', () => testRevisions(area, LIFE))

area.testRefusals()
area.testRoles()
area.testSteps('the end of it', lastOf(LIFE))
area.testSeen({ unsaid: /Kadabramine|nowhere|BAD KEY|\/made\b/, said: RX })
