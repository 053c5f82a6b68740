import { expect, test } from 'vitest'
import { chainFrom, versionsOn } from './chain.ts'
import type { VersionStep } from './step.ts'
import { historyOf, latestOn, type Telling, versionOf } from './version-records.ts'

/** Parses replacements of files: `a>b` means that b replaced a, `a>` that a was withdrawn. */
function telling(arrows: string, records = ''): Telling {
  const steps: VersionStep[] = arrows.split(' ').flatMap((arrow) => {
    const [id = '', next = ''] = arrow.split('>')
    return id === '' ? [] : [{ id, ...(next === '' ? {} : { next: { id: next } }) }]
  })
  const known = {
    isRecord: (id: string) => records.includes(id),
    step: (id: string) => steps.find((step) => step.id === id),
    before: (id: string) => steps.filter(({ next }) => next?.id === id),
  }
  const blank = { filename: null, md5: null, size: null, state: null, dataRelease: undefined }
  return { known, releases: [], facts: (id) => ({ id, version: null, ...blank }) }
}

/** Returns all versions of a file as text, the latest one in capitals. */
function told(id: string, given: Telling): string {
  const way = chainFrom(id, given.known)
  if (!way) return 'unknown'
  return historyOf(way, given)
    .map(({ uuid, file_change }) => (file_change === 'released' ? uuid.toUpperCase() : uuid))
    .join(' ')
}

test('every version of a chain returns all of it, oldest first', () => {
  const chain = telling('a>b b>c', 'c')
  for (const id of ['a', 'b', 'c']) expect(told(id, chain)).toBe('a b C')
})

test('a file that was never replaced is its only version', () => {
  expect(told('c', telling('a>b', 'bc'))).toBe('C')
})

test('an unknown id has no history', () => {
  expect(told('x', telling('a>b', 'b'))).toBe('unknown')
})

test('a successor that is neither a record nor a line is the latest that is known', () => {
  const given = telling('a>b')
  expect(told('a', given)).toBe('a B')
  expect(told('b', given)).toBe('a B')
})

test('files that were replaced by one file are all its earlier versions', () => {
  const given = telling('a>c b>d c>d', 'd')
  for (const id of ['a', 'b', 'c', 'd']) expect(told(id, given)).toBe('a c b D')
})

test('a ring ends and has no latest version', () => {
  const ring = telling('a>b b>c c>a z>a')
  for (const id of ['a', 'b', 'c', 'z']) {
    const way = chainFrom(id, ring.known)!
    expect(latestOn(way, ring.known)).toBeUndefined()
    expect(versionOf(id, way, ring)).toMatchObject({ id, latest_id: null, latest_release: [] })
    expect(told(id, ring).split(' ').sort()).toEqual(['a', 'b', 'c', 'z'])
  }
  expect(told('a', telling('a>a'))).toBe('a')
})

test('files that replace each other and are both served are each the latest', () => {
  const given = telling('a>b b>a', 'ab')
  expect(told('a', given)).toBe('A')
  expect(told('b', given)).toBe('B')
})

test('a file that was taken back has no latest version', () => {
  const given = telling('a>b b>')
  expect(told('a', given)).toBe('a b')
  expect(latestOn(chainFrom('a', given.known)!, given.known)).toBeUndefined()
})

test('chains and families without end are cut off', () => {
  const endless = {
    isRecord: () => false,
    step: (id: string) => ({ id, next: { id: String(Number(id) + 1) } }),
    before: (id: string) => [{ id: `${id}x` }, { id: `${id}y` }],
  }
  const way = chainFrom('1', endless)!
  expect([way.passed.length, way.end]).toEqual([10_000, undefined])
  expect(versionsOn({ passed: [], end: '1' }, endless)).toHaveLength(10_000)
})
