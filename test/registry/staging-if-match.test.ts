import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCHEMA, TABLES } from './support/made-algorithm.ts'
import { failureOf, successOf } from './support/registry-answers.ts'
import { openRegistry, type RegistryWorld, type Who } from './support/registry-world.ts'

// Edits of schemas and tables fail if the editor has not seen the current revision (registry.md 2.1, RFC 9110
// 13.1.1).

const VERSION = '/rest/staging/made/1.0'
const AT_ONCE = 20
const [, , , , SIZES] = TABLES

const KINDS = [
  { kind: 'schema', path: `${VERSION}/schema/made`, content: SCHEMA },
  { kind: 'table', path: `${VERSION}/table/sizes`, content: SIZES },
] as const

let world: RegistryWorld
beforeAll(async () => {
  world = await openRegistry({ logLevel: 'error' })
  await successOf(await world.ask('POST /rest/staging/made', { body: {} }), 201)
  await successOf(await world.ask(`POST ${VERSION}`, { body: {} }), 201)
  const body = { schemas: [SCHEMA], tables: TABLES }
  await successOf(await world.ask(`POST ${VERSION}/batch`, { body }), 200)
})
afterAll(() => world?.[Symbol.asyncDispose]())

const read = (path: string) => world.ask(`GET ${path}`)
const put = (path: string, body: object, tag?: string) =>
  world.ask(`PUT ${path}`, { body, ...(tag !== undefined && { headers: { 'If-Match': tag } }) })
/** The number of the oldest history entry. */
async function firstEntryOf(path: string): Promise<number> {
  const history = await world.ask(`GET ${path}/history?order=ASC`)
  const [{ number }] = (await history.json()) as [{ readonly number: number }]
  return number
}
const tagOf = (response: Response) => response.headers.get('etag') ?? 'none'

describe.each(KINDS)('a $kind', ({ path, content }) => {
  test('has an ETag, which the next edit may name, and each edit gives another one', async () => {
    const first = tagOf(await read(path))
    expect(first).toMatch(/^"[\d.]+"$/)
    expect(tagOf(await read(path))).toBe(first)
    const stored = await put(path, { ...content, title: 'Seen' }, first)
    expect(stored.status).toBe(200)
    expect(tagOf(stored)).not.toBe(first)
    expect(tagOf(await read(path))).toBe(tagOf(stored))
    expect((await put(path, content, '*')).status).toBe(200)
    expect((await put(path, content)).status).toBe(200)
  })

  test.each(['before', '"zzz"', '""', 'weak'])(
    'is not put, deleted or restored over what If-Match (%s) does not name',
    async (which) => {
      const before = tagOf(await read(path))
      const now = tagOf(await put(path, content))
      const tag = which === 'before' ? before : which === 'weak' ? `W/${now}` : which
      const message = await failureOf(
        await put(path, { ...content, title: 'Lost' }, tag),
        412,
        path,
      )
      expect(message).toContain('If-Match')
      const headers = { 'If-Match': tag }
      await failureOf(await world.ask(`DELETE ${path}`, { headers }), 412, path)
      const body = { history: await firstEntryOf(path) }
      const restored = await world.ask(`POST ${path}/restore`, { headers, body })
      await failureOf(restored, 412, `${path}/restore`)
      expect(tagOf(await read(path))).toBe(now)
    },
  )

  test(`of ${AT_ONCE} edits at once with one If-Match one is stored`, async () => {
    const tag = tagOf(await read(path))
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, i) => put(path, { ...content, title: `Of ${i}` }, tag)),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 412)).toHaveLength(AT_ONCE - 1)
    const { title } = (await (await read(path)).json()) as { readonly title: string }
    expect(title).toBe(`Of ${statuses.indexOf(200)}`)
  })

  test('is unknown before it can be another one', async () => {
    await failureOf(
      await put(`${path}x`, { ...content, id: `${content.id}x` }, '"1"'),
      404,
      `${path}x`,
    )
  })
})

test('an edit of a table shows in the ETag of a schema that leads to it, and conflicts with no edit of that', async () => {
  const [{ path: schema }, { path: table, content }] = KINDS
  const before = tagOf(await read(schema))
  await put(table, content)
  const after = tagOf(await read(schema))
  expect(after).not.toBe(before)
  expect((await put(schema, SCHEMA, before)).status).toBe(200)
})

test('one that is deleted is restored by who has not seen another one', async () => {
  const [, { path }] = KINDS
  const spare = `${VERSION}/table/spare`
  const made = await world.ask(`POST ${VERSION}/table`, { body: { ...SIZES, id: 'spare' } })
  expect(tagOf(made)).toBe(tagOf(await read(spare)))
  const headers = { 'If-Match': tagOf(made) }
  await successOf(await world.ask(`DELETE ${spare}`, { headers }), 204)
  await failureOf(await world.ask(`DELETE ${spare}`, { headers }), 404, spare)
  const counted = await world.ask(`GET ${spare}/history?per_page=1`)
  // The entries are a creation and a deletion.
  expect(counted.headers.get('x-total-count')).toBe('2')
  const all = await world.ask(`GET ${VERSION}/tables/history?per_page=1000`)
  const entries = (await all.json()) as unknown[]
  expect(all.headers.get('x-total-count')).toBe(String(entries.length))
  const number = await firstEntryOf(spare)
  const restore = (held?: Record<string, string>) =>
    world.ask(`POST ${spare}/restore`, {
      body: { history: number },
      ...(held && { headers: held }),
    })
  expect((await restore(headers)).status).toBe(412)
  const back = await restore()
  expect(back.status).toBe(200)
  expect(tagOf(back)).toBe(tagOf(await read(spare)))
  expect(tagOf(back)).not.toBe(tagOf(await read(path)))
})

describe('what a caller holds', () => {
  const [{ path: schema }, { path: table, content }] = KINDS
  const again = (path: string, tag: string, who: Who = 'reader') =>
    world.ask(`GET ${path}`, { who, headers: { 'If-None-Match': tag } })

  test('is sent again when it changed, a schema also when a table of it did', async () => {
    const [ofSchema, ofTable] = [tagOf(await read(schema)), tagOf(await read(table))]
    expect((await again(schema, ofSchema)).status).toBe(304)
    expect((await again(table, ofTable)).status).toBe(304)
    expect((await again(table, `"x", W/${ofTable}`)).status).toBe(304)
    await put(table, content)
    expect((await again(schema, ofSchema)).status).toBe(200)
    expect((await again(table, ofTable)).status).toBe(200)
  })

  test('is not there any more for who may not see the version', async () => {
    const tag = tagOf(await read(table))
    const roles = { view_roles: ['STAGING_BETA_VIEW'] }
    await successOf(await world.ask(`PUT ${VERSION}`, { body: roles }), 200)
    await failureOf(await again(table, tag), 404, table)
    expect((await again(table, tag, 'STAGING_BETA_VIEW')).status).toBe(304)
    await successOf(await world.ask(`PUT ${VERSION}`, { body: {} }), 200)
    await failureOf(await again(table, tag, 'nobody'), 401, table)
  })
})

test('a misspelt parameter of an edit is named in a warning', async () => {
  const [, { path, content }] = KINDS
  const response = await put(`${path}?commnt=why`, content)
  expect(response.status).toBe(200)
  expect(response.headers.get('x-warnings')).toMatch(/commnt.*comment/)
})
