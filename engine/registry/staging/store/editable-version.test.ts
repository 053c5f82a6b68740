import { describe, expect, test } from 'vitest'
import { EngineError } from '../../../shared/errors.ts'
import type { StagingTable } from '../algorithm/model.ts'
import type { VersionName } from './entities.ts'
import type { Caller } from './roles.ts'
import type { StagingVersion } from './staging-version.ts'
import {
  ADMIN,
  CONTENT,
  EDITOR,
  type MadeStaging,
  madeStaging,
  named,
  OF,
  READER,
  refusal,
} from './support/made-staging.ts'

const T = CONTENT.tables.get('t') as StagingTable
const MADE = CONTENT.schemas.get('made')!
const LATER = '2026-04-02T08:30:00.000Z'

/** Returns everything that can be read of the version. */
async function all({ staging }: MadeStaging) {
  const schemas = await staging.version(READER, OF).schemas()
  const tables = await staging.version(READER, OF).tables()
  return {
    schemas: await Promise.all(
      schemas.map(({ id }) => staging.version(READER, OF).entity('schema', id)),
    ),
    tables: await Promise.all(
      tables.map(({ id }) => staging.version(READER, OF).entity('table', id)),
    ),
    schemaHistory: await staging.version(READER, OF).entityHistory('schema', { perPage: 1000 }),
    tableHistory: await staging.version(READER, OF).entityHistory('table', { perPage: 1000 }),
    version: staging.version(READER, OF).describe(),
  }
}

describe('a schema or table', () => {
  test('is created with what the server sets and derives', async () => {
    const { staging, clock } = await madeStaging()
    clock.to(LATER)
    const posted = {
      ...T,
      id: 'new',
      algorithm: 'x',
      version: 'y',
      last_modified: 'z',
      extra_input: ['no'],
      rows: [['1', 'VALUE:{{b}}']],
    }
    const { record: stored, ...at } = await staging
      .editableVersion(EDITOR, OF, { comment: 'why' })
      .createEntity('table', posted)
    const server = { algorithm: 'made', version: '1.0', last_modified: LATER }
    expect(stored).toEqual({ ...posted, ...server, extra_input: ['b'] })
    expect(await staging.version(READER, OF).entity('table', 'new')).toEqual({
      record: stored,
      ...at,
    })
    const { record: schema } = await staging.editableVersion(EDITOR, OF).createEntity('schema', {
      ...MADE,
      id: 'second',
      involved_tables: ['no'],
    })
    expect(schema.involved_tables?.toSorted()).toEqual([
      'histology',
      'primary_site',
      'selection',
      't',
      'u',
      'year',
    ])
    expect(schema.mappings?.[0]?.tables).toEqual([
      { id: 't', inputs: ['a', 'b'], outputs: ['out'] },
    ])
    expect((await staging.version(READER, OF).describe()).last_modified).toBe(LATER)
  })

  test('is updated, and others follow', async () => {
    const { staging } = await madeStaging()
    const rows = [['1', 'VALUE:one']]
    expect(
      await staging.editableVersion(EDITOR, OF).updateEntity('table', 't', { ...T, rows }),
    ).toMatchObject({ record: { rows } })
    expect(await staging.version(READER, OF).tablesOfSchema('made')).not.toContainEqual({ id: 'u' })
    expect(await staging.version(READER, OF).tables({ unused: true })).toEqual([
      { id: 'lonely' },
      { id: 'u' },
    ])
  })

  test('is refused where it is wrong by itself, with the member named', async () => {
    const made = await madeStaging()
    const { staging } = made
    const before = await all(made)
    const create = (body: unknown) =>
      refusal(() => staging.editableVersion(EDITOR, OF).createEntity('table', body))
    const bad = (at: string) => ({ code: 'bad_input', at })
    expect(await create(T)).toEqual(bad('id'))
    expect(await create({ ...T, id: 'a b' })).toEqual(bad('id'))
    expect(await create({ ...T, id: 'n', rows: [['1', 'GO']] })).toEqual(bad('rows[0][1]'))
    expect(await create({ ...T, id: 'n', rows: [['1']] })).toEqual(bad('rows[0]'))
    expect(await create({ ...T, id: 'n', rows: 'x' })).toEqual(bad('rows'))
    expect(await create(undefined)).toMatchObject({ code: 'bad_input' })
    const update = (id: string, body: unknown) =>
      refusal(() => staging.editableVersion(EDITOR, OF).updateEntity('table', id, body))
    expect(await update('u', T)).toEqual(bad('id'))
    expect(await update('gone', { ...T, id: 'gone' })).toMatchObject({ code: 'not_found' })
    expect(await update('t', { ...T, definition: [] })).toEqual(bad('definition'))
    const schema = (body: unknown) =>
      refusal(() => staging.editableVersion(EDITOR, OF).createEntity('schema', body))
    expect(await schema(MADE)).toEqual(bad('id'))
    expect(await schema({ ...MADE, id: 'n', inputs: [] })).toEqual(bad('inputs'))
    expect(await schema({ ...MADE, id: 'n', schema_discriminators: ['zz'] })).toEqual(
      bad('schema_discriminators[0]'),
    )
    const comment = 'x'.repeat(10_001)
    expect(
      await refusal(() =>
        staging.editableVersion(EDITOR, OF, { comment }).updateEntity('table', 't', T),
      ),
    ).toEqual(bad('comment'))
    expect(await all(made)).toEqual(before)
  })

  test('is refused where it is too large for one edit, alone and in a batch', async () => {
    const { staging } = await madeStaging()
    const version = staging.editableVersion(EDITOR, OF)
    const rows = Array.from({ length: 20_000 }, () => ['1', 'VALUE:x'])
    for (const part of [{ rows }, { notes: 'x'.repeat((1 << 20) + 1) }]) {
      const table = { ...T, ...part, id: 'n' }
      const tooLarge = { code: 'too_large' }
      expect(await refusal(() => version.createEntity('table', table))).toMatchObject(tooLarge)
      expect(await refusal(() => version.updateEntity('table', 'n', table))).toMatchObject(tooLarge)
      expect(await refusal(() => version.batch({ tables: [table] }))).toMatchObject(tooLarge)
    }
    const most = { ...T, id: 'n', rows: rows.slice(0, 19_000), notes: 'x'.repeat(800_000) }
    expect((await version.createEntity('table', most)).record.rows).toHaveLength(19_000)
  })

  test('is refused where its mappings reach more than can be derived, and can be mended', async () => {
    const { staging } = await madeStaging()
    const version = staging.editableVersion(EDITOR, OF)
    const mappings = Array.from({ length: 300 }, (_, i) => ({
      id: `m${i}`,
      tables: [{ id: 't' }],
    }))
    const schema = { ...MADE, id: 'wide', mappings }
    await version.createEntity('schema', schema)
    const column = (i: number) => ({ key: `a column with a long name ${i}`, type: 'INPUT' })
    const wide = { ...T, definition: Array.from({ length: 50 }, (_, i) => column(i)), rows: [] }
    await version.updateEntity('table', 't', wide)
    // The keys that the paths read would have half a million characters.
    const tooMany = { code: 'too_many', at: 'mappings' }
    expect(await refusal(() => version.createEntity('schema', { ...schema, id: 'x' }))).toEqual(
      tooMany,
    )
    expect(await refusal(() => staging.version(READER, OF).entity('schema', 'wide'))).toEqual(
      tooMany,
    )
    const mended = { ...schema, mappings: mappings.slice(0, 2) }
    expect((await version.updateEntity('schema', 'wide', mended)).record.mappings).toHaveLength(2)
  })

  test('is refused in a batch of more than a thousand', async () => {
    const { staging } = await madeStaging()
    const delete_tables = Array.from({ length: 1001 }, (_, i) => `t${i}`)
    const refused = refusal(() => staging.editableVersion(EDITOR, OF).batch({ delete_tables }))
    expect(await refused).toMatchObject({ code: 'too_many' })
  })

  test('is refused in a batch whose schemas reach more together than one edit may derive', async () => {
    const { staging } = await madeStaging()
    const version = staging.editableVersion(EDITOR, OF)
    const mappings = Array.from({ length: 400 }, (_, i) => ({
      id: `m${i}`,
      tables: [{ id: 't' }],
    }))
    const schemas = Array.from({ length: 5 }, (_, i) => ({ ...MADE, id: `wide${i}`, mappings }))
    const tooMany = { code: 'too_many', at: 'schemas' }
    expect(await refusal(() => version.batch({ schemas }))).toEqual(tooMany)
    for (const schema of schemas) await version.createEntity('schema', schema)
    const ids = schemas.map(({ id }) => id)
    expect(await refusal(() => version.batch({ delete_schemas: ids }))).toEqual(tooMany)
    const { deleted } = await version.batch({ delete_schemas: ids.slice(1) })
    expect(deleted.schemas).toEqual(ids.slice(1))
  })

  test('may refer to tables that come later, which is reported', async () => {
    const { staging } = await madeStaging()
    const mappings = [{ id: 'm', tables: [{ id: 'later' }] }]
    await staging.editableVersion(EDITOR, OF).updateEntity('schema', 'made', { ...MADE, mappings })
    expect(await staging.version(READER, OF).findings()).toEqual([
      {
        kind: 'schema',
        id: 'made',
        at: 'mappings[0].tables[0].id',
        message: 'table "later" is not there',
      },
    ])
    await staging.editableVersion(EDITOR, OF).createEntity('table', { ...T, id: 'later', rows: [] })
    expect(await staging.version(READER, OF).findings()).toEqual([])
  })

  test('is not written to latest', async () => {
    const { staging } = await madeStaging()
    expect(
      await refusal(() =>
        staging.editableVersion(EDITOR, named('latest')).updateEntity('table', 't', T),
      ),
    ).toMatchObject({ code: 'bad_input' })
  })
})

describe('the right to edit', () => {
  const GONE = named('gone')
  const attempt = (caller: Caller, name: VersionName, comment?: string) =>
    madeStaging().then(({ staging }) =>
      refusal(() => staging.editableVersion(caller, name, { comment }).createEntity('table', {})),
    )

  test('is decided before the version, and both before the body', async () => {
    expect(await attempt(READER, GONE)).toMatchObject({ code: 'forbidden' })
    expect(await attempt(READER, named('latest'))).toMatchObject({ code: 'forbidden' })
    expect(await attempt(EDITOR, { algorithm: 'gone', version: 'latest' })).toEqual({
      code: 'bad_input',
      at: 'version',
    })
    expect(await attempt(EDITOR, GONE)).toMatchObject({ code: 'not_found' })
    expect(await attempt(EDITOR, OF)).toMatchObject({ code: 'bad_input' })
    expect(await attempt(READER, GONE, 'x'.repeat(10_001))).toEqual({
      code: 'bad_input',
      at: 'comment',
    })
  })

  test('is asked for again where the edit lands', async () => {
    const made = await madeStaging()
    const { staging } = made
    const begun = staging.editableVersion(EDITOR, OF)
    const edit = begun.deleteEntity('table', 'lonely')
    await staging.catalogue.updateVersion(ADMIN, OF, { edit_roles: ['RX_EDITOR'] })
    await expect(edit).rejects.toMatchObject({ code: 'forbidden' })
    expect((await staging.version(READER, OF).entity('table', 'lonely')).record).toMatchObject({
      id: 'lonely',
    })
  })

  test('ends with the version', async () => {
    const { staging } = await madeStaging()
    const [reading, editing] = [staging.version(READER, OF), staging.editableVersion(EDITOR, OF)]
    await staging.catalogue.deleteVersion(ADMIN, OF)
    expect(await refusal(() => reading.stage({}))).toMatchObject({ code: 'not_found' })
    expect(await refusal(() => editing.batch({}))).toMatchObject({ code: 'not_found' })
  })
})

describe('deleting', () => {
  test('takes schemas away, and tables that no schema uses', async () => {
    const { staging } = await madeStaging()
    await staging.editableVersion(EDITOR, OF).deleteEntity('table', 'lonely')
    expect(
      await refusal(() => staging.version(READER, OF).entity('table', 'lonely')),
    ).toMatchObject({
      code: 'not_found',
    })
    for (const used of ['t', 'u', 'selection', 'year']) {
      expect(
        await refusal(() => staging.editableVersion(EDITOR, OF).deleteEntity('table', used)),
      ).toMatchObject({
        code: 'bad_input',
      })
    }
    await staging.editableVersion(EDITOR, OF).deleteEntity('schema', 'made')
    await staging.editableVersion(EDITOR, OF).deleteEntity('table', 'u')
    expect(await staging.version(READER, OF).schemas()).toEqual([])
    for (const kind of ['table', 'schema'] as const) {
      expect(
        await refusal(() => staging.editableVersion(EDITOR, OF).deleteEntity(kind, 'u')),
      ).toMatchObject({
        code: 'not_found',
      })
    }
  })
})

describe('a history', () => {
  test('has who did what when and why, newest first', async () => {
    const { staging, clock } = await madeStaging()
    const { record: first } = await staging.version(READER, OF).entity('table', 'lonely')
    clock.to(LATER)
    const { rows } = T
    const { record: second } = await staging
      .editableVersion(EDITOR, OF, { comment: 'more' })
      .updateEntity('table', 'lonely', {
        ...T,
        id: 'lonely',
        rows,
      })
    await staging.editableVersion(ADMIN, OF).deleteEntity('table', 'lonely')
    const of = { ...OF, id: 'lonely' }
    const history = await staging.version(READER, OF).entityHistory('table', { id: 'lonely' })
    expect(history).toEqual([
      { ...of, number: 10, type: 'DEL', date: LATER, user: 'STAGING_ADMIN', old: second },
      {
        ...of,
        number: 9,
        type: 'MOD',
        date: LATER,
        user: 'STAGING_EDITOR',
        comment: 'more',
        old: first,
        new: second,
      },
      {
        ...of,
        number: 8,
        type: 'ADD',
        date: '2026-03-01T12:00:00.000Z',
        user: 'STAGING_EDITOR',
        new: first,
      },
    ])
  })

  test('is read in pages, in both orders', async () => {
    const { staging } = await madeStaging()
    const ids = async (request: Parameters<StagingVersion['entityHistory']>[1]) =>
      (await staging.version(READER, OF).entityHistory('table', request)).map(({ id }) => id)
    const ascending = ['primary_site', 'histology', 'year', 'selection', 't', 'u', 'lonely']
    expect(await ids({ order: 'ASC' })).toEqual(ascending)
    expect(await ids({})).toEqual(ascending.toReversed())
    expect(await ids({ order: 'ASC', perPage: '3', page: '2' })).toEqual(['selection', 't', 'u'])
    expect(await ids({ order: 'ASC', perPage: 3, page: 4 })).toEqual([])
    const refused = (request: Parameters<StagingVersion['entityHistory']>[1]) =>
      refusal(() => staging.version(READER, OF).entityHistory('table', request))
    for (const page of ['0', '-1', 'x', '1.5', '', '1000000001']) {
      expect(await refused({ page })).toEqual({ code: 'bad_input', at: 'page' })
    }
    for (const perPage of [0, 1001]) {
      expect(await refused({ perPage })).toEqual({ code: 'bad_input', at: 'per_page' })
    }
    expect(await refused({ order: 'asc' })).toEqual({ code: 'bad_input', at: 'order' })
    expect(await refused({ id: 'gone' })).toMatchObject({ code: 'not_found' })
    expect(
      await refusal(() => staging.version(READER, OF).entityHistory('schema', { id: 't' })),
    ).toMatchObject({
      code: 'not_found',
    })
  })

  test('holds no more in a page than fits into memory easily', async () => {
    const { staging } = await madeStaging()
    // Each entry except the first has twice as many.
    const notes = 'x'.repeat(5e5)
    for (let i = 0; i < 10; i++) {
      await staging.editableVersion(EDITOR, OF).updateEntity('table', 'lonely', {
        ...T,
        id: 'lonely',
        notes,
        title: `${i}`,
      })
    }
    const read = (perPage: number) =>
      staging.version(READER, OF).entityHistory('table', { id: 'lonely', perPage })
    expect(await refusal(() => read(10))).toEqual({ code: 'too_many', at: 'per_page' })
    expect((await read(3)).map((entry) => entry.new?.title)).toEqual(['9', '8', '7'])
    await staging.editableVersion(EDITOR, OF).deleteEntity('table', 'lonely')
  })

  test('gives earlier states back, also of what was deleted', async () => {
    const { staging, clock } = await madeStaging()
    const { record: first } = await staging.version(READER, OF).entity('table', 'lonely')
    await staging.editableVersion(EDITOR, OF).deleteEntity('table', 'lonely')
    clock.to(LATER)
    const number = 8
    const { record: back } = await staging
      .editableVersion(EDITOR, OF)
      .restoreEntity('table', 'lonely', { history: number })
    expect(back).toEqual({ ...first, last_modified: LATER })
    const [entry] = await staging.version(READER, OF).entityHistory('table', { id: 'lonely' })
    expect(entry).toMatchObject({ type: 'ADD', comment: 'restored from entry 8', new: back })
    const { record: before } = await staging.version(READER, OF).entity('schema', 'made')
    await staging
      .editableVersion(EDITOR, OF)
      .updateEntity('schema', 'made', { ...MADE, title: 'Other' })
    const { record: restored } = await staging
      .editableVersion(EDITOR, OF, { comment: 'oops' })
      .restoreEntity('schema', 'made', { history: 1 })
    expect(restored).toEqual({ ...before, last_modified: LATER })
    expect(await staging.version(READER, OF).entityHistory('schema')).toMatchObject([
      { type: 'MOD', comment: 'oops' },
      { type: 'MOD' },
      { type: 'ADD' },
    ])
  })

  test('gives nothing back that it does not have', async () => {
    const { staging } = await madeStaging()
    await staging.editableVersion(EDITOR, OF).deleteEntity('table', 'lonely')
    const restore = (id: string, body: unknown) =>
      refusal(() => staging.editableVersion(EDITOR, OF).restoreEntity('table', id, body))
    const bad = { code: 'bad_input', at: 'history' }
    expect(await restore('lonely', { history: 9 })).toEqual(bad)
    expect(await restore('lonely', { history: 99 })).toEqual(bad)
    expect(await restore('t', { history: 8 })).toEqual(bad)
    expect(await restore('t', {})).toEqual(bad)
    expect(await restore('gone', { history: 8 })).toMatchObject({ code: 'not_found' })
  })
})

describe('a batch', () => {
  test('lands together and says what it did', async () => {
    const made = await madeStaging()
    const { staging } = made
    const rows = [['*', 'JUMP:fresh']]
    const result = await staging.editableVersion(EDITOR, OF, { comment: 'together' }).batch({
      schemas: [MADE, { ...MADE, id: 'second' }],
      tables: [
        { ...T, rows },
        { ...T, id: 'fresh' },
      ],
      delete_tables: ['lonely'],
    })
    expect(result).toEqual({
      added: { schemas: ['second'], tables: ['fresh'] },
      changed: { schemas: [], tables: ['t'] },
      deleted: { schemas: [], tables: ['lonely'] },
    })
    const history = await staging.version(READER, OF).entityHistory('table', { perPage: 3 })
    expect(history.map(({ type, id, comment }) => [type, id, comment])).toEqual([
      ['DEL', 'lonely', 'together'],
      ['ADD', 'fresh', 'together'],
      ['MOD', 't', 'together'],
    ])
    const before = await all(made)
    const schemas = before.schemas.map(({ record }) => record)
    expect(await staging.editableVersion(EDITOR, OF).batch({ schemas })).toEqual({
      added: { schemas: [], tables: [] },
      changed: { schemas: [], tables: [] },
      deleted: { schemas: [], tables: [] },
    })
    expect(await all(made)).toEqual(before)
  })

  test('may delete a table together with its last user', async () => {
    const { staging } = await madeStaging()
    const mappings = [{ id: 'm', tables: [{ id: 'u' }] }]
    await staging.editableVersion(EDITOR, OF).batch({
      schemas: [{ ...MADE, mappings }],
      delete_tables: ['t'],
    })
    expect(await staging.version(READER, OF).tablesOfSchema('made')).toContainEqual({ id: 'u' })
  })

  const FINE = { ...T, id: 'fine' }
  test.each([
    [
      'an entity that is wrong by itself',
      { tables: [FINE, { ...T, rows: [[]] }] },
      'tables[1].rows[0]',
    ],
    ['something that is no entity', { tables: [FINE], schemas: [1] }, 'schemas[0]'],
    ['a table that is still used', { tables: [FINE], delete_tables: ['u'] }, undefined],
    [
      'a table that is used by a jump of the batch',
      { tables: [FINE, { ...T, rows: [['1', 'JUMP:lonely']] }], delete_tables: ['lonely'] },
      undefined,
    ],
    ['a deletion of nothing', { tables: [FINE], delete_schemas: ['gone'] }, 'delete_schemas[0]'],
    ['an entity that comes twice', { tables: [FINE, FINE] }, 'tables[1]'],
    ['a table put and deleted', { tables: [FINE], delete_tables: ['fine'] }, 'delete_tables[0]'],
    ['a member of another type', { tables: FINE }, 'tables'],
  ])('changes nothing for %s', async (_what, body, at) => {
    const made = await madeStaging()
    const before = await all(made)
    const error = await made.staging
      .editableVersion(EDITOR, OF)
      .batch(body)
      .catch((error) => error)
    expect(error).toBeInstanceOf(EngineError)
    expect(error).toMatchObject({ code: 'bad_input', at })
    expect(await all(made)).toEqual(before)
  })
})
