import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CASE, SCHEMA, TABLES } from './support/made-algorithm.ts'
import { mutated, mutation } from './support/mutated-json.ts'
import { failureOf, successOf } from './support/registry-answers.ts'
import { openRegistry, type RegistryWorld } from './support/registry-world.ts'

// Whatever is posted as a case, the answer is a result or a refusal in the interface's words.

const RUNS = 20_000
const VERSION = '/rest/staging/made/1.0'
const TARGETS = [
  `${VERSION}/stage`,
  `${VERSION}/stage?explain=true`,
  `${VERSION}/schemas/lookup`,
  `${VERSION}/made/defaults`,
  `${VERSION}/table/sizes/match`,
  `${VERSION}/table/year/match`,
] as const

let world: RegistryWorld
beforeAll(async () => {
  world = await openRegistry({ logLevel: 'error' })
  for (const [target, body] of [
    ['/rest/staging/made', {}],
    [VERSION, {}],
    [`${VERSION}/batch`, { schemas: [SCHEMA], tables: TABLES }],
  ] as const) {
    await successOf(await world.ask(`POST ${target}`, { body }), target.endsWith('h') ? 200 : 201)
  }
})
afterAll(() => world?.[Symbol.asyncDispose]())

const posted = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .array(mutation, { minLength: 1, maxLength: 4 })
      .map((mutations) => JSON.stringify(mutated({ ...CASE, odd: 'x' }, mutations))),
  },
  {
    weight: 3,
    arbitrary: fc
      .dictionary(fc.string(), fc.oneof(fc.string(), fc.constant(null)))
      .map((map) => JSON.stringify({ ...CASE, ...map })),
  },
  { weight: 2, arbitrary: fc.json({ maxDepth: 3 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  // A case that was cut off, or has one character too many.
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.nat(60), fc.string({ maxLength: 2 }))
      .map(([at, text]) => JSON.stringify(CASE).slice(0, at) + text),
  },
)

test(`${RUNS} posted bodies are answered by 200 or a refusal, never by a failure`, async () => {
  const statuses = new Map<number, number>()
  const property = fc.asyncProperty(fc.constantFrom(...TARGETS), posted, async (target, body) => {
    const response = await world.ask(`POST ${target}`, { who: 'reader', body })
    const { status } = response
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (status === 200) await successOf(response, 200, target.endsWith('/defaults'))
    else await failureOf(response, 400, target.replace(/\?.*/, ''))
  })
  await fc.assert(property, { seed: 34, numRuns: RUNS })
  // Both kinds of answers were met often.
  expect(statuses.get(200)).toBeGreaterThan(RUNS / 10)
  expect(statuses.get(400)).toBeGreaterThan(RUNS / 10)
  expect(world.lines).toEqual([])
})

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
  await fc.assert(property, { seed: 36, numRuns: 1500 })
  expect(statuses.get(200)).toBeGreaterThan(100)
  expect(statuses.get(400)).toBeGreaterThan(100)
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
    const response = await world.ask(`GET /rest/staging/${path}`, { who: 'reader' })
    if (response.status === 200) await successOf(response, 200)
    else expect([400, 404]).toContain(response.status)
  })
  await fc.assert(property, { seed: 35, numRuns: 2000 })
  expect(world.lines).toEqual([])
})
