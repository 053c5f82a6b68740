import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { depth } from '../depth.ts'
import { openFuzzWorld, VERSION } from './support/fuzz-world.ts'
import { CASE, SCHEMA, TABLES } from './support/made-algorithm.ts'
import { mutated, mutation } from './support/mutated-json.ts'
import { failureOf, successOf } from './support/registry-answers.ts'
import type { RegistryWorld } from './support/registry-world.ts'

// Any edit or request is answered with a result or a refusal as the interface describes it. fuzz-cases-*.test.ts
// and fuzz-lines.test.ts test cases.

const EDITS = depth(300, 1500)
const NAMES = depth(400, 2000)

let world: RegistryWorld
beforeAll(async () => {
  world = await openFuzzWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

test('whatever is written is stored or refused, and what is stored can be read and run', async () => {
  const statuses = new Map<number, number>()
  const seen = (status: number) => statuses.set(status, (statuses.get(status) ?? 0) + 1)
  const edit = fc.oneof(
    fc.constant(['schema/made', SCHEMA] as const),
    fc.constantFrom(...TABLES).map((table) => [`table/${table.id}`, table] as const),
  )
  const mutations = fc.array(mutation, { minLength: 1, maxLength: 3 })
  const property = fc.asyncProperty(edit, mutations, async ([place, entity], changes) => {
    const path = `${VERSION}/${place}`
    const written = await world.ask(`PUT ${path}`, { body: mutated(entity, changes) ?? null })
    seen(written.status)
    if (written.status === 200) {
      const stored = await successOf(written, 200)
      expect(await successOf(await world.ask(`GET ${path}`), 200)).toEqual(stored)
      await successOf(await world.ask(`POST ${VERSION}/stage?explain=true`, { body: CASE }), 200)
      await successOf(await world.ask(`POST ${VERSION}/schemas/lookup`, { body: CASE }), 200)
      await successOf(await world.ask(`GET ${VERSION}/schema/made/glossary`), 200)
      await successOf(await world.ask(`GET ${VERSION}/findings`), 200)
      await successOf(await world.ask(`GET ${path}/history?per_page=1`), 200)
    } else await failureOf(written, 400, path)
  })
  await fc.assert(property, { seed: 36, numRuns: EDITS })
  expect(statuses.get(200)).toBeGreaterThan(EDITS / 15)
  expect(statuses.get(400)).toBeGreaterThan(EDITS / 15)
  expect(world.lines).toEqual([])
})

test('whatever is asked for by name is answered by 200 or a refusal', async () => {
  const name = fc.oneof(
    fc.constantFrom('made', '1.0', 'sizes', 'latest', 'versions', '..', '%2e%2e', '__proto__'),
    fc
      .string({ unit: 'binary', minLength: 1 })
      .map((text) => encodeURIComponent(text.toWellFormed())),
  )
  const target = fc.oneof(
    fc.tuple(name).map(([a]) => a),
    fc.tuple(name, name).map(([a, v]) => `${a}/${v}`),
    fc.tuple(name, name, fc.constantFrom('schema', 'table'), name).map((all) => all.join('/')),
    fc
      .tuple(fc.constantFrom('schemas', 'tables'), name)
      .map(([kind, q]) => `made/1.0/${kind}?q=${q}`),
    fc
      .tuple(fc.constantFrom('page', 'per_page', 'order', 'x'), name)
      .map(([parameter, value]) => `made/1.0/tables/history?${parameter}=${value}`),
  )
  const property = fc.asyncProperty(target, async (path) => {
    // A client that resolves dots in paths would request the page at /.
    fc.pre(new URL(`http://localhost/rest/staging/${path}`).pathname !== '/')
    const response = await world.ask(`GET /rest/staging/${path}`, { who: 'reader' })
    if (response.status === 200) await successOf(response, 200)
    else expect([400, 404]).toContain(response.status)
  })
  await fc.assert(property, { seed: 35, numRuns: NAMES })
  expect(world.lines).toEqual([])
})
