import { cp } from 'node:fs/promises'
import { inlineExecutor } from '../engine/shared/index.ts'
import { buildMadeRelease } from '../fixtures/release/build-made.ts'
import { madeOnce } from './made-once.ts'

/** Has a data folder hold and serve the tiny release `made`. */
export async function copyMadeRelease(dataFolder: string): Promise<void> {
  const made = await madeOnce('made-release', (folder) =>
    buildMadeRelease({
      dataFolder: folder,
      executor: inlineExecutor,
      scale: 'tiny',
      seed: 5,
      id: 'made',
    }),
  )
  await cp(made, dataFolder, { recursive: true })
}
