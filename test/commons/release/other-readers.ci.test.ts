import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tableFromIPC } from 'apache-arrow'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildRelease } from '../../../engine/commons/release/build.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { makeRelease } from '../../../fixtures/release/make-release.ts'
import { available } from '../../available.ts'

// Other programs read the columns of a release in place, and the results are compared with its documents.

let folder = ''
let files: readonly File[] = []
let cases: readonly Case[] = []

interface File {
  readonly file_id: string
  readonly access: string
  readonly file_size: number
  readonly platform?: string | null
}

interface Case {
  readonly samples?: readonly { readonly sample_type?: string | null }[] | null
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-readers-'))
  const sources = await makeRelease({ folder, scale: 'tiny', seed: 1 })
  const version = { major: 1, minor: 0, releaseDate: '2026-01-01' }
  const createdAt = '2026-01-01T00:00:00Z'
  const facts = { id: 'read', dataRelease: 'Data Release 1.0', version, createdAt }
  await buildRelease({ folder, sources, facts, executor: inlineExecutor })
  files = await documents<File>('files')
  cases = await documents<Case>('cases')
})
afterAll(() => rm(folder, { recursive: true }))

async function documents<T>(dataset: string): Promise<T[]> {
  const text = await readFile(join(folder, `${dataset}.ndjson`), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T)
}

const column = (dataset: string, field: string) =>
  join(folder, 'read', 'columns', dataset, `${field}.arrow`)

type Read = (path: string) => Promise<readonly unknown[]>

const READERS: Readonly<Record<string, { readonly there: boolean; readonly read: Read }>> = {
  'apache-arrow': {
    there: true,
    read: async (path) => {
      const list: Iterable<unknown> = tableFromIPC(await readFile(path))
        .getChild('values')
        ?.get(0)
      return [...list].map((value) => (typeof value === 'bigint' ? Number(value) : value))
    },
  },
  'nodejs-polars': {
    there: available.polars,
    read: async (path) => {
      const load = createRequire(join(import.meta.dirname, '../../readers/package.json'))
      const polars = load('nodejs-polars') as Polars
      const frame = polars.readIPC(await readFile(path), { columns: ['values'] })
      // The program cannot return bytes, but can write them.
      return valuesIn(tableFromIPC(frame.explode('values').writeIPC()).getChild('values'))
    },
  },
}

const valuesIn = (values: Iterable<unknown> | null) =>
  [...(values ?? [])].map((value) => (typeof value === 'bigint' ? Number(value) : value))

interface Polars {
  readIPC(
    bytes: Buffer,
    options: { readonly columns: readonly string[] },
  ): { explode(name: string): { writeIPC(): Buffer } }
}

describe.each(Object.entries(READERS))('%s', (_, { there, read }) => {
  test.runIf(there)('reads texts, some of which are missing', async () => {
    const valuesOf = (name: 'access' | 'platform') =>
      files.map((file) => file[name]?.toLowerCase() ?? null)
    expect(await read(column('files', 'access'))).toEqual(valuesOf('access'))
    expect(await read(column('files', 'platform'))).toEqual(valuesOf('platform'))
    expect(new Set(valuesOf('platform'))).toContain(null)
  })

  test.runIf(there)('reads numbers', async () => {
    const sizes = files.map(({ file_size }) => file_size)
    expect(await read(column('files', 'file_size'))).toEqual(sizes)
  })

  test.runIf(there)('reads ids as the 16 bytes of their digits', async () => {
    const hex = (value: unknown) => Buffer.from(value as Uint8Array).toString('hex')
    const ids = (await read(column('files', 'file_id'))).map(hex)
    expect(ids).toEqual(files.map(({ file_id }) => file_id.replaceAll('-', '')))
  })

  test.runIf(there)('reads values of elements, in the order of the documents', async () => {
    const types = cases.flatMap(({ samples }) =>
      (samples ?? []).map(({ sample_type }) => sample_type?.toLowerCase() ?? null),
    )
    expect(types.length).toBeGreaterThan(cases.length)
    expect(await read(column('cases', 'samples.sample_type'))).toEqual(types)
  })
})
