import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { ADMIN, EDITOR, madeStaging, named, READER } from './support/made-staging.ts'
import type { DifferenceFormat } from './version-difference.ts'

/** Returns a version, and one that was copied from it and edited. */
async function twoVersions() {
  const { staging } = await madeStaging()
  await staging.catalogue.copyVersion(ADMIN, named('1.0'), named('2.0'))
  const { record: t } = await staging.version(READER, named('1.0')).entity('table', 't')
  const { record: made } = await staging.version(READER, named('1.0')).entity('schema', 'made')
  const edited = staging.editableVersion(EDITOR, named('2.0'))
  const rows = [
    ['2', 'JUMP:u'],
    ['7', 'VALUE:eight'],
    ['8', 'VALUE:new'],
  ]
  await edited.updateEntity('table', 't', { ...t, version: '2.0', title: 'Another', rows })
  await edited.createEntity('table', { ...t, version: '2.0', id: 'other' })
  await edited.deleteEntity('table', 'lonely')
  const inputs = made.inputs.map((input) =>
    input.key === 'a' ? { ...input, default: '8' } : input,
  )
  await edited.updateEntity('schema', 'made', { ...made, version: '2.0', inputs })
  return (from: string, to: string, format?: DifferenceFormat) =>
    staging
      .version(READER, named(to))
      .difference({ from, format })
      .then(({ body }) => text(body))
}

test('what was added, removed, changed and moved is reported, and nothing that follows from it', async () => {
  const difference = await twoVersions()
  const [head, ...changes] = (await difference('1.0', '2.0'))
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
  expect(head).toEqual({ algorithm: 'made', from: '1.0', to: '2.0' })
  const t = { kind: 'table', id: 't' }
  expect(changes).toEqual([
    {
      kind: 'schema',
      id: 'made',
      change: 'changed',
      at: 'inputs[a].default',
      before: '7',
      after: '8',
    },
    { kind: 'table', id: 'lonely', change: 'removed' },
    { kind: 'table', id: 'other', change: 'added' },
    { ...t, change: 'added', at: 'title', after: 'Another' },
    { ...t, change: 'removed', at: 'rows[0]', before: ['1', 'VALUE:one'] },
    {
      ...t,
      change: 'changed',
      at: 'rows[1]',
      from: 'rows[2]',
      before: ['7', 'VALUE:seven'],
      after: ['7', 'VALUE:eight'],
    },
    { ...t, change: 'added', at: 'rows[2]', after: ['8', 'VALUE:new'] },
  ])
})

test('columns have the same, with JSON in the last two', async () => {
  const difference = await twoVersions()
  const [head, first, second] = (await difference('1.0', '2.0', 'tsv')).split('\n')
  expect(head).toBe('kind\tid\tchange\tat\tfrom\tbefore\tafter')
  expect(first).toBe('schema\tmade\tchanged\tinputs[a].default\t\t"7"\t"8"')
  expect(second).toBe('table\tlonely\tremoved\t\t\t\t')
})

test('a version differs from itself in nothing, and from another the other way round', async () => {
  const difference = await twoVersions()
  expect((await difference('1.0', 'latest')).trimEnd().split('\n')).toHaveLength(1)
  const changes = async (from: string, to: string) =>
    (await difference(from, to))
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line).change)
      .sort()
  const opposite: Readonly<Record<string, string>> = { added: 'removed', removed: 'added' }
  expect((await changes('2.0', '1.0')).toSorted()).toEqual(
    (await changes('1.0', '2.0')).map((one: string) => opposite[one] ?? one).toSorted(),
  )
})
