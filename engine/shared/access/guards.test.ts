import { expect, test } from 'vitest'
import { guardOf, OPEN } from './guards.ts'

const ALPHA = { id: 'ALPHA-1', accessions: ['phs000001', 'phs000100'] }
const BETA = { id: 'BETA-2', accessions: ['phs000100'] }
const closed = (anyOf: string[], allOf: string[] = []) => ({ isOpen: false, anyOf, allOf })

test.each(['open', 'Open', ' OPEN '])('a record that says %j is open', (access) => {
  expect(guardOf({ access, acl: ['phs000001'], projects: [] })).toEqual(OPEN)
})

test.each([undefined, null, '', 'controlled', 'opened', 'open,controlled', true, ['open'], {}])(
  'a record that says %j is closed',
  (access) => {
    expect(guardOf({ access, acl: undefined, projects: [] })).toEqual(closed([]))
  },
)

test('an access list names projects', () => {
  const guarded = { access: 'controlled', acl: ['GAMMA-3', 'ALPHA-1'], projects: [BETA] }
  expect(guardOf(guarded)).toEqual(closed(['GAMMA-3', 'ALPHA-1']))
  expect(guardOf({ ...guarded, acl: 'GAMMA-3' })).toEqual(closed(['GAMMA-3']))
})

test("a registry accession stands for the file's projects that have it", () => {
  const of = (acl: unknown) => guardOf({ access: 'controlled', acl, projects: [ALPHA, BETA] })
  expect(of(['phs000001'])).toEqual(closed(['phs000001', 'ALPHA-1']))
  expect(of(['PHS000100'])).toEqual(closed(['PHS000100', 'ALPHA-1', 'BETA-2']))
  expect(of(['phs000002'])).toEqual(closed(['phs000002']))
})

test.each([undefined, null, [], ['open'], '', [''], [7, null]])(
  'without a name on the list (%j) all projects of the cases are needed',
  (acl) => {
    const projects = [ALPHA, BETA, ALPHA]
    expect(guardOf({ access: 'controlled', acl, projects })).toEqual(
      closed([], ['ALPHA-1', 'BETA-2']),
    )
  },
)

test('projects that cannot all be reported let nobody in', () => {
  expect(guardOf({ access: 'controlled', acl: [], projects: undefined })).toEqual(closed([]))
})
