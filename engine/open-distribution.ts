import { Distribution } from './commons/distribution/distribution.ts'
import type { ObjectStoreOptions } from './shared/blobs/object-client.ts'
import { ObjectStore } from './shared/blobs/object-store.ts'
import { DiskSpace } from './shared/disk-space.ts'
import { sharedState } from './shared-state.ts'

/** Location of the releases that several nodes share. */
interface DistributionPlace {
  readonly dataFolder: string
  readonly stateUrl?: string | undefined
  readonly stateMigrates?: boolean | undefined
  readonly objects?: ObjectStoreOptions | undefined
  readonly reserveBytes?: number | undefined
}

/** Access to shared releases, for commands that do not open an engine. */
interface OpenDistribution {
  readonly distribution: Distribution
  close(): Promise<void>
}

/**
 * Opens the shared releases. Returns undefined without a PostgreSQL database or a bucket, because the releases
 * then belong to a single data folder.
 */
export function openDistribution({
  dataFolder,
  stateUrl,
  stateMigrates,
  objects: options,
  reserveBytes,
}: DistributionPlace): OpenDistribution | undefined {
  if (stateUrl === undefined || options === undefined) return undefined
  const database = sharedState({ dataFolder, stateUrl, stateMigrates })
  const objects = new ObjectStore(options)
  const space = new DiskSpace(dataFolder, reserveBytes)
  return {
    distribution: new Distribution({ dataFolder, database, objects, space }),
    async close() {
      await objects.close()
      await database.close()
    },
  }
}
