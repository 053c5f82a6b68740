import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DIRECTORY_NAME } from '../../../engine/commons/slicing/stored.ts'
import { startS3 } from '../../../engine/shared/blobs/support/s3-server.ts'
import type { BamOptions } from '../../../fixtures/bam/make-bam.ts'
import { type HtsWorld, openHtsWorld } from './hts-world.ts'

/** Where files are stored, and how regions are found in them. */
interface HtsPlace {
  readonly keeps: 'a folder' | 'a bucket'
  readonly finds: 'the block directory' | 'the index'
}

/** Between them, the first and the third cover everything. */
export const HTS_PLACES: readonly HtsPlace[] = [
  { keeps: 'a folder', finds: 'the block directory' },
  { keeps: 'a folder', finds: 'the index' },
  { keeps: 'a bucket', finds: 'the index' },
  { keeps: 'a bucket', finds: 'the block directory' },
]

export interface PlacedWorld extends HtsWorld {
  /** Imports a further file, and returns its id. */
  add(what: Parameters<HtsWorld['engine']['commons']['importBam']>[0]): Promise<string>
}

/** A service whose files are stored and searched in this way. */
export async function openHtsPlace(
  { keeps, finds }: HtsPlace,
  bam: Partial<BamOptions>,
): Promise<PlacedWorld> {
  const s3 = keeps === 'a bucket' ? await startS3() : undefined
  const world = await openHtsWorld({
    bam,
    // Without work, the directory is not made again.
    engine: { workKinds: [], ...(s3 && { objects: s3.options }) },
  })
  const { blobs } = world.engine.shared
  const leaveIndex = async (id: string) => {
    if (finds === 'the block directory') return
    if (s3) await blobs.of('s3').remove({ id, name: DIRECTORY_NAME })
    // For a directory in a bucket, the folder contains a copy.
    await rm(join(world.folder, 'data', 'files', id, DIRECTORY_NAME), { force: true })
  }
  await leaveIndex(world.bamId)
  return {
    ...world,
    async add(what) {
      const { file } = await world.engine.commons.importBam(what)
      await leaveIndex(file.id)
      return file.id
    },
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      await s3?.stop()
    },
  }
}
