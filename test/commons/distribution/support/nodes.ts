import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { Distribution } from '../../../../engine/commons/distribution/distribution.ts'
import type { ReleaseNode } from '../../../../engine/commons/distribution/release-node.ts'
import { RELEASE_GUARDS } from '../../../../engine/commons/files/records/guard-sources.ts'
import { buildRelease } from '../../../../engine/commons/release/build.ts'
import { Releases } from '../../../../engine/commons/release/releases.ts'
import { CurrentRelease } from '../../../../engine/commons/search/current-release.ts'
import type { ObjectStoreOptions } from '../../../../engine/shared/blobs/object-client.ts'
import { ObjectStore } from '../../../../engine/shared/blobs/object-store.ts'
import type { Database } from '../../../../engine/shared/database/database.ts'
import { DiskSpace } from '../../../../engine/shared/disk-space.ts'
import type { EngineEvent } from '../../../../engine/shared/events.ts'
import { inlineExecutor } from '../../../../engine/shared/executor.ts'
import { madeOnce } from '../../../made-once.ts'

/** A short interval in milliseconds, because tests wait for many polls in sequence. */
const LOOK_MILLISECONDS = 50

/** A data folder, and the operations of a server with releases. */
export class TestNode {
  readonly folder: string
  readonly releases: Releases
  readonly current: CurrentRelease
  readonly distribution: Distribution
  readonly node: ReleaseNode
  readonly events: EngineEvent[] = []
  readonly #objects: ObjectStore

  private constructor(
    folder: string,
    database: Database,
    options: ObjectStoreOptions,
    clock?: () => Date,
  ) {
    this.folder = folder
    this.releases = new Releases(folder)
    this.current = new CurrentRelease(this.releases, RELEASE_GUARDS, {
      onSwitch: () => {},
      onFailure: () => {},
    })
    this.#objects = new ObjectStore(options)
    const space = new DiskSpace(folder)
    const place = { dataFolder: folder, database, objects: this.#objects, space }
    this.distribution = new Distribution({ ...place, clock, lookMilliseconds: LOOK_MILLISECONDS })
    this.node = this.distribution.node(this.current, (event) => this.events.push(event))
  }

  static async open(database: Database, objects: ObjectStoreOptions, clock?: () => Date) {
    const folder = await mkdtemp(join(tmpdir(), 'casemill-node-'))
    return new TestNode(folder, database, objects, clock)
  }

  async serve(): Promise<void> {
    await this.current.start()
    await this.node.start()
  }

  /** Adds a release of these projects to the folder; each is built once per run. */
  async build(id: string, projects: readonly string[]): Promise<void> {
    const made = await madeOnce(['node-release', id, ...projects].join('-'), (folder) =>
      buildOf(folder, id, projects),
    )
    await cp(join(made, id), this.releases.folder(id), { recursive: true })
  }

  /** The contents of all files of a release by path. */
  files(id: string): Promise<Map<string, Buffer>> {
    return filesOf(this.releases.folder(id))
  }

  async close(): Promise<void> {
    await this.node.close()
    await this.current.close()
    await this.#objects.close()
    await rm(this.folder, { recursive: true, force: true })
  }
}

async function buildOf(folder: string, id: string, projects: readonly string[]): Promise<void> {
  const source = join(folder, 'projects.ndjson')
  await writeFile(
    source,
    projects.map((name) => `${JSON.stringify({ project_id: name })}\n`).join(''),
  )
  await buildRelease({
    folder,
    sources: { projects: source },
    facts: {
      id,
      dataRelease: 'Data Release 1.0',
      version: { major: 1, minor: 0, releaseDate: '2026-01-01' },
      createdAt: '2026-01-01T00:00:00.000Z',
    },
    executor: inlineExecutor,
  })
}

/** The contents of all files below a folder by path. */
export async function filesOf(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const files = new Map<string, Buffer>()
  for (const path of paths.sort()) files.set(relative(folder, path), await readFile(path))
  return files
}
