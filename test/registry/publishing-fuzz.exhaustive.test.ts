import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mutated, mutation } from './support/mutated-json.ts'
import { loadMade, MADE_RECORDS } from './support/publishing-made.ts'
import { failureOf, successOf } from './support/registry-answers.ts'
import { openRegistry, type RegistryWorld } from './support/registry-world.ts'

// Any request to rx, glossary and disease is fulfilled or refused as the interface describes it.

const AREAS = ['rx', 'glossary', 'disease'] as const

let world: RegistryWorld
beforeAll(async () => {
  world = await openRegistry({ logLevel: 'error' })
  await loadMade(world.engine)
})
afterAll(() => world?.[Symbol.asyncDispose]())

const mutations = fc.array(mutation, { minLength: 1, maxLength: 2 })
const anyText = fc.string({ unit: 'binary', maxLength: 20 })

/** Checks the form of an answer, and returns the body of a success. */
async function answerOf(operation: string, body?: unknown, headers = {}): Promise<unknown> {
  const response = await world.ask(operation, { body, headers })
  const { status } = response
  seen.set(status, (seen.get(status) ?? 0) + 1)
  if ([200, 201, 204].includes(status)) return successOf(response, status)
  expect([400, 404, 413]).toContain(status)
  const path = new URL(operation.split(' ')[1] ?? '', 'http://a').pathname
  await failureOf(response, status, decodeURI(path))
  return undefined
}

const seen = new Map<number, number>()

describe.each(AREAS)('%s', (area) => {
  const place = `/rest/${area}`
  const record = MADE_RECORDS[area]

  test('1,000 bodies are stored or refused, and what is stored is read and found', async () => {
    seen.clear()
    const property = fc.asyncProperty(mutations, fc.boolean(), async (changes, isUpdate) => {
      const posted = mutated({ ...record, note: 'a', field_notes: { name: 'b' } }, changes) ?? null
      const operation = isUpdate
        ? `PUT ${place}/development/update`
        : `POST ${place}/development/create`
      const stored = (await answerOf(operation, posted)) as { id: string } | undefined
      if (!stored) return
      const read = await answerOf(`GET ${place}/development/id/${stored.id}?glossary=true`)
      expect(read).toMatchObject(stored)
      if (area !== 'disease') return
      await answerOf(`GET ${place}/development/id/${stored.id}/2010`)
      await answerOf(`POST ${place}/reportability`, posted)
    })
    await fc.assert(property, { seed: 41, numRuns: 1000 })
    expect(seen.get(201)).toBeGreaterThan(100)
    expect(seen.get(400)).toBeGreaterThan(100)
    expect(world.lines).toEqual([])
  })

  test('1,000 queries find something, nothing or are refused', async () => {
    seen.clear()
    const names = [
      ...['q', 'status', 'assigned_to', 'modified_from', 'modified_to', 'published_from', 'mode'],
      ...['published_to', 'been_published', 'hidden', 'count', 'offset', 'order', 'output_type'],
      ...['glossary', 'type', 'category', 'do_not_code', 'site_category', 'drugs', 'id', 'from'],
    ]
    const value = fc.oneof(
      fc.constantFrom('', 'made', 'true', 'false', 'AND', 'DRUG', 'HEMATO', 'GENERAL', 'YES', '*'),
      fc.constantFrom('0', '1', '1000', '2026-03-01', '9999-12-31', '0000-00-00', '-name', 'type'),
      fc.constantFrom('FULL', 'DRAFT', 'latest', ',', 'a,b', '1e3', '-1', ' ', '%', '__proto__'),
      anyText,
    )
    const query = fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 4 })
    const what = fc.constantFrom(
      '',
      '',
      '',
      '/changelog',
      '/keywords',
      '/status_summary',
      '/id/made',
    )
    const version = fc.constantFrom('latest', 'development', 'development', 'nowhere', '__proto__')
    const property = fc.asyncProperty(version, what, query, async (version, path, pairs) => {
      const parameters = new URLSearchParams(
        pairs.map(([name, text]): [string, string] => [name, text.toWellFormed()]),
      )
      await answerOf(`GET ${place}/${version}${path}?${parameters}`)
    })
    await fc.assert(property, { seed: 42, numRuns: 1000 })
    expect(seen.get(200)).toBeGreaterThan(100)
    expect(seen.get(400)).toBeGreaterThan(100)
    expect(world.lines).toEqual([])
  })

  test('500 lists of what to publish, and descriptions, are taken or refused', async () => {
    const info = { ids: ['made', 'made2'], status: 'READY', assigned_to: 'a', description: 'b' }
    const action = fc.constantFrom('hide', 'unhide', 'reset')
    const property = fc.asyncProperty(mutations, action, anyText, async (changes, action, text) => {
      await answerOf(`POST ${place}/development/publish`, mutated(info, changes) ?? null)
      const described = new URLSearchParams({ description: text.toWellFormed() })
      const method = action === 'reset' ? 'PUT' : 'POST'
      await answerOf(`${method} ${place}/development/${action}/made?${described}`)
    })
    await fc.assert(property, { seed: 43, numRuns: 250 })
    expect(world.lines).toEqual([])
  })
})

test('2,000 texts are matched with the glossary, and each match is where it says', async () => {
  seen.clear()
  const words = fc.constantFrom(
    'made',
    'Made term',
    'node',
    'nodes',
    ' ',
    'a',
    '\u0130',
    '𝒜',
    '-',
    '.',
  )
  const text = fc.oneof(
    fc.array(words, { maxLength: 12 }).map((all) => all.join('')),
    anyText,
  )
  const whole = fc.constantFrom('true', 'false')
  const property = fc.asyncProperty(text, whole, async (text, whole) => {
    const operation = `POST /rest/glossary/match?wholeWordsOnly=${whole}`
    const sent = text.toWellFormed()
    const found = await answerOf(operation, sent, { 'Content-Type': 'text/plain' })
    for (const { keyword, start, end } of found as {
      keyword: string
      start: number
      end: number
    }[]) {
      expect(sent.slice(start, end + 1).toLowerCase()).toBe(keyword.toLowerCase())
    }
  })
  await fc.assert(property, { seed: 44, numRuns: 2000 })
  expect(seen.get(200)).toBe(2000)
  expect(world.lines).toEqual([])
})

test('whatever two diseases and years are compared, the answer is a comparison or a refusal', async () => {
  const code = fc.oneof(
    fc.constantFrom('9840/3', '9870/3', '9872/3', '9840', '', '0000/0'),
    anyText,
  )
  const year = fc.oneof(fc.constantFrom('2010', '1999', '0', '9999', '10000', ''), anyText)
  const site = fc.stringMatching(/^[\w-]{1,5}$/)
  const asked = fc.record({ d1: code, d2: code, year1: year, year2: year })
  const property = fc.asyncProperty(asked, site, async (asked, site) => {
    const query = new URLSearchParams(
      Object.entries(asked).map(([name, text]): [string, string] => [name, text.toWellFormed()]),
    )
    await answerOf(`GET /rest/disease/latest/same_primary?${query}`)
    await answerOf(`GET /rest/disease/primary_site/${site}`)
  })
  await fc.assert(property, { seed: 45, numRuns: 500 })
  expect(world.lines).toEqual([])
})
