import { Distribution } from './commons/distribution/distribution.ts'
import type { ObjectStoreOptions } from './shared/blobs/object-client.ts'
import { ObjectStore } from './shared/blobs/object-store.ts'
import { DiskSpace } from './shared/disk-space.ts'
import { sharedState } from './shared-state.ts'

/** Where releases that nodes have in common lie. */
interface DistributionPlace {
  readonly dataFolder: string
  readonly stateUrl?: string | undefined
  readonly stateMigrates?: boolean | undefined
  readonly objects?: ObjectStoreOptions | undefined
  readonly reserveBytes?: number | undefined
}

/** The releases that nodes have in common, for a command that opens no engine. */
interface OpenDistribution {
  readonly distribution: Distribution
  close(): Promise<void>
}

/** `undefined` where there is no database of a server, or no bucket: then a folder's releases are its own. */
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
