import { expect, test } from 'vitest'
import { newState } from '../../../shared/support/new-state.ts'
import { PublishingArea } from '../publishing-area.ts'
import { GLOSSARY } from './definition.ts'
import { TermFinder } from './term-finder.ts'

async function opened(...bodies: readonly object[]) {
  const clock = () => new Date('2026-03-01T12:00:00.000Z')
  const area = new PublishingArea({ state: await newState(), clock, definition: GLOSSARY })
  await area.load(bodies, { user: 'ada' })
  return { area, finder: new TermFinder(area) }
}

const NODE = { id: 'node', name: 'node', alternate_name: ['nodes', 'NODE'] }

test('a term without a category is found, and is of none that is asked for', async () => {
  const { finder } = await opened(NODE)
  const match = { id: 'node', name: 'node', keyword: 'node', start: 2, end: 5 }
  expect(await finder.find(['a node'])).toEqual([match])
  expect(await finder.find(['a node'], { categories: new Set(['STAGING']) })).toEqual([])
})

test('texts are searched each in its own offsets, equal matches once', async () => {
  const { finder } = await opened({ ...NODE, category: ['GENERAL', 'STAGING'] })
  const found = await finder.find(['node', 'two nodes', 'node'])
  expect(found.map(({ keyword, start, end }) => [keyword, start, end])).toEqual([
    ['node', 0, 3],
    ['nodes', 4, 8],
  ])
  expect(await finder.find([])).toEqual([])
})

test('an edit of the glossary counts at once, and is seen when it is published', async () => {
  const { area, finder } = await opened(NODE)
  const editor = { user: 'ada', roles: new Set(['GLOSSARY_EDITOR'] as const) }
  await area.update(editor, 'development', { id: 'node', name: 'knot' })
  expect(await finder.find(['a knot'])).toEqual([])
  await area.publish(editor, 'development', { ids: ['node'] })
  expect(await finder.find(['a knot'])).toHaveLength(1)
  expect(await finder.find(['a node'])).toEqual([])
})

test('too long a text is refused, and one with too many terms', async () => {
  const { finder } = await opened({ id: 'a', name: 'a' })
  await expect(finder.find(['x'.repeat(999_999), 'xx'])).rejects.toMatchObject({
    code: 'too_large',
  })
  const many = finder.find(['a '.repeat(100_001)])
  await expect(many).rejects.toMatchObject({ code: 'too_many' })
})
