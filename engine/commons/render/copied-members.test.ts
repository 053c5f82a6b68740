import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { depth } from '../../../test/depth.ts'
import { inlineExecutor, Scratch } from '../../shared/executor.ts'
import { ByteSink } from '../../shared/formats/byte-sink.ts'
import { buildRelease } from '../release/build.ts'
import { Release } from '../release/release.ts'
import { CopiedMembers } from './copied-members.ts'
import type { Projection } from './projection.ts'

// The truth is JSON.parse and JSON.stringify, over documents that are spelled in every way that JSON permits.

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-members-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const NAMES = ['file_name', 'acl', 'file_size', 'state', 'other', 'cases'] as const
const space = fc.constantFrom('', '', '', '', '', ' ', '\t')
const text = fc.oneof(
  fc
    .string({ unit: fc.constantFrom(...'ab"\\/,:{}[] é漢🧬\u007f\u2028'), maxLength: 12 })
    .map((one) => JSON.stringify(one)),
  fc.constantFrom('"\\u00e4"', '"a\\/b"', '"\\ud800"', '"\\u0022,}"', '""', '"\\\\"'),
)
const scalar = fc.oneof(
  { weight: 4, arbitrary: text },
  fc.constantFrom(
    '0',
    '-0',
    '-1',
    '1.0',
    '1e3',
    '1E2',
    '12.5',
    '123456789012345',
    '9007199254740993',
    '-12',
  ),
  fc.constantFrom('null', 'true', 'false'),
)
const padded = (value: string, [before, after]: readonly [string, string]) => before + value + after
const spaces = fc.tuple(space, space)
const array = fc
  .tuple(fc.array(fc.tuple(scalar, spaces), { maxLength: 3 }), space)
  .map(
    ([items, inside]) => `[${inside}${items.map(([one, around]) => padded(one, around)).join()}]`,
  )
const value = fc.oneof(
  { weight: 3, arbitrary: scalar },
  array,
  fc
    .tuple(scalar, array, space)
    .map(([one, other, at]) => `{"b":${one},${at}"a":[${other},{"2":1,"1":"}"}]}`),
  fc.constantFrom('[]', '{}', '[["a"]]', '[{"a":"]"}]'),
)
const named = fc.constantFrom(...NAMES, 'n\\u0061me', 'file\\u005fname')
const document = fc.record({
  members: fc.array(fc.tuple(named, value, spaces, space), { maxLength: 9 }),
  isFirst: fc.boolean(),
  inside: fc.constantFrom('', '', '', '', ' '),
})

const leaf = (from: string, as = from) => ({ kind: 'leaf', from, as, type: 'keyword' }) as const
const PROJECTIONS: readonly Projection[] = [
  {
    dataset: 'files',
    id: 'file_id',
    members: [leaf('acl'), leaf('file_id'), leaf('file_name', 'Name'), leaf('file_size')],
    parts: [],
  },
  { dataset: 'files', members: [leaf('state'), leaf('cases')], parts: [] },
]

test('copied members are those of the parsed document, however it is spelled', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(document, { minLength: 1, maxLength: 20 }), async (made) => {
      const texts = made.map(({ members, isFirst, inside }, i) => {
        const id = `"file_id":"f-${String(i).padStart(3, '0')}"`
        const rest = members.map(
          ([name, one, around, at]) => `${at}"${name}":${padded(one, around)}`,
        )
        return `{${inside}${(isFirst ? [id, ...rest] : [...rest, id]).join()}${inside}}`
      })
      const release = await releaseOf(texts)

      try {
        const rows = Uint32Array.from(texts.keys()).filter((row) => row % 7 !== 6)
        const handle = await release.documents('files')
        for (const projection of PROJECTIONS) {
          const sink = new ByteSink(Buffer.alloc(16))
          const scratch = new Scratch()
          new CopiedMembers(projection).write(rows, sink, { handle, scratch, behind: 10 })
          const lines = [...rows].map((row) => `${expectedOf(projection, texts[row]!)}\n`)
          expect(Buffer.from(sink.written).toString()).toBe(lines.join(''))
        }
      } finally {
        await release.close()
      }
    }),
    { numRuns: depth(60, 1000) },
  )
})

let built = 0

async function releaseOf(texts: readonly string[]): Promise<Release> {
  const id = `r${built++}`
  const path = join(folder, `${id}.ndjson`)
  await writeFile(path, texts.map((one) => `${one}\n`).join(''))
  const version = { major: 1, minor: 0, releaseDate: '2025-01-01' }
  const facts = { dataRelease: 'Data Release 1.0', version, createdAt: '2025-01-01', id }
  const releases = join(folder, 'releases')
  await buildRelease({
    folder: releases,
    sources: { files: path },
    facts,
    executor: inlineExecutor,
  })
  return Release.open(join(releases, id))
}

function expectedOf({ id, members }: Projection, text: string): string {
  const document = JSON.parse(text)
  const leaves = members.flatMap((one) =>
    one.kind === 'leaf' ? [[one.as, document[one.from]]] : [],
  )
  return JSON.stringify(Object.fromEntries([...(id ? [['id', document[id]]] : []), ...leaves]))
}

test('members of groups are left to the parser, and so are records in another order', () => {
  const group = { kind: 'group', from: 'cases', as: 'cases', members: [leaf('case_id')] } as const
  const rows = Uint32Array.of(1, 2)
  const can = (members: Projection['members'], some = rows) =>
    CopiedMembers.canCopy({ dataset: 'files', id: 'file_id', members, parts: [] }, some)
  expect(can([leaf('acl')])).toBe(true)
  expect(can([group])).toBe(false)
  expect(can([leaf('id')])).toBe(false)
  expect(can([leaf('acl')], Uint32Array.of(2, 1))).toBe(false)
})
