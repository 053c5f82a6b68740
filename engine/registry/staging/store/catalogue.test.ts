import { describe, expect, test } from 'vitest'
import type { Role } from './roles.ts'
import { ROLES } from './roles.ts'
import {
  ADMIN,
  callerOf,
  EDITOR,
  madeStaging,
  named,
  OF,
  READER,
  refusal,
} from './support/made-staging.ts'

const TIME = '2026-03-01T12:00:00.000Z'

describe('algorithms', () => {
  test('are created, listed, updated and deleted', async () => {
    const { staging } = await madeStaging()
    const body = { algorithm: 'own', name: 'Own', description: 'ours', unheard: 1 }
    const own = { algorithm: 'own', name: 'Own', description: 'ours' }
    expect(await staging.catalogue.createAlgorithm(ADMIN, 'own', body)).toEqual(own)
    expect(await staging.catalogue.algorithms()).toEqual([{ algorithm: 'made', name: 'Made' }, own])
    expect(await staging.catalogue.updateAlgorithm(ADMIN, 'own', { name: 'New' })).toEqual({
      algorithm: 'own',
      name: 'New',
    })
    expect(await staging.catalogue.algorithm('own')).toEqual({ algorithm: 'own', name: 'New' })
    await staging.catalogue.deleteAlgorithm(ADMIN, 'own')
    expect(await refusal(() => staging.catalogue.algorithm('own'))).toMatchObject({
      code: 'not_found',
    })
  })

  test('are refused by name, by body and by what is there', async () => {
    const { staging } = await madeStaging()
    const create = (name: string, body: unknown = {}) =>
      refusal(() => staging.catalogue.createAlgorithm(ADMIN, name, body))
    expect(await create('made')).toMatchObject({ code: 'bad_input' })
    expect(await create('algorithms')).toEqual({ code: 'bad_input', at: 'algorithm' })
    expect(await create('a b')).toEqual({ code: 'bad_input', at: 'algorithm' })
    expect(await create('own', { algorithm: 'other' })).toEqual({
      code: 'bad_input',
      at: 'algorithm',
    })
    expect(await create('own', { name: 1 })).toEqual({ code: 'bad_input', at: 'name' })
    expect(await create('own', [])).toMatchObject({ code: 'bad_input' })
    const update = (name: string, body: unknown) =>
      refusal(() => staging.catalogue.updateAlgorithm(ADMIN, name, body))
    expect(await update('gone', {})).toMatchObject({ code: 'not_found' })
    expect(await update('made', { algorithm: 'x' })).toMatchObject({ code: 'bad_input' })
    const drop = (name: string) => refusal(() => staging.catalogue.deleteAlgorithm(ADMIN, name))
    expect(await drop('gone')).toMatchObject({ code: 'not_found' })
    expect(await drop('made')).toMatchObject({ code: 'bad_input' })
  })
})

describe('versions', () => {
  const BODY = { naaccr_version: '25', view_roles: ['STAGING_BETA_VIEW'], type: 'BETA' } as const

  test('are created, listed, updated and deleted', async () => {
    const { staging } = await madeStaging()
    const viewer = callerOf('STAGING_ADMIN', 'STAGING_BETA_VIEW')
    const made = { algorithm: 'made', version: '2.0', last_modified: TIME }
    const created = await staging.catalogue.createVersion(viewer, named('2.0'), {
      ...BODY,
      version: '2.0',
    })
    expect(created).toEqual({ ...made, ...BODY })
    expect(await staging.version(viewer, named('2.0')).describe()).toEqual(created)
    expect(
      (await staging.catalogue.versions(viewer, 'made')).map(({ version }) => version),
    ).toEqual(['1.0', '2.0'])
    expect(
      (await staging.catalogue.versions(READER, 'made')).map(({ version }) => version),
    ).toEqual(['1.0'])
    // A client that does not know types does not change them.
    expect(await staging.catalogue.updateVersion(viewer, named('2.0'), {})).toEqual({
      ...made,
      type: 'BETA',
    })
    await staging.catalogue.deleteVersion(viewer, named('2.0'))
    expect(await refusal(() => staging.version(viewer, named('2.0')).describe())).toMatchObject({
      code: 'not_found',
    })
  })

  test('are refused by name, by body and by what is there', async () => {
    const { staging } = await madeStaging()
    const create = (algorithm: string, version: string, body: unknown = {}) =>
      refusal(() => staging.catalogue.createVersion(ADMIN, { algorithm, version }, body))
    expect(await create('gone', '1')).toMatchObject({ code: 'not_found' })
    expect(await create('made', '1.0')).toEqual({ code: 'bad_input', at: 'version' })
    expect(await create('made', 'versions')).toEqual({ code: 'bad_input', at: 'version' })
    expect(await create('made', 'latest')).toEqual({ code: 'bad_input', at: 'version' })
    expect(await create('made', '2', { algorithm: 'x' })).toMatchObject({ at: 'algorithm' })
    expect(await create('made', '2', { version: '3' })).toMatchObject({ at: 'version' })
    expect(await create('made', '2', { type: 'OLD' })).toMatchObject({ at: 'type' })
    expect(await create('made', '2', { view_roles: ['KING'] })).toMatchObject({
      at: 'view_roles[0]',
    })
    const update = (version: string) =>
      refusal(() => staging.catalogue.updateVersion(ADMIN, named(version), {}))
    expect(await update('2')).toMatchObject({ code: 'not_found' })
    expect(await update('latest')).toMatchObject({ code: 'bad_input' })
    expect(await refusal(() => staging.catalogue.deleteVersion(ADMIN, named('2')))).toMatchObject({
      code: 'not_found',
    })
    expect(await refusal(() => staging.catalogue.versions(READER, 'gone'))).toMatchObject({
      code: 'not_found',
    })
  })

  test('are forgotten when they are deleted, also under the same name', async () => {
    const { staging } = await madeStaging()
    await staging.version(READER, OF).entity('schema', 'made')
    await staging.catalogue.deleteVersion(ADMIN, OF)
    await staging.catalogue.createVersion(ADMIN, OF, {})
    expect(await staging.version(READER, OF).schemas()).toEqual([])
    expect(await staging.version(READER, OF).entityHistory('schema')).toEqual([])
    expect(await refusal(() => staging.version(READER, OF).entity('schema', 'made'))).toMatchObject(
      {
        code: 'not_found',
      },
    )
  })

  test('latest is the newest of production that the caller may see', async () => {
    const { staging } = await madeStaging()
    const latest = async (caller = READER) =>
      (await staging.version(caller, named('latest')).describe()).version
    expect(await latest()).toBe('1.0')
    await staging.catalogue.createVersion(ADMIN, named('1.10'), { type: 'PRODUCTION' })
    await staging.catalogue.createVersion(ADMIN, named('1.9'), { type: 'PRODUCTION' })
    await staging.catalogue.createVersion(ADMIN, named('3.0'), {})
    await staging.catalogue.createVersion(ADMIN, named('2.0'), {
      type: 'PRODUCTION',
      view_roles: ['STAGING_BETA_VIEW'],
    })
    expect(await latest()).toBe('1.10')
    expect(await latest(callerOf('STAGING_BETA_VIEW'))).toBe('2.0')
    expect(await staging.version(READER, named('latest')).schemas()).toEqual([])
    await staging.catalogue.createAlgorithm(ADMIN, 'empty', {})
    expect(
      await refusal(() =>
        staging.version(READER, { algorithm: 'empty', version: 'latest' }).describe(),
      ),
    ).toMatchObject({
      code: 'not_found',
    })
  })
})

describe('a copy', () => {
  const copy = { algorithm: 'made', version: '2.0' }

  test('has all but the history, and is a version of its own', async () => {
    const { staging } = await madeStaging()
    await staging.catalogue.copyVersion(ADMIN, named('latest'), { ...copy, naaccr_version: '26' })
    expect(await staging.version(READER, named('2.0')).describe()).toEqual({
      ...copy,
      naaccr_version: '26',
      type: 'DEVELOPMENT',
      last_modified: TIME,
    })
    const { record: source } = await staging.version(READER, OF).entity('schema', 'made')
    expect((await staging.version(READER, named('2.0')).entity('schema', 'made')).record).toEqual({
      ...source,
      ...copy,
    })
    expect(await staging.version(READER, named('2.0')).entityHistory('schema')).toEqual([])
    await staging.editableVersion(EDITOR, named('2.0')).deleteEntity('schema', 'made')
    expect((await staging.version(READER, OF).entity('schema', 'made')).record).toEqual(source)
  })

  test('is refused by source and target', async () => {
    const { staging } = await madeStaging()
    const attempt = (version: string, body: unknown) =>
      refusal(() => staging.catalogue.copyVersion(ADMIN, named(version), body))
    expect(await attempt('2', copy)).toMatchObject({ code: 'not_found' })
    expect(await attempt('1.0', { algorithm: 'made' })).toEqual({
      code: 'bad_input',
      at: 'version',
    })
    expect(await attempt('1.0', { ...copy, algorithm: 'gone' })).toEqual({
      code: 'bad_input',
      at: 'algorithm',
    })
    expect(await attempt('1.0', { ...copy, version: '1.0' })).toMatchObject({ code: 'bad_input' })
    expect(await attempt('1.0', { ...copy, version: 'latest' })).toMatchObject({
      code: 'bad_input',
    })
  })
})

describe('roles', () => {
  /** Returns the roles each of which alone permits an operation. */
  async function lets(operation: (caller: ReturnType<typeof callerOf>) => unknown) {
    const able: Role[] = []
    for (const role of ROLES) {
      try {
        await operation(callerOf(role))
        able.push(role)
      } catch (error) {
        expect(error).toMatchObject({ code: 'forbidden' })
      }
    }
    return able
  }
  const ADMINS: Role[] = ['ADMIN', 'STAGING_ADMIN']
  const EDITORS: Role[] = [...ADMINS, 'STAGING_EDITOR']

  test('decide who may write what', async () => {
    const { staging } = await madeStaging()
    const fresh = ({ user }: { readonly user: string }) => `own-${user}`
    expect(
      await lets((caller) => staging.catalogue.createAlgorithm(caller, fresh(caller), {})),
    ).toEqual(ADMINS)
    expect(
      await lets((caller) => staging.catalogue.createVersion(caller, named(fresh(caller)), {})),
    ).toEqual(ADMINS)
    expect(await lets((caller) => staging.catalogue.updateVersion(caller, OF, {}))).toEqual(ADMINS)
    expect(await lets((caller) => staging.catalogue.updateAlgorithm(caller, 'made', {}))).toEqual(
      ADMINS,
    )
    expect(await lets((caller) => staging.invalidateCache(caller, OF))).toEqual(ADMINS)
    expect(await lets((caller) => staging.fillCache(caller, OF))).toEqual(ADMINS)
    expect(await lets((caller) => staging.editableVersion(caller, OF).batch({}))).toEqual(EDITORS)
    const { record: table } = await staging.version(READER, OF).entity('table', 't')
    expect(
      await lets((caller) => staging.editableVersion(caller, OF).updateEntity('table', 't', table)),
    ).toEqual(EDITORS)
    expect(
      await lets((caller) =>
        staging.catalogue.copyVersion(caller, OF, {
          algorithm: 'made',
          version: `copy-${caller.user}`,
        }),
      ),
    ).toEqual(ADMINS)
  })

  test('of a version narrow both seeing and editing', async () => {
    const { staging } = await madeStaging()
    const beta = callerOf('STAGING_BETA_VIEW')
    await staging.catalogue.updateVersion(ADMIN, OF, {
      view_roles: ['STAGING_BETA_VIEW'],
      edit_roles: ['RX_EDITOR'],
    })
    for (const caller of [READER, EDITOR]) {
      expect(await refusal(() => staging.version(caller, OF).describe())).toMatchObject({
        code: 'not_found',
      })
      expect(
        await refusal(() => staging.version(caller, OF).stage({ site: 'C000' })),
      ).toMatchObject({ code: 'not_found' })
    }
    expect((await staging.version(beta, OF).schemas()).length).toBe(1)
    expect(
      await refusal(() =>
        staging.editableVersion(callerOf('STAGING_EDITOR', 'STAGING_BETA_VIEW'), OF).batch({}),
      ),
    ).toMatchObject({ code: 'forbidden' })
    const all = callerOf('STAGING_EDITOR', 'STAGING_BETA_VIEW', 'RX_EDITOR')
    expect(await staging.editableVersion(all, OF).batch({})).toMatchObject({ added: {} })
    expect(await staging.version(callerOf('ADMIN'), OF).describe()).toMatchObject({
      version: '1.0',
    })
  })

  test('of a version keep no admin from it, who can change or delete it, but from editing what it holds', async () => {
    const { staging } = await madeStaging()
    const roles = { view_roles: ['STAGING_BETA_VIEW'], edit_roles: ['DISEASE_EDITOR'] }
    await staging.catalogue.createVersion(ADMIN, named('2.0'), roles)
    const listed = await staging.catalogue.versions(ADMIN, 'made')
    expect(listed.map(({ version }) => version)).toEqual(['1.0', '2.0'])
    expect(await staging.version(ADMIN, named('2.0')).describe()).toMatchObject(roles)
    expect(
      await refusal(() => staging.editableVersion(ADMIN, named('2.0')).batch({})),
    ).toMatchObject({ code: 'forbidden' })
    await staging.catalogue.updateVersion(ADMIN, named('2.0'), { view_roles: ['RX_EDITOR'] })
    expect(await staging.editableVersion(ADMIN, named('2.0')).batch({})).toMatchObject({
      added: {},
    })
    await staging.catalogue.deleteVersion(ADMIN, named('2.0'))
    expect(await refusal(() => staging.version(ADMIN, named('2.0')).describe())).toMatchObject({
      code: 'not_found',
    })
  })
})
