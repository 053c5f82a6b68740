import { expect, test } from 'vitest'
import { type Guarded, guardOf } from '../../../shared/access/guards.ts'
import { rightsOf } from './rights.ts'

const guard = (given: Partial<Guarded>) =>
  guardOf({ access: 'controlled', acl: undefined, consent: undefined, projects: [], ...given })
const open = guard({ access: 'open', acl: ['open'] })
const closed = guard({ acl: ['P-1', 'phs1'] })

test.each([
  ['an open record opens', { guards: [open], owners: [] }, 'open', [], null],
  [
    'a controlled one names who may read',
    { guards: [closed], owners: [] },
    'controlled',
    ['P-1', 'phs1'],
    null,
  ],
  [
    'an index follows its file',
    { guards: [closed], owners: ['closed'] },
    'controlled',
    ['P-1', 'phs1'],
    'closed',
  ],
  ['an index of an open file is open', { guards: [open], owners: ['open'] }, 'open', [], 'open'],
  [
    'its own record does not open what its file closes',
    { guards: [open, closed], owners: ['closed'] },
    'controlled',
    ['P-1', 'phs1'],
    'closed',
  ],
  [
    'nor does an open file what its own record closes',
    { guards: [closed, open], owners: ['open'] },
    'controlled',
    ['P-1', 'phs1'],
    'open',
  ],
  [
    'of several files the controlled one counts',
    { guards: [open, closed], owners: ['closed', 'open'] },
    'controlled',
    ['P-1', 'phs1'],
    'closed',
  ],
] as const)('%s', (_, spoken, access, acl, partOf) => {
  expect(rightsOf(spoken)).toEqual({ access, acl, partOf })
})

test('without a list the one project of the cases is named, of several none', () => {
  const named = (given: Partial<Guarded>) => rightsOf({ guards: [guard(given)], owners: [] }).acl
  const [one, other] = ['P-1', 'P-2'].map((id) => ({ id, accessions: [], consent: [] }))
  expect(named({ projects: one && [one] })).toEqual(['P-1'])
  expect(named({ acl: ['open'], projects: one && [one] })).toEqual(['P-1'])
  expect(named({ projects: one && other && [one, other] })).toEqual([])
  expect(named({ acl: ['phs1'], projects: one && other && [one, other] })).toEqual(['phs1'])
})

test('without any record what was given counts, and else nobody but administrators', () => {
  const closedToAll = { access: 'controlled', acl: [], partOf: null }
  expect(rightsOf(undefined)).toEqual(closedToAll)
  expect(rightsOf(undefined, { access: 'controlled' })).toEqual(closedToAll)
  expect(rightsOf(undefined, { access: 'open', projects: ['P'] })).toEqual({
    ...closedToAll,
    access: 'open',
  })
  expect(rightsOf(undefined, { projects: ['P'] })).toEqual({ ...closedToAll, acl: ['P'] })
})
