import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { DatasetName } from '../../../../engine/commons/datasets/define.ts'
import { importCommons } from '../../../../engine/commons/import/import-commons.ts'
import type { ImportReport } from '../../../../engine/commons/import/report.ts'
import { DocumentReader } from '../../../../engine/commons/release/documents.ts'
import { Release } from '../../../../engine/commons/release/release.ts'
import { Releases } from '../../../../engine/commons/release/releases.ts'
import { type Engine, openEngine } from '../../../../engine/index.ts'
import { inlineExecutor } from '../../../../engine/shared/index.ts'
import type { JsonObject } from '../../../../engine/shared/input/json-value.ts'
import type { App } from '../../../../server/http/compose.ts'
import { appOf } from '../../search/support/app.ts'

// Imports sources into a release, and starts the service over it.

export const importOf = (dataFolder: string, ...sources: string[]) =>
  importCommons({ sources, dataFolder, executor: inlineExecutor })

export interface World {
  readonly folder: string
  readonly report: ImportReport
  readonly engine: Engine
  readonly app: App
}

export async function worldOf(...sources: string[]): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-world-'))
  const report = await importOf(folder, ...sources)
  const engine = await openEngine({ dataFolder: folder, executor: inlineExecutor })
  await engine.start()
  return { folder, report, engine, app: appOf(engine) }
}

export async function endWorld(world: World | undefined): Promise<void> {
  await world?.engine.close()
  if (world) await rm(world.folder, { recursive: true, force: true })
}

interface ListAnswer<Hit> {
  readonly hits: readonly Hit[]
  readonly pagination: { readonly total: number }
  readonly aggregations: Readonly<Record<string, { readonly buckets: readonly Bucket[] }>>
}

interface Bucket {
  readonly key: string
  readonly doc_count: number
}

/** Returns the answer of a list endpoint. */
export async function ask<Hit = unknown>({ app }: World, path: string, request: object) {
  const headers = { 'Content-Type': 'application/json' }
  const body = JSON.stringify(request)
  const answer = await app.request(path, { method: 'POST', body, headers })
  expect(answer.status).toBe(200)
  return ((await answer.json()) as { data: ListAnswer<Hit> }).data
}

export async function total(world: World, path: string, filters?: object): Promise<number> {
  return (await ask(world, path, { size: 0, ...(filters ? { filters } : {}) })).pagination.total
}

/** Buckets of a facet: value and count. */
export async function facet(
  world: World,
  path: string,
  name: string,
): Promise<Map<string, number>> {
  const { aggregations } = await ask(world, path, { size: 0, facets: name })
  return new Map(
    (aggregations[name]?.buckets ?? []).map(({ key, doc_count: count }) => [key, count]),
  )
}

export const equals = (field: string, value: unknown) => ({ op: '=', content: { field, value } })
export const all = (...content: object[]) => ({ op: 'and', content })

/** Expects that several ways of importing, each in several consecutive releases, give the same documents. */
export async function expectSameDocuments(
  datasets: readonly DatasetName[],
  ways: readonly (readonly (readonly string[])[])[],
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-world-'))
  try {
    const made: unknown[] = []
    for (const [i, releases] of ways.entries()) {
      for (const sources of releases) await importOf(join(folder, String(i)), ...sources)
      made.push(await documentsIn(join(folder, String(i)), datasets))
    }
    expect(made.length).toBeGreaterThan(1)
    for (const documents of made) expect(documents).toEqual(made[0])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Parsed documents of the current release of a data folder, by dataset. */
export async function documentsIn(
  folder: string,
  datasets: readonly DatasetName[],
): Promise<JsonObject[][]> {
  const releases = new Releases(folder)
  const release = await Release.open(releases.folder((await releases.current()) ?? ''))
  try {
    const texts = datasets.map(async (dataset) => {
      const documents = await release.documents(dataset)
      const rows = Uint32Array.from({ length: documents.rows }, (_, row) => row)
      return new DocumentReader(documents).read(rows).map((text) => JSON.parse(text))
    })
    return await Promise.all(texts)
  } finally {
    await release.close()
  }
}
