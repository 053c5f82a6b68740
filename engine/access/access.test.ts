import { expect, test } from 'vitest'
import { authorise } from './access.ts'
import type { Principal } from './tokens.ts'

const OPEN = { id: 'f-1', access: 'open', project: 'P-1' } as const
const CONTROLLED = { id: 'f-2', access: 'controlled', project: 'P-1' } as const
const UNOWNED = { id: 'f-3', access: 'controlled', project: null } as const

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
