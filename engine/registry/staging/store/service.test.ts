import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openState, statePath } from '../../../shared/catalogue/state.ts'
import type { StagingTable } from '../algorithm/model.ts'
import {
  ADMIN,
  CONTENT,
  EDITOR,
  madeStaging,
  openStaging,
  READER,
  refusal,
} from './support/made-staging.ts'

const OF = ['made', '1.0'] as const
const T = CONTENT.tables.get('t') as StagingTable
/** Neither of them is there. */
const GONE = [
  ['gone', '1.0'],
  ['made', 'gone'],
] as const
const CASE = { site: 'C000', hist: '8000', year_dx: '2020', a: '1' }

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-staging-store-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe('reading', () => {
  test('lists by a part of the id, name or title, in order of id', async () => {
    const { staging } = await madeStaging()
    expect(await staging.schemas(READER, ...OF)).toEqual([{ id: 'made', title: 'Made of little' }])
    expect(await staging.schemas(READER, ...OF, { q: 'LITTLE' })).toHaveLength(1)
    expect(await staging.schemas(READER, ...OF, { q: 'much' })).toEqual([])
    expect(await staging.tables(READER, ...OF, { q: 'Y' })).toEqual([
      { id: 'histology' },
      { id: 'lonely' },
      { id: 'primary_site' },
      { id: 'year' },
    ])
    expect(await staging.tables(READER, ...OF, { unused: true })).toEqual([{ id: 'lonely' }])
    expect(await staging.tables(READER, ...OF, { unused: true, q: 't' })).toEqual([])
  })

  test('tells what uses what', async () => {
    const { staging } = await madeStaging()
    const ids = ['histology', 'primary_site', 'selection', 't', 'u', 'year']
    expect(await staging.tablesOfSchema(READER, ...OF, 'made')).toEqual(ids.map((id) => ({ id })))
    const schemas = [{ id: 'made', title: 'Made of little' }]
    expect(await staging.schemasOfTable(READER, ...OF, 'u')).toEqual(schemas)
    expect(await staging.schemasOfTable(READER, ...OF, 'lonely')).toEqual([])
  })

  test('refuses what is not there', async () => {
    const { staging } = await madeStaging()
    const calls = [
      ...GONE.flatMap((of: readonly [string, string]) => [
        () => staging.version(READER, ...of),
        () => staging.schemas(READER, ...of),
        () => staging.tables(READER, ...of),
        () => staging.entity('schema', READER, ...of, 'made'),
        () => staging.entity('table', READER, ...of, 't'),
        () => staging.entityHistory('schema', READER, ...of),
        () => staging.entityHistory('table', READER, ...of),
        () => staging.stage(READER, ...of, CASE),
        () => staging.lookup(READER, ...of, CASE),
        () => staging.defaults(READER, ...of, 'made', CASE),
        () => staging.match(READER, ...of, 't', CASE),
        () => staging.findings(READER, ...of),
        () => staging.invalidateCache(ADMIN, ...of),
        () => staging.fillCache(ADMIN, ...of),
        () => staging.batch(EDITOR, ...of, {}),
        () => staging.updateEntity('table', EDITOR, ...of, 't', T),
      ]),
      () => staging.entity('schema', READER, ...OF, 'gone'),
      () => staging.entity('table', READER, ...OF, 'gone'),
      () => staging.tablesOfSchema(READER, ...OF, 'gone'),
      () => staging.schemasOfTable(READER, ...OF, 'gone'),
      () => staging.entityGlossary('schema', READER, ...OF, 'gone'),
      () => staging.entityGlossary('table', READER, ...OF, 'gone'),
      () => staging.match(READER, ...OF, 'gone', CASE),
    ]
    const codes = await Promise.all(calls.map(async (call) => (await refusal(call)).code))
    expect(new Set(codes)).toEqual(new Set(['not_found']))
  })
})

describe('running', () => {
  test('stages, looks up, adds defaults and matches', async () => {
    const { staging } = await madeStaging()
    const staged = { result: 'STAGED', schema_id: 'made', errors: [] }
    expect(await staging.stage(READER, ...OF, CASE)).toEqual({
      ...{ ...staged, input: CASE, output: { out: 'one' }, path: ['m.t'] },
    })
    const explained = await staging.stage(READER, 'made', 'latest', CASE, { explain: true })
    expect(explained.explain?.map(({ table }) => table)).toContain('t')
    expect(await staging.lookup(READER, ...OF, { site: 'C000', hist: '8001' })).toEqual([
      {
        ...{ id: 'made', title: 'Made of little', staging_outputs: ['out'] },
        staging_inputs: ['site', 'hist', 'a', 'b'],
      },
    ])
    expect(await staging.defaults(READER, ...OF, 'made', { site: 'C000' })).toEqual({
      ...{ site: 'C000', a: '7' },
    })
    expect(await staging.match(READER, ...OF, 't', { a: '2' })).toEqual({ match: true, row: 1 })
    expect(await staging.match(READER, ...OF, 't', { a: '3' })).toEqual({ match: false })
  })

  test('refuses bodies that are no maps of texts, and defaults of no schema', async () => {
    const { staging } = await madeStaging()
    for (const body of [undefined, null, [], 'x', { a: 1 }, { a: { b: 'c' } }]) {
      const bad = { code: 'bad_input' }
      expect(await refusal(() => staging.stage(READER, ...OF, body))).toMatchObject(bad)
      expect(await refusal(() => staging.lookup(READER, ...OF, body))).toMatchObject(bad)
      expect(await refusal(() => staging.match(READER, ...OF, 't', body))).toMatchObject(bad)
      expect(await refusal(() => staging.defaults(READER, ...OF, 'made', body))).toMatchObject(bad)
    }
    expect(await refusal(() => staging.defaults(READER, ...OF, 'gone', {}))).toMatchObject({
      code: 'bad_input',
    })
  })

  test('follows edits at once', async () => {
    const { staging } = await madeStaging()
    const out = async () => (await staging.stage(READER, ...OF, CASE)).output.out
    expect(await out()).toBe('one')
    await staging.updateEntity('table', EDITOR, ...OF, 't', { ...T, rows: [['*', 'VALUE:other']] })
    expect(await out()).toBe('other')
    await staging.restoreEntity('table', EDITOR, ...OF, 't', { history: 6 })
    expect(await out()).toBe('one')
    staging.invalidateCache(ADMIN, ...OF)
    expect(await out()).toBe('one')
    await staging.fillCache(ADMIN, ...OF)
    expect(await out()).toBe('one')
  })

  test('ends each case on the content that it began with, however edits come between', async () => {
    const { staging } = await madeStaging()
    // Both cells change together: a case that saw half an edit would answer 2-1 or 1-2.
    const rows = (n: number) => [['1', `VALUE:${n}`]]
    const put = (n: number) =>
      staging.batch(EDITOR, ...OF, {
        tables: [
          { ...T, rows: [['1', 'JUMP:u']] },
          { ...T, id: 'u', rows: rows(n) },
          { ...T, id: 'w', rows: rows(n) },
        ],
      })
    const mappings = [
      {
        id: 'm',
        tables: [{ id: 'u' }, { id: 'w', output_mapping: [{ from: 'out', to: 'again' }] }],
      },
    ]
    const made = CONTENT.schemas.get('made')
    await staging.updateEntity('schema', EDITOR, ...OF, 'made', {
      ...{ ...made, mappings, outputs: [{ key: 'out' }, { key: 'again' }] },
    })
    await put(0)
    const answers: Promise<unknown>[] = []
    for (let n = 1; n <= 20; n++) {
      const edit = put(n)
      for (let i = 0; i < 5; i++) {
        answers.push(staging.stage(READER, ...OF, CASE).then(({ output }) => output))
        if (i === 2) staging.invalidateCache(ADMIN, ...OF)
      }
      await edit
    }
    for (const output of (await Promise.all(answers)) as { out: string; again: string }[]) {
      expect(output.again).toBe(output.out)
    }
    expect((await staging.stage(READER, ...OF, CASE)).output).toEqual({ out: '20', again: '20' })
  })
})

describe('a database that several have open', () => {
  test('shows each what the others did', async () => {
    const path = statePath(join(folder, 'two'))
    const states = [openState(path), openState(path)] as const
    const { staging: one } = await madeStaging(states[0])
    const { staging: two } = openStaging(states[1])
    const out = async () => (await two.stage(READER, ...OF, CASE)).output.out
    expect(await out()).toBe('one')
    await one.updateEntity('table', EDITOR, ...OF, 't', { ...T, rows: [['*', 'VALUE:other']] })
    expect(await out()).toBe('other')
    // Edits of both go on from what the other one made.
    await two.createEntity('table', EDITOR, ...OF, { ...T, id: 'from-two' })
    await one.updateEntity('table', EDITOR, ...OF, 'from-two', { ...T, id: 'from-two', rows: [] })
    expect(await two.entity('table', READER, ...OF, 'from-two')).toMatchObject({ rows: [] })
    one.deleteVersion(ADMIN, ...OF)
    expect(await refusal(() => two.stage(READER, ...OF, CASE))).toMatchObject({
      code: 'not_found',
    })
    one.createVersion(ADMIN, ...OF, {})
    expect(await two.schemas(READER, ...OF)).toEqual([])
    expect(await two.stage(READER, ...OF, CASE)).toMatchObject({
      result: 'FAILED_NO_MATCHING_SCHEMA',
    })
    for (const state of states) state.close()
  })

  test('has what was acknowledged when it is opened again', async () => {
    const path = statePath(join(folder, 'again'))
    const first = openState(path)
    const made = await madeStaging(first)
    const before = await made.staging.entityHistory('table', READER, ...OF)
    first.close()
    const second = openState(path)
    const { staging } = openStaging(second)
    expect(await staging.entityHistory('table', READER, ...OF)).toEqual(before)
    expect((await staging.stage(READER, ...OF, CASE)).output).toEqual({ out: 'one' })
    second.close()
  })
})
