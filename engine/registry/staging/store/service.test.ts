import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newStates } from '../../../shared/support/new-state.ts'
import type { StagingTable } from '../algorithm/model.ts'
import {
  ADMIN,
  CONTENT,
  EDITOR,
  madeStaging,
  named,
  OF,
  openStaging,
  READER,
  refusal,
} from './support/made-staging.ts'

const T = CONTENT.tables.get('t') as StagingTable
/** Neither of these exists. */
const GONE = [{ algorithm: 'gone', version: '1.0' }, named('gone')]
const CASE = { site: 'C000', hist: '8000', year_dx: '2020', a: '1' }

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-staging-store-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe('reading', () => {
  test('lists by a part of the id, name or title, in order of id', async () => {
    const { staging } = await madeStaging()
    expect(await staging.version(READER, OF).schemas()).toEqual([
      { id: 'made', title: 'Made of little' },
    ])
    expect(await staging.version(READER, OF).schemas({ q: 'LITTLE' })).toHaveLength(1)
    expect(await staging.version(READER, OF).schemas({ q: 'much' })).toEqual([])
    expect(await staging.version(READER, OF).tables({ q: 'Y' })).toEqual([
      { id: 'histology' },
      { id: 'lonely' },
      { id: 'primary_site' },
      { id: 'year' },
    ])
    expect(await staging.version(READER, OF).tables({ unused: true })).toEqual([{ id: 'lonely' }])
    expect(await staging.version(READER, OF).tables({ unused: true, q: 't' })).toEqual([])
  })

  test('answers what uses what', async () => {
    const { staging } = await madeStaging()
    const ids = ['histology', 'primary_site', 'selection', 't', 'u', 'year']
    expect(await staging.version(READER, OF).tablesOfSchema('made')).toEqual(
      ids.map((id) => ({ id })),
    )
    const schemas = [{ id: 'made', title: 'Made of little' }]
    expect(await staging.version(READER, OF).schemasOfTable('u')).toEqual(schemas)
    expect(await staging.version(READER, OF).schemasOfTable('lonely')).toEqual([])
  })

  test('refuses what is not there', async () => {
    const { staging } = await madeStaging()
    const calls = [
      ...GONE.flatMap((of) => [
        () => staging.version(READER, of).describe(),
        () => staging.version(READER, of).schemas(),
        () => staging.version(READER, of).tables(),
        () => staging.version(READER, of).entity('schema', 'made'),
        () => staging.version(READER, of).entity('table', 't'),
        () => staging.version(READER, of).entityHistory('schema'),
        () => staging.version(READER, of).entityHistory('table'),
        () => staging.version(READER, of).stage(CASE),
        () => staging.version(READER, of).lookup(CASE),
        () => staging.version(READER, of).defaults('made', CASE),
        () => staging.version(READER, of).match('t', CASE),
        () => staging.version(READER, of).findings(),
        () => staging.invalidateCache(ADMIN, of),
        () => staging.fillCache(ADMIN, of),
        () => staging.editableVersion(EDITOR, of).batch({}),
        () => staging.editableVersion(EDITOR, of).updateEntity('table', 't', T),
      ]),
      () => staging.version(READER, OF).entity('schema', 'gone'),
      () => staging.version(READER, OF).entity('table', 'gone'),
      () => staging.version(READER, OF).tablesOfSchema('gone'),
      () => staging.version(READER, OF).schemasOfTable('gone'),
      () => staging.version(READER, OF).entityGlossary('schema', 'gone'),
      () => staging.version(READER, OF).entityGlossary('table', 'gone'),
      () => staging.version(READER, OF).match('gone', CASE),
    ]
    const codes = await Promise.all(calls.map(async (call) => (await refusal(call)).code))
    expect(new Set(codes)).toEqual(new Set(['not_found']))
  })
})

describe('running', () => {
  test('stages, looks up, adds defaults and matches', async () => {
    const { staging } = await madeStaging()
    const staged = { result: 'STAGED', schema_id: 'made', errors: [] }
    expect(await staging.version(READER, OF).stage(CASE)).toEqual({
      ...staged,
      input: CASE,
      output: { out: 'one' },
      path: ['m.t'],
    })
    const explained = await staging.version(READER, named('latest')).stage(CASE, { explain: true })
    expect(explained.explain?.map(({ table }) => table)).toContain('t')
    expect(await staging.version(READER, OF).lookup({ site: 'C000', hist: '8001' })).toEqual([
      {
        id: 'made',
        title: 'Made of little',
        staging_outputs: ['out'],
        staging_inputs: ['site', 'hist', 'a', 'b'],
      },
    ])
    expect(await staging.version(READER, OF).defaults('made', { site: 'C000' })).toEqual({
      site: 'C000',
      a: '7',
    })
    expect(await staging.version(READER, OF).match('t', { a: '2' })).toEqual({
      match: true,
      row: 1,
    })
    expect(await staging.version(READER, OF).match('t', { a: '3' })).toEqual({ match: false })
  })

  test('refuses bodies that are no maps of texts, and defaults of no schema', async () => {
    const { staging } = await madeStaging()
    for (const body of [undefined, null, [], 'x', { a: 1 }, { a: { b: 'c' } }]) {
      const bad = { code: 'bad_input' }
      expect(await refusal(() => staging.version(READER, OF).stage(body))).toMatchObject(bad)
      expect(await refusal(() => staging.version(READER, OF).lookup(body))).toMatchObject(bad)
      expect(await refusal(() => staging.version(READER, OF).match('t', body))).toMatchObject(bad)
      expect(await refusal(() => staging.version(READER, OF).defaults('made', body))).toMatchObject(
        bad,
      )
    }
    expect(await refusal(() => staging.version(READER, OF).defaults('gone', {}))).toMatchObject({
      code: 'bad_input',
    })
  })

  test('follows edits at once', async () => {
    const { staging } = await madeStaging()
    const out = async () => (await staging.version(READER, OF).stage(CASE)).output.out
    expect(await out()).toBe('one')
    await staging
      .editableVersion(EDITOR, OF)
      .updateEntity('table', 't', { ...T, rows: [['*', 'VALUE:other']] })
    expect(await out()).toBe('other')
    await staging.editableVersion(EDITOR, OF).restoreEntity('table', 't', { history: 6 })
    expect(await out()).toBe('one')
    await staging.invalidateCache(ADMIN, OF)
    expect(await out()).toBe('one')
    await staging.fillCache(ADMIN, OF)
    expect(await out()).toBe('one')
  })

  test('ends each case on the content that it began with, however edits come between', async () => {
    const { staging } = await madeStaging()
    // Both cells change together. A case that saw half an edit would get 2-1 or 1-2.
    const rows = (n: number) => [['1', `VALUE:${n}`]]
    const put = (n: number) =>
      staging.editableVersion(EDITOR, OF).batch({
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
    await staging.editableVersion(EDITOR, OF).updateEntity('schema', 'made', {
      ...made,
      mappings,
      outputs: [{ key: 'out' }, { key: 'again' }],
    })
    await put(0)
    const answers: Promise<unknown>[] = []
    for (let n = 1; n <= 20; n++) {
      const edit = put(n)
      for (let i = 0; i < 5; i++) {
        answers.push(
          staging
            .version(READER, OF)
            .stage(CASE)
            .then(({ output }) => output),
        )
        if (i === 2) await staging.invalidateCache(ADMIN, OF)
      }
      await edit
    }
    for (const output of (await Promise.all(answers)) as { out: string; again: string }[]) {
      expect(output.again).toBe(output.out)
    }
    expect((await staging.version(READER, OF).stage(CASE)).output).toEqual({
      out: '20',
      again: '20',
    })
  })
})

describe('a database that several have open', () => {
  test('shows each what the others did', async () => {
    const states = await newStates(join(folder, 'two'))
    const { staging: one } = await madeStaging(states[0])
    const { staging: two } = openStaging(states[1])
    const out = async () => (await two.version(READER, OF).stage(CASE)).output.out
    expect(await out()).toBe('one')
    await one
      .editableVersion(EDITOR, OF)
      .updateEntity('table', 't', { ...T, rows: [['*', 'VALUE:other']] })
    expect(await out()).toBe('other')
    // Edits of each continue from those of the other.
    await two.editableVersion(EDITOR, OF).createEntity('table', { ...T, id: 'from-two' })
    await one
      .editableVersion(EDITOR, OF)
      .updateEntity('table', 'from-two', { ...T, id: 'from-two', rows: [] })
    const fromTwo = await two.version(READER, OF).entity('table', 'from-two')
    expect(fromTwo.record).toMatchObject({ rows: [] })
    await one.catalogue.deleteVersion(ADMIN, OF)
    expect(await refusal(() => two.version(READER, OF).stage(CASE))).toMatchObject({
      code: 'not_found',
    })
    await one.catalogue.createVersion(ADMIN, OF, {})
    expect(await two.version(READER, OF).schemas()).toEqual([])
    expect(await two.version(READER, OF).stage(CASE)).toMatchObject({
      result: 'FAILED_NO_MATCHING_SCHEMA',
    })
    for (const state of states) await state.close()
  })

  test('has what was acknowledged when it is opened again', async () => {
    const [first, second] = await newStates(join(folder, 'again'))
    const made = await madeStaging(first)
    const before = await made.staging.version(READER, OF).entityHistory('table')
    await first.close()
    const { staging } = openStaging(second)
    expect(await staging.version(READER, OF).entityHistory('table')).toEqual(before)
    expect((await staging.version(READER, OF).stage(CASE)).output).toEqual({ out: 'one' })
    await second.close()
  })
})
