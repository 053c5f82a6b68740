import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildRelease } from '../../../../engine/commons/release/build.ts'
import { VERSIONS_NAME } from '../../../../engine/commons/release/layout.ts'
import { Releases } from '../../../../engine/commons/release/releases.ts'
import { type Engine, type EngineOptions, openEngine } from '../../../../engine/index.ts'
import { inlineExecutor, type StoredFile } from '../../../../engine/shared/index.ts'
import { linesOf, md5Of, type Records, type RetainedFile } from './download-records.ts'

export interface DownloadWorld {
  readonly engine: Engine
  readonly folder: string
  /** Stores bytes under an id, as an import does. */
  store(file: RetainedFile, row?: Partial<StoredFile>): Promise<void>
  /** Puts other bytes in place of those that are stored, as no import does. */
  replace(file: RetainedFile): Promise<void>
  close(): Promise<void>
}

export const RELEASE_DATE = '2024-06-03'
export const STORED_AT = '2025-02-03T04:05:06.789Z'

/** An engine over a release of these records, or over none. Nothing is stored yet. */
export async function openWorld(
  records?: Records,
  options: Partial<Omit<EngineOptions, 'dataFolder'>> = {},
): Promise<DownloadWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-download-'))
  if (records) await serve(folder, records, 'first')
  const engine = await openEngine({ dataFolder: folder, executor: inlineExecutor, ...options })
  await engine.start()
  return {
    engine,
    folder,
    async store({ id, name, bytes }, row = {}) {
      await mkdir(join(folder, 'files', id), { recursive: true })
      await writeFile(join(folder, 'files', id, name), bytes)
      await engine.shared.files.add({
        ...{ id, fileName: name, size: bytes.length, md5: md5Of(bytes), dataFormat: null },
        ...{ access: 'controlled', acl: [], partOf: null, indexName: null, storage: 'folder' },
        ...{ linkedModified: null, createdAt: STORED_AT, ...row },
      })
    },
    async replace({ id, name, bytes }) {
      await writeFile(join(folder, 'new'), bytes)
      await rename(join(folder, 'new'), join(folder, 'files', id, name))
    },
    async close() {
      await engine.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Builds a release and makes it the one that is served. */
export async function serve(dataFolder: string, records: Records, id: string): Promise<void> {
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
    ...{ folder: releases.path, sources: datasets, facts, executor: inlineExecutor },
    extras: replaced === undefined ? {} : { [VERSIONS_NAME]: replaced },
  })
  await releases.switchTo(id)
  await rm(made, { recursive: true })
}
