import { join } from 'node:path'
import { DiskSpace } from '../../shared/disk-space.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import { DATASET_NAMES, type DatasetName } from '../datasets/define.ts'
import { buildRelease, type RetainedFile } from '../release/build.ts'
import { documentsKey, RELEASE_FORMAT, type ReleaseManifest } from '../release/layout.ts'
import { readManifest } from '../release/manifest.ts'
import { Releases } from '../release/releases.ts'
import { checkFile } from '../release/verify.ts'
import { withWorkFolder } from '../release/work-folder.ts'
import { type MakeCurrent, makeCurrent } from './make-current.ts'
import { buildingSteps, type ImportStep } from './next-release.ts'

export interface UpgradeRelease {
  readonly dataFolder: string
  readonly executor: Executor
  /** Number of bytes to keep free on the disk. */
  readonly reserveBytes?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((step: ImportStep) => void) | undefined
  readonly makeCurrent?: MakeCurrent | undefined
}

export interface UpgradedRelease {
  /** Id of the current release. */
  readonly id: string
  /**
   * Id of the release that was upgraded and is kept, or undefined if the current release had the current
   * format.
   */
  readonly from: string | undefined
}

/** Files that the build derives from the documents. All other files are copied unchanged. */
const BUILT = /^(documents|levels|columns|bitmaps|indexes|links|lines)\//

/**
 * Upgrades the current release to the format of this version: rebuilds all files from its documents, so that
 * nothing needs to be imported again. The new release has the same number and date, and becomes current when
 * it is complete.
 * @throws EngineError not_found without a release; corrupt_source for a document file that differs from the
 * manifest; conflict while an import is running; unavailable if the disk is full
 */
export function upgradeRelease(what: UpgradeRelease): Promise<UpgradedRelease> {
  const { dataFolder, reserveBytes, signal } = what
  const place = { dataFolder, space: new DiskSpace(dataFolder, reserveBytes), signal }
  return withWorkFolder(place, (_, signal) => upgrade({ ...what, signal }))
}

async function upgrade(what: UpgradeRelease): Promise<UpgradedRelease> {
  const releases = new Releases(what.dataFolder)
  const from = await releases.current()
  if (from === undefined) {
    throw new EngineError('not_found', 'the data folder has no release to bring up to date')
  }
  const folder = releases.folder(from)
  const manifest = await readManifest(folder)
  if (manifest.format === RELEASE_FORMAT) return { id: from, from: undefined }
  const sources = await soundSources(folder, manifest, what.signal)
  const { id } = await build(what, { releases, folder, manifest, sources })
  await makeCurrent(id, releases, what.makeCurrent)
  return { id, from }
}

/** Returns the document files after verifying them, because the new release gets new checksums. */
async function soundSources(
  folder: string,
  { datasets, files }: ReleaseManifest,
  signal: AbortSignal | undefined,
): Promise<Partial<Record<DatasetName, string>>> {
  const sources: Partial<Record<DatasetName, string>> = {}
  for (const name of DATASET_NAMES) {
    if (datasets[name].rows === 0) continue
    const path = `${documentsKey(name)}.text`
    const expected = files[path]
    const problem = expected
      ? await checkFile(join(folder, path), expected, signal)
      : 'file is not listed in the manifest'
    if (problem) throw new EngineError('corrupt_source', `${path}: ${problem}`, { at: path })
    sources[name] = join(folder, path)
  }
  return sources
}

async function build(
  { executor, signal, onProgress }: UpgradeRelease,
  {
    releases,
    folder,
    manifest,
    sources,
  }: {
    readonly releases: Releases
    readonly folder: string
    readonly manifest: ReleaseManifest
    readonly sources: Partial<Record<DatasetName, string>>
  },
): Promise<ReleaseManifest> {
  const { id, dataRelease, version, earlierReleases, createdAt, files, datasets } = manifest
  const retained: Record<string, RetainedFile> = {}
  for (const [path, written] of Object.entries(files)) {
    if (!BUILT.test(path)) retained[path] = { path: join(folder, path), written }
  }
  const records = Object.values(datasets).reduce((sum, { rows }) => sum + rows, 0)
  return buildRelease({
    folder: releases.path,
    sources,
    facts: {
      id: `${id}-format-${RELEASE_FORMAT}`,
      dataRelease,
      version,
      earlierReleases,
      createdAt,
    },
    retained,
    executor,
    signal,
    onProgress: buildingSteps(records, onProgress),
  })
}
