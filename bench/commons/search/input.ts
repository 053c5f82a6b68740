import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DatasetName } from '../../../engine/commons/datasets/define.ts'
import { buildRelease } from '../../../engine/commons/release/build.ts'
import { Releases } from '../../../engine/commons/release/releases.ts'
import type { Executor } from '../../../engine/shared/executor.ts'
import { makeRelease } from '../../../fixtures/release/make-release.ts'
import { MADE_NAMES } from '../../../fixtures/release/scale.ts'
import { DATA_FOLDER } from '../../data-folder.ts'
import { Parts } from '../../parts.ts'
import { openDatabase } from './duckdb/database.ts'
import { loadTables } from './duckdb/load.ts'
import { loadNested } from './duckdb/load-nested.ts'
import { findPostgres, makeCluster, startCluster } from './postgres/cluster.ts'
import { loadDocuments, sharedFolder } from './postgres/load.ts'
import { type InputName, SCALE_OF } from './questions.ts'

type Note = (text: string) => void

/** One release as everyone who takes part has it. */
export interface Input {
  readonly name: InputName
  /** `<dataset>.ndjson` for every dataset. */
  readonly documents: string
  /** A data folder of ours with the release as its current one. */
  readonly home: string
  /** A database file of DuckDB. */
  readonly duck: string
  /** Another one, with files and samples for exports. */
  readonly nested: string
  /** A cluster of PostgreSQL; undefined where that is not installed. */
  readonly postgres: { readonly programs: string; readonly folder: string } | undefined
  /** What making each part took, in seconds; for orientation. */
  readonly seconds: Readonly<Record<string, number>>
}

/** Git ignores it. */

const SEED = 1

export const FACTS = {
  dataRelease: 'Data Release 1.0',
  version: { major: 1, minor: 0, releaseDate: '2026-01-01' },
  createdAt: '2026-01-01T00:00:00Z',
} as const

/** What each part is made by: when one of these files changes, the part is made anew. */
const MAKERS = {
  documents: ['fixtures/release', 'fixtures/random.ts'],
  home: ['engine/commons/release', 'engine/commons/datasets', 'engine/shared/arrays/array-file.ts'],
  duck: ['bench/commons/search/duckdb/load.ts'],
  nested: ['bench/commons/search/duckdb/load-nested.ts'],
  postgres: ['bench/commons/search/postgres/load.ts'],
} as const

/** Makes what is not there from an earlier run. */
export async function prepareInput(
  name: InputName,
  executor: Executor,
  note: Note,
): Promise<Input> {
  const parts = new Parts(join(DATA_FOLDER, `search-${name}`), (text) => note(`${text} of ${name}`))
  const part = (what: keyof typeof MAKERS, before: string, make: (path: string) => Promise<void>) =>
    parts.part({ what, before, sources: MAKERS[what], make })

  const documents = await part('documents', name, (path) => makeDocuments(path, name, note))
  const duck = await part('duck', documents.key, (path) => fillDuck(path, documents.path, note))
  const nested = await part('nested', duck.key, (path) => {
    return fillNested(path, documents.path, duck.path)
  })
  const programs = findPostgres()
  const postgres = programs
    ? await part('postgres', duck.key, (path) => fillPostgres(path, programs, duck.path, note))
    : undefined
  const home = await part('home', documents.key, (path) => {
    return fillHome(path, documents.path, executor)
  })
  return {
    name,
    documents: documents.path,
    home: home.path,
    duck: duck.path,
    nested: nested.path,
    postgres: postgres && programs ? { programs, folder: postgres.path } : undefined,
    seconds: parts.seconds,
  }
}

async function makeDocuments(folder: string, name: InputName, note: Note): Promise<void> {
  let told = ''
  await makeRelease(
    { folder, scale: SCALE_OF[name], seed: SEED },
    {
      onProgress: ({ dataset, expectedRecords }) => {
        if (dataset !== told && expectedRecords > 500_000) note(`  ${expectedRecords} ${dataset}`)
        told = dataset
      },
    },
  )
}

async function fillDuck(path: string, documents: string, note: Note): Promise<void> {
  const database = await openDatabase(path, 'READ_WRITE')
  try {
    await loadTables(await database.connect(), documents, note)
  } finally {
    database.close()
  }
}

/** @param duck the database file of the same documents */
export async function fillNested(path: string, documents: string, duck: string): Promise<void> {
  const database = await openDatabase(path, 'READ_WRITE')
  try {
    await loadNested(await database.connect(), documents, duck)
  } finally {
    database.close()
  }
}

async function fillPostgres(path: string, programs: string, duck: string, note: Note) {
  makeCluster(programs, path)
  const between = await sharedFolder(`${path}.csv`)
  const database = await openDatabase(duck, 'READ_ONLY')
  const cluster = await startCluster(programs, path, 'loading')
  try {
    await loadDocuments(cluster, await database.connect(), between, note)
  } finally {
    await cluster.stop()
    database.close()
    await rm(between, { recursive: true, force: true })
  }
}

/** Builds the release from its documents and makes it the current one. */
export async function fillHome(home: string, documents: string, executor: Executor) {
  const releases = new Releases(home)
  const { id } = await buildRelease({
    folder: releases.path,
    sources: sourcesIn(documents),
    facts: FACTS,
    executor,
  })
  await releases.switchTo(id)
}

function sourcesIn(documents: string): Partial<Record<DatasetName, string>> {
  const paths = MADE_NAMES.map((name) => [name, join(documents, `${name}.ndjson`)])
  return Object.fromEntries(paths)
}
