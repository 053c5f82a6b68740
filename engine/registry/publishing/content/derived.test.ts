import { expect, test } from 'vitest'
import type { Caller } from '../../../shared/access/roles.ts'
import { EngineError } from '../../../shared/errors.ts'
import { Derived } from './derived.ts'

const READER: Caller = { user: 'ada', roles: new Set() }

/** Opens versions by name, each with a key and names. Counts how often their contents are read. */
function opened(versions: Record<string, { key: string; names: readonly string[] }>) {
  let reads = 0
  const source = {
    async contents(_: Caller, version: string) {
      const found = versions[version]
      if (!found) throw new EngineError('not_found', `Version '${version}' does not exist.`)
      const { key, names } = found
      const items = (async function* () {
        reads++
        for (const name of names) yield { id: name, content: { name } }
      })()
      return { key, items }
    },
  }
  const derived = new Derived(source, async (items) => {
    const names: string[] = []
    for await (const { content } of items) names.push(content.name)
    return names.join(' ')
  })
  return { derived, versions, reads: () => reads }
}

test('a derived value is cached until the contents change', async () => {
  const { derived, versions, reads } = opened({ latest: { key: '1', names: ['a', 'b'] } })
  const both = [derived.of(READER, 'latest'), derived.of(READER, 'latest')]
  expect(await Promise.all(both)).toEqual(['a b', 'a b'])
  expect(reads()).toBe(1)
  versions.latest = { key: '2', names: ['b', 'c'] }
  expect(await derived.of(READER, 'latest')).toBe('b c')
  expect(reads()).toBe(2)
})

test('versions that one edit gave the same revision are not confused', async () => {
  const { derived } = opened({
    latest: { key: '7 all', names: ['old'] },
    development: { key: '7 all', names: ['new'] },
  })
  expect(await derived.of(READER, 'latest')).toBe('old')
  expect(await derived.of(READER, 'development')).toBe('new')
  expect(await derived.of(READER, 'latest')).toBe('old')
})

test('only a few versions are cached', async () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const { derived, reads } = opened(
    Object.fromEntries(names.map((name) => [name, { key: '1', names: [name] }])),
  )
  for (const name of [...names, ...names]) expect(await derived.of(READER, name)).toBe(name)
  expect(reads()).toBe(10)
})

test('a version that is not there is refused each time', async () => {
  const { derived } = opened({})
  for (let i = 0; i < 2; i++) {
    await expect(derived.of(READER, 'nowhere')).rejects.toMatchObject({ code: 'not_found' })
  }
})
