import { expect, test } from 'vitest'
import { OPEN } from '../../../shared/access/guards.ts'
import type { StoredFile } from '../../../shared/catalogue/files.ts'
import { Scratch } from '../../../shared/executor.ts'
import { type ArchiveContents, membersOf } from './members.ts'
import type { FoundFile } from './resolve.ts'

const idOf = (n: number) => `0d000000-0000-4000-8000-${String(n).padStart(12, '0')}`

const stored = (id: string): StoredFile => ({
  id,
  fileName: 'a.txt',
  size: 1,
  md5: '0'.repeat(32),
  dataFormat: null,
  access: 'open',
  acl: [],
  partOf: null,
  indexName: null,
  storage: 'folder',
  linkedModified: null,
  createdAt: '2025-01-01T00:00:00Z',
})

const found = (n: number, more: Partial<FoundFile> = {}): FoundFile => ({
  kind: 'file',
  id: idOf(n),
  guards: [OPEN],
  fileName: 'a.txt',
  state: 'released',
  md5: '0'.repeat(32),
  size: 1,
  dataFormat: undefined,
  related: [],
  isReleased: true,
  stored: stored(idOf(n)),
  ...more,
})

const contents = (files: readonly FoundFile[]) =>
  ({ found: files, related: new Map(), annotations: new Map() }) satisfies ArchiveContents

const namesOf = async (asked: ArchiveContents) =>
  (await membersOf(asked, undefined, { scratch: new Scratch() })).map(({ path }) => path)

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

test('a file that is not stored is left out and listed in the manifest, also if it is the only one', async () => {
  const gone = found(1, { stored: undefined, md5: 'f'.repeat(32), size: 7 })
  const related = new Map([[idOf(2), gone]])
  for (const files of [[gone, found(2)], [gone]]) {
    const [manifest, ...others] = await membersOf(contents(files), undefined, {
      scratch: new Scratch(),
    })
    expect(manifest?.path).toBe('MANIFEST.txt')
    expect(Buffer.from(manifest?.contents as Uint8Array).toString()).toContain(
      `\n${idOf(1)}\t${idOf(1)}/a.txt\t${'f'.repeat(32)}\t7\tnot stored\n`,
    )
    expect(others.map(({ path }) => path)).toEqual(files.slice(1).map(({ id }) => `${id}/a.txt`))
  }
  expect(await namesOf({ ...contents([found(3)]), related })).toEqual([`${idOf(3)}/a.txt`])
})
