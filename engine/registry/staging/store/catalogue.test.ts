import { describe, expect, test } from 'vitest'
import type { Role } from './roles.ts'
import { ROLES } from './roles.ts'
import { ADMIN, callerOf, EDITOR, madeStaging, READER, refusal } from './support/made-staging.ts'

const TIME = '2026-03-01T12:00:00.000Z'

describe('algorithms', () => {
  test('are created, listed, updated and deleted', async () => {
    const { staging } = await madeStaging()
    const body = { algorithm: 'own', name: 'Own', description: 'ours', unheard: 1 }
    const own = { algorithm: 'own', name: 'Own', description: 'ours' }
    expect(staging.createAlgorithm(ADMIN, 'own', body)).toEqual(own)
    expect(staging.algorithms(READER)).toEqual([{ algorithm: 'made', name: 'Made' }, own])
    expect(staging.updateAlgorithm(ADMIN, 'own', { name: 'New' })).toEqual({
      algorithm: 'own',
      name: 'New',
    })
    expect(staging.algorithm(READER, 'own')).toEqual({ algorithm: 'own', name: 'New' })
    staging.deleteAlgorithm(ADMIN, 'own')
    expect(await refusal(() => staging.algorithm(READER, 'own'))).toMatchObject({
      code: 'not_found',
    })
  })

  test('are refused by name, by body and by what is there', async () => {
    const { staging } = await madeStaging()
    const create = (name: string, body: unknown = {}) =>
      refusal(() => staging.createAlgorithm(ADMIN, name, body))
    expect(await create('made')).toMatchObject({ code: 'bad_input' })
    expect(await create('algorithms')).toEqual({ code: 'bad_input', at: 'algorithm' })
    expect(await create('a b')).toEqual({ code: 'bad_input', at: 'algorithm' })
    expect(await create('own', { algorithm: 'other' })).toEqual({
      ...{ code: 'bad_input', at: 'algorithm' },
    })
    expect(await create('own', { name: 1 })).toEqual({ code: 'bad_input', at: 'name' })
    expect(await create('own', [])).toMatchObject({ code: 'bad_input' })
    const update = (name: string, body: unknown) =>
      refusal(() => staging.updateAlgorithm(ADMIN, name, body))
    expect(await update('gone', {})).toMatchObject({ code: 'not_found' })
    expect(await update('made', { algorithm: 'x' })).toMatchObject({ code: 'bad_input' })
    const drop = (name: string) => refusal(() => staging.deleteAlgorithm(ADMIN, name))
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
    const created = staging.createVersion(viewer, 'made', '2.0', { ...BODY, version: '2.0' })
    expect(created).toEqual({ ...made, ...BODY })
    expect(staging.version(viewer, 'made', '2.0')).toEqual(created)
    expect(staging.versions(viewer, 'made').map(({ version }) => version)).toEqual(['1.0', '2.0'])
    expect(staging.versions(READER, 'made').map(({ version }) => version)).toEqual(['1.0'])
    // A client that knows no types does not change them.
    expect(staging.updateVersion(viewer, 'made', '2.0', {})).toEqual({ ...made, type: 'BETA' })
    staging.deleteVersion(viewer, 'made', '2.0')
    expect(await refusal(() => staging.version(viewer, 'made', '2.0'))).toMatchObject({
      code: 'not_found',
    })
  })

  test('are refused by name, by body and by what is there', async () => {
    const { staging } = await madeStaging()
    const create = (algorithm: string, version: string, body: unknown = {}) =>
      refusal(() => staging.createVersion(ADMIN, algorithm, version, body))
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
      refusal(() => staging.updateVersion(ADMIN, 'made', version, {}))
    expect(await update('2')).toMatchObject({ code: 'not_found' })
    expect(await update('latest')).toMatchObject({ code: 'bad_input' })
    expect(await refusal(() => staging.deleteVersion(ADMIN, 'made', '2'))).toMatchObject({
      code: 'not_found',
    })
    expect(await refusal(() => staging.versions(READER, 'gone'))).toMatchObject({
      code: 'not_found',
    })
  })

  test('are forgotten when they are deleted, also under the same name', async () => {
    const { staging } = await madeStaging()
    await staging.entity('schema', READER, 'made', '1.0', 'made')
    staging.deleteVersion(ADMIN, 'made', '1.0')
    staging.createVersion(ADMIN, 'made', '1.0', {})
    expect(await staging.schemas(READER, 'made', '1.0')).toEqual([])
    expect(await staging.entityHistory('schema', READER, 'made', '1.0')).toEqual([])
    expect(
      await refusal(() => staging.entity('schema', READER, 'made', '1.0', 'made')),
    ).toMatchObject({
      code: 'not_found',
    })
  })

  test('latest is the newest of production that the caller may see', async () => {
    const { staging } = await madeStaging()
    const latest = (caller = READER) => staging.version(caller, 'made', 'latest').version
    expect(latest()).toBe('1.0')
    staging.createVersion(ADMIN, 'made', '1.10', { type: 'PRODUCTION' })
    staging.createVersion(ADMIN, 'made', '1.9', { type: 'PRODUCTION' })
    staging.createVersion(ADMIN, 'made', '3.0', {})
    staging.createVersion(ADMIN, 'made', '2.0', {
      ...{ type: 'PRODUCTION', view_roles: ['STAGING_BETA_VIEW'] },
    })
    expect(latest()).toBe('1.10')
    expect(latest(callerOf('STAGING_BETA_VIEW'))).toBe('2.0')
    expect(await staging.schemas(READER, 'made', 'latest')).toEqual([])
    staging.createAlgorithm(ADMIN, 'empty', {})
    expect(await refusal(() => staging.version(READER, 'empty', 'latest'))).toMatchObject({
      code: 'not_found',
    })
  })
})

describe('a copy', () => {
  const copy = { algorithm: 'made', version: '2.0' }

  test('has all but the history, and is a version of its own', async () => {
    const { staging } = await madeStaging()
    staging.copy(ADMIN, 'made', 'latest', { ...copy, naaccr_version: '26' })
    expect(staging.version(READER, 'made', '2.0')).toEqual({
      ...{ ...copy, naaccr_version: '26', type: 'DEVELOPMENT', last_modified: TIME },
    })
    const source = await staging.entity('schema', READER, 'made', '1.0', 'made')
    expect(await staging.entity('schema', READER, 'made', '2.0', 'made')).toEqual({
      ...source,
      ...copy,
    })
    expect(await staging.entityHistory('schema', READER, 'made', '2.0')).toEqual([])
    await staging.deleteEntity('schema', EDITOR, 'made', '2.0', 'made')
    expect(await staging.entity('schema', READER, 'made', '1.0', 'made')).toEqual(source)
  })

  test('is refused by source and target', async () => {
    const { staging } = await madeStaging()
    const attempt = (version: string, body: unknown) =>
      refusal(() => staging.copy(ADMIN, 'made', version, body))
    expect(await attempt('2', copy)).toMatchObject({ code: 'not_found' })
    expect(await attempt('1.0', { algorithm: 'made' })).toEqual({
      ...{ code: 'bad_input', at: 'version' },
    })
    expect(await attempt('1.0', { ...copy, algorithm: 'gone' })).toEqual({
      ...{ code: 'bad_input', at: 'algorithm' },
    })
    expect(await attempt('1.0', { ...copy, version: '1.0' })).toMatchObject({ code: 'bad_input' })
    expect(await attempt('1.0', { ...copy, version: 'latest' })).toMatchObject({
      code: 'bad_input',
    })
  })
})

describe('roles', () => {
  /** Roles that alone let an operation through. */
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
    expect(await lets((caller) => staging.createAlgorithm(caller, fresh(caller), {}))).toEqual(
      ADMINS,
    )
    expect(
      await lets((caller) => staging.createVersion(caller, 'made', fresh(caller), {})),
    ).toEqual(ADMINS)
    expect(await lets((caller) => staging.updateVersion(caller, 'made', '1.0', {}))).toEqual(ADMINS)
    expect(await lets((caller) => staging.updateAlgorithm(caller, 'made', {}))).toEqual(ADMINS)
    expect(await lets((caller) => staging.invalidateCache(caller, 'made', '1.0'))).toEqual(ADMINS)
    expect(await lets((caller) => staging.fillCache(caller, 'made', '1.0'))).toEqual(ADMINS)
    expect(await lets((caller) => staging.batch(caller, 'made', '1.0', {}))).toEqual(EDITORS)
    const table = await staging.entity('table', READER, 'made', '1.0', 't')
    expect(
      await lets((caller) => staging.updateEntity('table', caller, 'made', '1.0', 't', table)),
    ).toEqual(EDITORS)
    expect(
      await lets((caller) =>
        staging.copy(caller, 'made', '1.0', { algorithm: 'made', version: `copy-${caller.user}` }),
      ),
    ).toEqual(ADMINS)
  })

  test('of a version narrow both seeing and editing', async () => {
    const { staging } = await madeStaging()
    const beta = callerOf('STAGING_BETA_VIEW')
    staging.updateVersion(ADMIN, 'made', '1.0', {
      ...{ view_roles: ['STAGING_BETA_VIEW'], edit_roles: ['RX_EDITOR'] },
    })
    for (const caller of [READER, EDITOR, ADMIN]) {
      expect(await refusal(() => staging.version(caller, 'made', '1.0'))).toMatchObject({
        code: 'not_found',
      })
      expect(
        await refusal(() => staging.stage(caller, 'made', '1.0', { site: 'C000' })),
      ).toMatchObject({ code: 'not_found' })
    }
    expect((await staging.schemas(beta, 'made', '1.0')).length).toBe(1)
    expect(
      await refusal(() =>
        staging.batch(callerOf('STAGING_EDITOR', 'STAGING_BETA_VIEW'), 'made', '1.0', {}),
      ),
    ).toMatchObject({ code: 'forbidden' })
    const all = callerOf('STAGING_EDITOR', 'STAGING_BETA_VIEW', 'RX_EDITOR')
    expect(await staging.batch(all, 'made', '1.0', {})).toMatchObject({ added: {} })
    expect(staging.version(callerOf('ADMIN'), 'made', '1.0')).toMatchObject({ version: '1.0' })
  })
})
