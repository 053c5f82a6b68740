import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { depth } from '../depth.ts'
import { loadProducts } from './support/made-tables.ts'
import { mutated, mutation } from './support/mutated-json.ts'
import { failureOf, successOf } from './support/registry-answers.ts'
import { openRegistry, type RegistryWorld } from './support/registry-world.ts'
import { strictFaults } from './support/strict-codes.ts'

// Any request or body is answered with a record or a refusal as the interface describes it.

const QUERIES = depth(600, 3000)
const BODIES = depth(300, 1500)

let world: RegistryWorld
beforeAll(async () => {
  world = await openRegistry({ logLevel: 'error' })
  const names = ['Alpha', 'Beta gamma', 'Delta']
  const products = ['0001-0001', '12345-678', '60505-0001'].map(
    (code, i) => [code, names[i] ?? ''] as const,
  )
  await loadProducts(world.engine, ...products)
})
afterAll(() => world?.[Symbol.asyncDispose]())

const odd = fc.oneof(
  fc.constantFrom('', '0', '-1', '1e9', '00', ' ', '%', '..', '__proto__', 'ndc', 'code', 'latest'),
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.toWellFormed()),
)
const digits = fc.array(fc.constantFrom(...'0123456'), { maxLength: 12 }).map((all) => all.join(''))
const code = fc.oneof(
  fc.constantFrom('0001-0001', '0001-0001-10', '1234567810', '12345067810', 'Z0001'),
  fc.array(digits, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('-')),
  odd,
)
const value = fc.oneof(
  fc.constantFrom('1', '2', '1000', '1001', 'true', 'false', '2026-03-01', '2026-02-30', '-ndc'),
  fc.constantFrom(
    'date_added',
    '-hcpcs_code',
    'CHEMOTHERAPY',
    'CHEMOTHERAPY,ANCILLARY',
    'alpha be',
  ),
  odd,
)
const parameter = fc.constantFrom(
  ...['q', 'category', 'page', 'per_page', 'order', 'added_since', 'modified_since'],
  ...['removed_since', 'include_removed', 'has_seer_info', 'unknown'],
)
const area = fc.constantFrom('ndc', 'hcpcs')

test(`${QUERIES} codes and queries are answered by 200 or a refusal, never by a failure`, async () => {
  const statuses = new Map<number, number>()
  const query = fc
    .array(fc.tuple(parameter, value), { minLength: 1, maxLength: 4 })
    .map((pairs) => new URLSearchParams(pairs).toString())
  const target = fc.oneof(
    fc.tuple(area, query).map(([one, text]) => `/rest/${one}?${text}`),
    fc.tuple(area, code).map(([one, text]) => `/rest/${one}/code/${encodeURIComponent(text)}`),
    fc
      .tuple(area, code, query)
      .map(
        ([one, text, asked]) => `/rest/${one}/code/${encodeURIComponent(text)}/history?${asked}`,
      ),
  )
  const property = fc.asyncProperty(target, async (path) => {
    const response = await world.ask(`GET ${path}`, { who: 'reader' })
    const { status } = response
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (status === 200) await successOf(response, 200)
    else {
      // Without a code, the path is the one that posts a new product.
      expect([400, 404, 405]).toContain(status)
      await response.text()
    }
  })
  await fc.assert(property, { seed: 81, numRuns: QUERIES })
  for (const status of [200, 400, 404]) expect(statuses.get(status)).toBeGreaterThan(QUERIES / 15)
  expect(world.lines).toEqual([])
})

const PROCEDURE = {
  hcpcs_code: 'Z0001',
  generic_name: 'Alemtuzumab',
  description: 'Injection',
  brand_names: ['Campath'],
  strength: '30 mg',
  fda_approval_year: '2001',
  cms_approval_date: '2002-01-01',
  cms_discontinuation_date: '2002-12-31',
  categories: ['IMMUNOTHERAPY'],
  major_drug_class: 'Antibody',
  oral: false,
}
const SEER = {
  seer_rx_id: 'x',
  categories: ['CHEMOTHERAPY', 'ANCILLARY'],
  subcategory: 's',
  major_drug_class: 'M',
  minor_drug_class: 'm',
  orphan_drug: true,
}

test(`${BODIES} bodies are stored or refused, and what is stored is found and strictly right`, async () => {
  const statuses = new Map<number, number>()
  const operations = [
    ['ndc', 'PUT /rest/ndc/code/0001-0001', { ndc: '0001-0001', seer: SEER }],
    ['hcpcs', 'PUT /rest/hcpcs/code/Z0001', PROCEDURE],
    ['hcpcs', 'POST /rest/hcpcs/code', PROCEDURE],
  ] as const
  await successOf(await world.ask('POST /rest/hcpcs/code', { body: PROCEDURE }), 201)
  const property = fc.asyncProperty(
    fc.constantFrom(...operations),
    fc.array(mutation, { minLength: 1, maxLength: 3 }),
    fc.option(fc.constantFrom('*', '"1"', 'x', 'W/"1"', '"', ''), { nil: undefined }),
    async ([of, operation, body], mutations, ifMatch) => {
      const path = operation.split(' ')[1] ?? ''
      const headers = ifMatch === undefined ? {} : { 'If-Match': ifMatch }
      const changed = mutated(body, mutations) ?? null
      const response = await world.ask(operation, { body: changed, headers })
      const { status } = response
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status >= 300) return void (await failureOf(response, status, path))
      const stored = await successOf(response, status)
      // An editor may store empty texts and lists.
      expect(strictFaults(of, stored).filter((failure) => !failure.includes('Too small'))).toEqual(
        [],
      )
      if (status === 200) {
        expect(await successOf(await world.ask(`GET ${path}`), 200)).toEqual(stored)
      }
      await successOf(await world.ask(`GET /rest/${of}?q=alpha`), 200)
    },
  )
  await fc.assert(property, { seed: 82, numRuns: BODIES })
  for (const status of [200, 400, 412]) expect(statuses.get(status)).toBeGreaterThan(BODIES / 30)
  expect([...statuses.keys()].filter((status) => status >= 500)).toEqual([])
  expect(world.lines).toEqual([])
})
