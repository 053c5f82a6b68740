import { afterAll, beforeAll, expect, test } from 'vitest'
import { openFuzzWorld, VERSION } from './support/fuzz-world.ts'
import { successOf } from './support/registry-answers.ts'
import type { RegistryWorld } from './support/registry-world.ts'

// Finds terms of the published glossary in staging texts (registry.md 6).

const FOLDER = '/rest/glossary'
const TEXTS = { notes: 'A benign tumor.', title: 'Tumors of a lymph node' }

let world: RegistryWorld
beforeAll(async () => {
  world = await openFuzzWorld()
  for (const kind of ['schema/made', 'table/sizes']) {
    const now = (await successOf(await world.ask(`GET ${VERSION}/${kind}`), 200)) as object
    await successOf(await world.ask(`PUT ${VERSION}/${kind}`, { body: { ...now, ...TEXTS } }), 200)
  }
})
afterAll(() => world?.[Symbol.asyncDispose]())

const foundIn = async (kind: string, query = '') =>
  successOf(await world.ask(`GET ${VERSION}/${kind}/glossary${query}`, { who: 'reader' }), 200)

test('terms are found in schemas and tables once they are published, by their categories', async () => {
  const node = { id: 'node', name: 'lymph node', category: ['LYMPH_NODES', 'GENERAL'] }
  const benign = { id: 'benign', name: 'benign', category: ['STAGING'] }
  const none = { id: 'none', name: 'tumor' }
  for (const body of [node, benign, none]) {
    await successOf(await world.ask(`POST ${FOLDER}/development/create`, { body }), 201)
  }
  expect(await foundIn('table/sizes')).toEqual([])

  const ids = [node.id, benign.id, none.id]
  const published = await world.ask(`POST ${FOLDER}/development/publish`, { body: { ids } })
  expect(published.status).toBe(204)
  // Offsets are 0-based: 'A benign tumor.' and 'Tumors of a lymph node', each with its own offsets.
  const inBoth = [
    { ...benign, keyword: 'benign', start: 2, end: 7 },
    { ...node, keyword: 'lymph node', start: 12, end: 21 },
  ]
  for (const kind of ['schema/made', 'table/sizes']) {
    expect(await foundIn(kind)).toEqual(inBoth)
    expect(await foundIn(kind, '?category=LYMPH_NODES')).toEqual(inBoth.slice(1))
    expect(await foundIn(kind, '?category=LYMPH_NODES,STAGING')).toEqual(inBoth)
    expect(await foundIn(kind, '?category=HEMATO')).toEqual([])
  }

  expect((await world.ask(`POST ${FOLDER}/development/hide/benign`)).status).toBe(204)
  expect(await foundIn('table/sizes')).toEqual(inBoth.slice(1))
})
