import { expect, test } from 'vitest'
import { OPEN } from '../../../shared/access/guards.ts'
import type { StoredFile } from '../../../shared/catalogue/files.ts'
import { Scratch } from '../../../shared/executor.ts'
import { type ArchiveContents, membersOf } from './members.ts'
import type { FoundFile } from './resolve.ts'

const idOf = (n: number) => `0d000000-0000-4000-8000-${String(n).padStart(12, '0')}`

const stored = (id: string): StoredFile => ({
  ...{ id, fileName: 'a.txt', size: 1, md5: '0'.repeat(32), dataFormat: null, access: 'open' },
  ...{ acl: [], partOf: null, indexName: null, storage: 'folder', linkedModified: null },
  createdAt: '2025-01-01T00:00:00Z',
})

const found = (n: number, more: Partial<FoundFile> = {}): FoundFile => ({
  ...{ kind: 'file', id: idOf(n), guards: [OPEN], fileName: 'a.txt', state: 'released' },
  ...{ dataFormat: undefined, related: [], isReleased: true, stored: stored(idOf(n)) },
  ...more,
})

const contents = (
  files: readonly FoundFile[],
  newer: readonly (readonly [string, string])[] = [],
) =>
  ({
    ...{ found: files, related: new Map(), annotations: new Map(), newer: new Map(newer) },
    modified: new Date('2024-06-03T00:00:00Z'),
  }) satisfies ArchiveContents

const namesOf = async (asked: ArchiveContents) =>
  (await membersOf(asked, undefined, new Scratch())).map(({ path }) => path)

test('superseded ids are listed under a name that clients pass over, with what replaces them', async () => {
  const asked = contents(
    [found(1), found(2)],
    [
      [idOf(2), idOf(7)],
      [idOf(9), idOf(8)],
    ],
  )
  const members = await membersOf(asked, undefined, new Scratch())
  const list = members[1]
  expect(list?.path).toBe('superseded_files_2024_06_03.txt')
  expect(list?.path).toMatch(/^superseded_files[\d._]+\.txt$/)
  expect(Buffer.from(list?.contents as Uint8Array).toString()).toBe(
    `id\tlatest_id\n${idOf(2)}\t${idOf(7)}\n`,
  )
  expect(members.map(({ path }) => path)).toEqual([
    'MANIFEST.txt',
    'superseded_files_2024_06_03.txt',
    `${idOf(1)}/a.txt`,
    `${idOf(2)}/a.txt`,
  ])
})

test('one file has no manifest', async () => {
  expect(await namesOf(contents([found(1)]))).toEqual([`${idOf(1)}/a.txt`])
})

test('a file called annotations.txt keeps its place', async () => {
  const asked = contents([found(1, { fileName: 'annotations.txt' }), found(2)])
  const annotations = new Map([1, 2].map((n) => [idOf(n), [idOf(5)]]))
  expect(await namesOf({ ...asked, annotations })).toEqual([
    'MANIFEST.txt',
    `${idOf(1)}/annotations.txt`,
    `${idOf(2)}/a.txt`,
    `${idOf(2)}/annotations.txt`,
  ])
})

test('an archive that would grow beyond its bound is refused', async () => {
  const many = Array.from({ length: 10_001 }, (_, i) => found(i))
  await expect(namesOf(contents(many))).rejects.toMatchObject({ code: 'too_many' })
})

test('bytes that are not here are never left out silently', async () => {
  const gone = found(1, { stored: undefined })
  await expect(namesOf(contents([gone]))).rejects.toMatchObject({ code: 'forbidden' })
})
