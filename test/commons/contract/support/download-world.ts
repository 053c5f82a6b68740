import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildRelease } from '../../../../engine/commons/release/build.ts'
import { VERSIONS_NAME } from '../../../../engine/commons/release/layout.ts'
import { Releases } from '../../../../engine/commons/release/releases.ts'
import type { Engine, EngineOptions } from '../../../../engine/index.ts'
import type { BlobStore } from '../../../../engine/shared/blobs/blob.ts'
import { inlineExecutor, type StoredFile } from '../../../../engine/shared/index.ts'
import { openEngine, serveRelease } from '../../../places.ts'
import { linesOf, md5Of, type Records, type RetainedFile } from './download-records.ts'

export interface DownloadWorld {
  readonly engine: Engine
  readonly folder: string
  /** Stores bytes under an id as an import does. */
  store(file: RetainedFile, row?: Partial<StoredFile>): Promise<void>
  /** Replaces the stored bytes with others, which no import does. */
  replace(file: RetainedFile): Promise<void>
  /** Builds a release and makes it the served one. */
  serve(records: Records, id: string): Promise<void>
  close(): Promise<void>
}

const RELEASE_DATE = '2024-06-03'
export const STORED_AT = '2025-02-03T04:05:06.789Z'

/** An engine with a release of these records, or without a release. No bytes are stored yet. */
export async function openWorld(
  records?: Records,
  options: Partial<Omit<EngineOptions, 'dataFolder'>> = {},
): Promise<DownloadWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-download-'))
  if (records) await serve(folder, records, 'first')
  const engine = await openEngine({ dataFolder: folder, executor: inlineExecutor, ...options })
  await engine.start()
  const { blobs, files } = engine.shared
  const take = async (store: BlobStore, { id, name, bytes }: RetainedFile) => {
    await writeFile(join(folder, 'new'), bytes)
    await store.take({ id, name }, join(folder, 'new'))
  }
  return {
    engine,
    folder,
    async store(file, row = {}) {
      const { id, name, bytes } = file
      const store = row.storage === 'folder' ? blobs.folder : blobs.writing
      await take(store, file)
      await files.add({
        id,
        fileName: name,
        size: bytes.length,
        md5: md5Of(bytes),
        dataFormat: null,
        access: 'controlled',
        acl: [],
        partOf: null,
        indexName: null,
        storage: store.kind,
        linkedModified: null,
        createdAt: STORED_AT,
        ...row,
      })
    },
    replace: (file) => take(blobs.writing, file),
    serve: async (next, id) => serveRelease(engine, await build(folder, next, id)),
    async close() {
      await engine.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Builds a release and makes it the current one of a folder without a server. */
export async function serve(dataFolder: string, records: Records, id: string): Promise<void> {
  await new Releases(dataFolder).switchTo(await build(dataFolder, records, id))
}

/** Builds a release and returns its id. */
async function build(dataFolder: string, records: Records, id: string): Promise<string> {
  const releases = new Releases(dataFolder)
  const made = await mkdtemp(join(dataFolder, 'making-'))
  const sources: Record<string, string> = {}
  for (const [dataset, documents] of Object.entries(records)) {
    const path = join(made, `${dataset}.ndjson`)
    await writeFile(path, linesOf(dataset, documents))
    sources[dataset] = path
  }
  const version = { major: 1, minor: 0, releaseDate: RELEASE_DATE }
  const createdAt = '2024-06-03T09:00:00.000Z'
  const facts = { id, dataRelease: 'Data Release 1.0', version, createdAt }
  const { replaced, ...datasets } = sources
  await buildRelease({
    folder: releases.path,
    sources: datasets,
    facts,
    executor: inlineExecutor,
    extras: replaced === undefined ? {} : { [VERSIONS_NAME]: replaced },
  })
  await rm(made, { recursive: true })
  return id
}
