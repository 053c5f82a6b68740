import { expect, test } from 'vitest'
import { type Guarded, guardOf, OPEN } from './guards.ts'

const ALPHA = { id: 'ALPHA-1', accessions: ['phs000001', 'phs000100'], consent: [] }
const BETA = { id: 'BETA-2', accessions: ['phs000100'], consent: [] }
const closed = (anyOf: string[], allOf: string[] = [], consent: string[][] = []) => ({
  isOpen: false,
  anyOf,
  allOf,
  consent,
})
const guarded = (given: Partial<Guarded>) =>
  guardOf({ access: 'controlled', acl: undefined, consent: undefined, projects: [], ...given })

test.each(['open', 'Open', ' OPEN '])('a record that says %j is open', (access) => {
  expect(guarded({ access, acl: ['phs000001'] })).toEqual(OPEN)
})

test.each([undefined, null, '', 'controlled', 'opened', 'open,controlled', true, ['open'], {}])(
  'a record that says %j is closed',
  (access) => {
    expect(guarded({ access })).toEqual(closed([]))
  },
)

test('an access list names projects', () => {
  expect(guarded({ acl: ['GAMMA-3', 'ALPHA-1'], projects: [BETA] })).toEqual(
    closed(['GAMMA-3', 'ALPHA-1']),
  )
  expect(guarded({ acl: 'GAMMA-3', projects: [BETA] })).toEqual(closed(['GAMMA-3']))
})

test("a registry accession stands for the file's projects that have it", () => {
  const of = (acl: unknown) => guarded({ acl, projects: [ALPHA, BETA] })
  expect(of(['phs000001'])).toEqual(closed(['phs000001', 'ALPHA-1']))
  expect(of(['PHS000100'])).toEqual(closed(['PHS000100', 'ALPHA-1', 'BETA-2']))
  expect(of(['phs000002'])).toEqual(closed(['phs000002']))
})

test.each([undefined, null, [], ['open'], '', [''], [7, null]])(
  'without a name on the list (%j) all projects of the cases are needed',
  (acl) => {
    const projects = [ALPHA, BETA, ALPHA]
    expect(guarded({ acl, projects })).toEqual(closed([], ['ALPHA-1', 'BETA-2']))
  },
)

test('projects that cannot all be reported let nobody in', () => {
  expect(guarded({ acl: [], projects: undefined })).toEqual(closed([]))
})

test('the consent codes of a file replace those of its projects', () => {
  const projects = [
    { ...ALPHA, consent: ['DUO:0000006', 'DUO:0000021'] },
    { ...BETA, consent: ['DUO:0000006'] },
  ]
  expect(guarded({ projects })).toEqual(
    closed([], ['ALPHA-1', 'BETA-2'], [['DUO:0000006', 'DUO:0000021'], ['DUO:0000006']]),
  )
  expect(guarded({ consent: 'DUO:0000042', projects }).consent).toEqual([['DUO:0000042']])
  const alike = [{ ...ALPHA, consent: ['DUO:0000006'] }, projects[1] ?? BETA, ALPHA]
  expect(guarded({ projects: alike }).consent).toEqual([['DUO:0000006']])
  expect(guarded({ access: 'open', projects })).toEqual(OPEN)
})
