import { expect, test } from 'vitest'
import { ADMIN, callerOf, EDITOR, madeStaging, named, refusal } from './support/made-staging.ts'

const HIDDEN =
  '"view_roles" has none of your roles: you see the version because you decide on them; other editors do not'
const UNEDITABLE =
  '"edit_roles" has none of your roles: you may change this list, but no schema or table of the version'
const ALONE =
  '"edit_roles" are asked for besides STAGING_EDITOR: a key that has only DISEASE_EDITOR may edit nothing'

test('roles that lack those of their writer are reported, and lock nobody out of the version', async () => {
  const { catalogue } = (await madeStaging()).staging
  const told: string[] = []
  const warn = (sentence: string) => void told.push(sentence)
  const roles = { view_roles: ['STAGING_BETA_VIEW'], edit_roles: ['DISEASE_EDITOR'] }
  await catalogue.createVersion(ADMIN, named('2.0'), roles, warn)
  expect(told.splice(0)).toEqual([HIDDEN, UNEDITABLE, ALONE])
  // A caller who assigns the roles of versions sees all versions, and can undo every change.
  const seen = await catalogue.versions(ADMIN, 'made')
  expect(seen.map(({ version }) => version)).toContain('2.0')
  expect((await catalogue.versions(EDITOR, 'made')).map(({ version }) => version)).toEqual(['1.0'])
  await catalogue.copyVersion(ADMIN, named('1.0'), { ...named('3.0'), ...roles }, warn)
  expect(told.splice(0)).toEqual([HIDDEN, UNEDITABLE, ALONE])
  await catalogue.updateVersion(ADMIN, named('2.0'), { view_roles: [], edit_roles: [] }, warn)
  expect(told).toEqual([])
  expect((await catalogue.versions(EDITOR, 'made')).map(({ version }) => version)).toContain('2.0')
  await catalogue.deleteVersion(ADMIN, named('3.0'))
  await catalogue.deleteVersion(ADMIN, named('2.0'))
})

test('what edit_roles keep their writer from is what was reported', async () => {
  const { staging } = await madeStaging()
  const table = { id: 'new', definition: [{ key: 'a', type: 'INPUT' }], rows: [['1']] }
  const make = () => staging.editableVersion(ADMIN, named('1.0')).createEntity('table', table)
  await staging.catalogue.updateVersion(ADMIN, named('1.0'), { edit_roles: ['RX_EDITOR'] })
  expect(await refusal(make)).toMatchObject({ code: 'forbidden' })
  await staging.catalogue.updateVersion(ADMIN, named('1.0'), { edit_roles: ['STAGING_EDITOR'] })
  await make()
})

test('roles that their writer has are not told', async () => {
  const { catalogue } = (await madeStaging()).staging
  const told: string[] = []
  const warn = (sentence: string) => void told.push(sentence)
  const roles = { view_roles: ['STAGING_EDITOR'], edit_roles: ['STAGING_ADMIN'] }
  await catalogue.updateVersion(ADMIN, named('1.0'), roles, warn)
  await catalogue.updateVersion(
    callerOf('ADMIN'),
    named('1.0'),
    { view_roles: ['STAGING_BETA_VIEW'], edit_roles: ['STAGING_EDITOR'] },
    warn,
  )
  expect(told).toEqual([])
})
