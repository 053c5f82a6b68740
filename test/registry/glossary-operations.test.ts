import { describe, expect, test } from 'vitest'
import { describeArea, type Step } from './support/area-tests.ts'
import { type AreaLife, lastOf, lifeOf, tableOf, testRevisions } from './support/publishing-life.ts'

// Every operation of the glossary with every status that it declares.

const GLOSSARY = '/rest/glossary/{version}'
const MATCH = 'POST /rest/glossary/match'

const LIFE: AreaLife = {
  area: 'glossary',
  editor: 'GLOSSARY_EDITOR',
  record: { name: 'Made node', category: ['GENERAL'] },
  changed: { name: 'Made node', alternate_name: ['node of Kadabra'], category: ['HEMATO'] },
  bad: { name: 'Made node', category: ['BEST'] },
  filters: 'category=GENERAL,HEMATO&category=STAGING',
  badFilter: 'category=BEST',
}

const area = await describeArea(tableOf(LIFE))

const plain = { headers: { 'Content-Type': 'text/plain; charset=UTF-8' } }
const matching = (status: number, text: string, query?: string): Step => [
  ...([MATCH, status, { ...(query !== undefined && { query }) }, text, plain] as const),
]

area.testSteps('the life of a term', [
  ...lifeOf(LIFE),
  matching(200, ''),
  matching(400, 'a', 'category=BEST'),
  matching(400, 'a', 'wholeWordsOnly=perhaps'),
  matching(413, 'x'.repeat(1_000_001)),
])

describe('terms in a text', () => {
  const found = (text: string, query?: string) => area.take(matching(200, text, query))

  test('are found by each of their names, with the place of the last character', async () => {
    const made = { id: 'made', name: 'Made node', category: ['HEMATO'] }
    // Offsets are 0-based in UTF-16 units; the letter before has two.
    expect(await found('𝒜 made NODE, a node of Kadabra')).toEqual([
      { ...made, keyword: 'Made node', start: 3, end: 11 },
      { ...made, keyword: 'node of Kadabra', start: 16, end: 30 },
    ])
  })

  test('are whole words unless parts are wanted', async () => {
    expect(await found('Remade nodes')).toEqual([])
    expect(await found('Remade nodes', 'wholeWordsOnly=false')).toMatchObject([
      { start: 2, end: 10 },
    ])
  })

  test('are of the categories that are asked for', async () => {
    expect(await found('made node', 'category=GENERAL&category=STAGING')).toEqual([])
    expect(await found('made node', 'category=GENERAL,HEMATO')).toHaveLength(1)
  })

  test('are those that are published and shown, also for editors', async () => {
    expect(await found('Spare')).toEqual([])
    await area.take([`POST ${GLOSSARY}/hide/{id}`, 204])
    expect(await found('made node')).toEqual([])
    await area.take([`POST ${GLOSSARY}/unhide/{id}`, 204])
    expect(await found('made node')).toHaveLength(1)
  })
})

describe('edits', () => testRevisions(area, LIFE))

area.testRefusals()
area.testRoles()
area.testSteps('the end of it', lastOf(LIFE))
area.testSeen({ unsaid: /Kadabra|nowhere|BAD KEY|\/made\b/, said: GLOSSARY })
