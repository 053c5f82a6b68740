import { datasetOf } from '../../datasets/index.ts'
import { ARRAYS_ENDING, ARROW_ENDING, columnKey, documentsKey } from '../../release/layout.ts'
import type { ArrayKey } from '../../release/loaded.ts'
import { type MarkMembers, Release } from '../../release/release.ts'
import { projectionKeys, projectionsOf } from '../../render/projection.ts'
import { ACCESS_KEY } from './described-files.ts'
import { guardProjections } from './file-record.ts'
import { LISTING_KEYS } from './listed-files.ts'

/** Returns the arrays and fields of a release that determine who may read a file, as the code that uses them says. */
function guardSources() {
  const projections = guardProjections()
  const keys = new Set<ArrayKey>([
    columnKey('files', datasetOf('files').idField),
    ...LISTING_KEYS,
    ACCESS_KEY,
    ...projections.flatMap(projectionKeys),
  ])
  const shown = projections.flatMap((projection) => [...projectionsOf(projection)])
  return { keys, datasets: new Set(shown.map(({ dataset }) => dataset)) }
}

/** Returns the paths of the files of a release that determine who may read a file. */
function guardPaths(): ReadonlySet<string> {
  const { keys, datasets } = guardSources()
  const documents = [...datasets].map(documentsKey)
  return new Set([
    // The list covers releases of both formats.
    ...[...keys, ...documents].flatMap((key) => [key + ARRAYS_ENDING, key + ARROW_ENDING]),
    ...documents.map((key) => `${key}.text`),
  ])
}

/**
 * Opens a release. The files that determine access must exist, and their arrays are verified. Documents are
 * verified when they are read. Damage to other files is added to the errors of the release.
 * @param memory bytes of shared memory for arrays
 * @param markMembers marks the rows of stored sets
 * @throws EngineError corrupt_source naming the file; not_found if the folder has no release
 */
export async function openGuarding(
  folder: string,
  memory?: number | undefined,
  markMembers?: MarkMembers,
): Promise<Release> {
  const paths = guardPaths()
  const release = await Release.open(folder, {
    mayLack: (path) => !paths.has(path),
    ...(memory !== undefined && { memory }),
    markMembers,
  })
  const lease = release.retain()
  try {
    const { keys, datasets } = guardSources()
    await release.load(keys)
    for (const dataset of datasets) await release.documents(dataset)
    return release
  } catch (error) {
    // Closes once the lease ends.
    void release.close()
    throw error
  } finally {
    lease.release()
  }
}

/** Files that must be intact for a release to be served. */
export const RELEASE_GUARDS = Object.freeze({ paths: guardPaths, open: openGuarding })
