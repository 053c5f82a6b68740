import { cp } from 'node:fs/promises'
import { inlineExecutor } from '../engine/shared/index.ts'
import { buildMadeRelease } from '../fixtures/release/build-made.ts'
import { madeOnce } from './made-once.ts'

/** Copies the tiny release `made` into a data folder that serves it. */
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
