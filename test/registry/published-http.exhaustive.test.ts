import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StagingData } from '../../engine/registry/staging/algorithm/result.ts'
import { available } from '../available.ts'
import { failureOf, successOf } from './support/registry-answers.ts'
import { openRegistry, type RegistryWorld } from './support/registry-world.ts'
import {
  archiveOf,
  multiset,
  type Recorded,
  readExpectations,
  readVectors,
  sorted,
} from './support/staging-vectors.ts'

// The published algorithms, imported and queried over HTTP: the public client's expectations of the live
// service, and the recorded calls of the original library.

const ALGORITHMS = ['cs', 'tnm', 'eod_public', 'pediatric'] as const

let world: RegistryWorld
beforeAll(async () => {
  if (!available.shared) return
  world = await openRegistry({ logLevel: 'error' })
  for (const name of ALGORITHMS) {
    await world.engine.registry.staging.import(archiveOf(name), { user: 'import' })
  }
})
afterAll(() => world?.[Symbol.asyncDispose]())

const ask = async (operation: string, body?: unknown) =>
  successOf(
    await world.ask(operation, { who: 'reader', body }),
    200,
    operation.endsWith('/defaults'),
  )

describe.skipIf(!available.shared)('the public client', () => {
  test('is refused with a bad key', async () => {
    expect(readExpectations('auth')).toMatchObject([{ expect: { status: 401 } }])
    const headers = { 'X-SEERAPI-Key': 'BAD KEY' }
    const path = '/rest/staging/algorithms'
    await failureOf(await world.ask(`GET ${path}`, { who: 'nobody', headers }), 401, path)
  })

  test('all expectations of staging are there', () => {
    expect(readExpectations('staging')).toHaveLength(7)
  })

  test.each(readExpectations('staging'))('$request', async ({ request, expect: wanted }) => {
    const [, operation = '', map] = /^(\w+ \S+)(?: \{(.*)\})?$/.exec(request) ?? []
    const pairs = map?.split(',').map((pair) => pair.split(':'))
    const answer = await ask(operation, pairs && Object.fromEntries(pairs))
    expect(factsOf(answer, wanted)).toEqual(wanted)
  })
})

/** The facts of an answer in the form of an expectation. */
function factsOf(answer: unknown, wanted: unknown): unknown {
  const list = Array.isArray(answer) ? (answer as Record<string, unknown>[]) : []
  if (Array.isArray(wanted)) return list.map(({ id }) => id)
  const facts = Object.keys(wanted as object).map((name) => {
    if (name === 'length') return [name, list.length]
    if (name === 'algorithm contains') {
      const names = (wanted as Record<string, string[]>)[name] ?? []
      return [name, names.filter((one) => list.some(({ algorithm }) => algorithm === one))]
    }
    const [, member = '', key] = /^(\w+)\[(\w+)\]$/.exec(name) ?? []
    const elements = (answer as Record<string, Record<string, unknown>[]>)[member] ?? []
    const element = elements.find((one) => one.key === key)
    const named = Object.keys((wanted as Record<string, object>)[name] ?? {})
    return [name, Object.fromEntries(named.map((one) => [one, element?.[one]]))]
  })
  return Object.fromEntries(facts)
}

type OfVersion = Recorded & { readonly algorithm: string; readonly version: string }

describe.skipIf(!available.shared)('the recorded calls of the original library', () => {
  test.each([
    'peer-cs-stage.jsonl.gz',
    'peer-cs-match.jsonl.gz',
    'peer-tnm-stage.jsonl.gz',
    'peer-eod_public-stage.jsonl.gz',
    'peer-pediatric-stage.jsonl.gz',
    'peer-pediatric-match.jsonl.gz',
    'peer-partial-lookup.jsonl.gz',
  ])('%s agrees over HTTP', async (file) => {
    for (const row of readVectors<OfVersion>(file)) {
      const version = `/rest/staging/${row.algorithm}/${row.version}`
      expect(await told(row, version), JSON.stringify(row)).toBe(wantedOf(row))
    }
  })
})

async function told(row: Recorded, version: string): Promise<string> {
  if (row.op === 'stage') {
    const answer = (await ask(`POST ${version}/stage`, row.input)) as StagingData
    const { input, ...rest } = answer
    // The input as posted, without nulls.
    expect(sorted(input)).toBe(sorted(row.input))
    return sorted({ ...rest, errors: multiset(rest.errors) })
  }
  if (row.op === 'lookup') {
    const found = (await ask(`POST ${version}/schemas/lookup`, row.input)) as { id: string }[]
    return sorted(found.map(({ id }) => id))
  }
  const { table } = row as { readonly table: string }
  return sorted(
    await ask(`POST ${version}/table/${table}/match`, (row as { input: unknown }).input),
  )
}

function wantedOf(row: Recorded): string {
  if (row.op === 'stage') {
    return sorted({ ...row.expected, errors: multiset(row.expected.errors) })
  }
  if (row.op === 'lookup') return sorted(row.expected.toSorted())
  const { expected_row: number = -1 } = row as { readonly expected_row?: number }
  return sorted(number === -1 ? { match: false } : { match: true, row: number })
}

describe.skipIf(!available.shared).each([
  ['eod_public/3.3', 141, 1059],
  ['pediatric/1.3', 33, 129],
])('%s', (version, schemas, tables) => {
  test.each([
    ['schema', schemas],
    ['table', tables],
  ])('every %s is there, as a strict client reads it', async (kind, count) => {
    const listed = (await ask(`GET /rest/staging/${version}/${kind}s`)) as { id: string }[]
    expect(listed).toHaveLength(count)
    for (const { id } of listed) {
      const entity = await ask(`GET /rest/staging/${version}/${kind}/${id}`)
      expect(entity).toMatchObject({ id, algorithm: version.split('/')[0] })
    }
  })

  test('has no findings, and is the latest', async () => {
    expect(await ask(`GET /rest/staging/${version}/findings`)).toEqual([])
    const latest = version.replace(/\/.*/, '/latest')
    expect(await ask(`GET /rest/staging/${latest}`)).toEqual(
      await ask(`GET /rest/staging/${version}`),
    )
  })
})
