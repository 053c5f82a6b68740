import { expect, test } from 'vitest'
import { authorise, isOpenFile, mayRead, notStored } from './access.ts'
import { type Guard, guardOf, OPEN as OPEN_GUARD } from './guards.ts'
import type { Principal } from './principal.ts'

const closed = (anyOf: string[], allOf: string[] = []): Guard => ({
  isOpen: false,
  anyOf,
  allOf,
  consent: [],
})
const OPEN = { id: 'f-1', guards: [OPEN_GUARD] }
const CONTROLLED = { id: 'f-2', guards: [closed(['P-1'])] }
const UNOWNED = { id: 'f-3', guards: [closed([])] }

const principal = (projects: Record<string, string[]>, admin = false): Principal => ({
  user: 'ada',
  admin,
  projects: new Map(Object.entries(projects)),
})

test('an open file needs nothing, and a bad token on it is ignored', () => {
  authorise(OPEN, undefined, false)
  authorise(OPEN, undefined, true)
  authorise(OPEN, principal({}), true)
})

test('a controlled file without a token says how to send one', () => {
  expect(() => authorise(CONTROLLED, undefined, false)).toThrow(
    expect.objectContaining({
      code: 'unauthenticated',
      message: "You don't have access to the data: Please specify a X-Auth-Token",
    }),
  )
})

test('a controlled file with a bad token says so', () => {
  expect(() => authorise(CONTROLLED, undefined, true)).toThrow(
    expect.objectContaining({
      code: 'unauthenticated',
      message: 'Your token is invalid or expired. Please get a new token.',
    }),
  )
})

test.each([
  {},
  { 'P-2': ['read', 'download', 'admin'] },
  { 'P-1': [] },
  { 'P-1': ['create', 'update', 'delete', 'release', '_member_'] },
  { 'p-1': ['read'] },
])('no reading role on the project of the file is no access (%j)', (projects) => {
  expect(() => authorise(CONTROLLED, principal(projects), true)).toThrow(
    expect.objectContaining({
      code: 'forbidden',
      message: "You don't have access to the data: Requested file f-2 does not allow read access",
    }),
  )
})

test.each(['read', 'download', 'admin'])('the role %s on the project is access', (role) => {
  authorise(CONTROLLED, principal({ 'P-1': ['create', role] }), true)
})

test('an administrator may read everything, others nothing that has no project', () => {
  authorise(CONTROLLED, principal({}, true), true)
  authorise(UNOWNED, principal({}, true), true)
  expect(() => authorise(UNOWNED, principal({ null: ['read'] }), true)).toThrow(
    expect.objectContaining({ code: 'forbidden' }),
  )
})

test('every guard must let pass', () => {
  const both = { id: 'f-4', guards: [closed(['P-1']), closed(['P-2'])] }
  expect(() => authorise(both, principal({ 'P-1': ['read'] }), true)).toThrow('f-4')
  authorise(both, principal({ 'P-1': ['read'], 'P-2': ['download'] }), true)
  const half = { id: 'f-5', guards: [OPEN_GUARD, closed(['P-1'])] }
  expect(isOpenFile(half)).toBe(false)
  expect(() => authorise(half, undefined, false)).toThrow('X-Auth-Token')
})

test('projects that are all needed are all needed', () => {
  const shared = { id: 'f-6', guards: [closed([], ['P-1', 'P-2'])] }
  expect(() => authorise(shared, principal({ 'P-1': ['read'] }), true)).toThrow('f-6')
  expect(() => authorise(shared, principal({ 'P-1': ['read'], 'P-2': ['create'] }), true)).toThrow(
    'f-6',
  )
  authorise(shared, principal({ 'P-1': ['read'], 'P-2': ['read'] }), true)
})

test('what nothing speaks for is closed', () => {
  const nothing = { id: 'f-7', guards: [] }
  expect(isOpenFile(nothing)).toBe(false)
  expect(() => authorise(nothing, principal({ 'P-1': ['read'] }), true)).toThrow('f-7')
  authorise(nothing, principal({}, true), true)
})

test('bytes that are not here are not found, and the file is said to be known', () => {
  expect(notStored('f-8')).toMatchObject({
    code: 'not_found',
    message: 'file f-8 is known, but its bytes are not stored here',
  })
})

test('a controlled file with consent codes needs purposes that meet them', () => {
  const file = {
    id: 'f-4',
    guards: [{ ...closed(['P-1']), consent: [['DUO:0000006', 'DUO:0000021']] }],
  }
  const reader = principal({ 'P-1': ['read'] })
  const purposes = ['DUO:0000007 MONDO:0004992', 'DUO:0000021']
  expect(() => authorise(file, reader, true)).toThrow(
    expect.objectContaining({
      code: 'forbidden',
      message:
        "You don't have access to the data: Requested file f-4 does not allow read access: your token " +
        'states no purpose or condition that meets the consent codes HMB: health or medical or biomedical ' +
        'research, IRB: ethics approval required',
    }),
  )
  expect(mayRead(file, reader)).toBe(false)
  expect(mayRead(file, { ...reader, purposes })).toBe(true)
  expect(mayRead(file, { ...reader, purposes: purposes.slice(1) })).toBe(false)
  expect(mayRead(file, { ...principal({}), purposes })).toBe(false)
  expect(mayRead(file, { ...reader, ignoresConsent: true })).toBe(true)
  expect(mayRead(file, principal({}, true))).toBe(true)
})

test('what the donors of one project permit does not open the data of those of another', () => {
  const [general, oneDisease] = [['DUO:0000042'], ['DUO:0000007 MONDO:0004992']]
  const projects = [
    { id: 'P-1', accessions: [], consent: general },
    { id: 'P-2', accessions: [], consent: oneDisease },
  ]
  const given = { access: 'controlled', acl: undefined, consent: undefined, projects }
  const file = { guards: [guardOf(given)] }
  const reader = principal({ 'P-1': ['read'], 'P-2': ['read'] })
  expect(mayRead(file, { ...reader, purposes: ['DUO:0000006'] })).toBe(false)
  expect(mayRead(file, { ...reader, purposes: ['DUO:0000007 MONDO:0005070'] })).toBe(false)
  expect(mayRead(file, { ...reader, purposes: oneDisease })).toBe(true)
})
