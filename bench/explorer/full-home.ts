import { join } from 'node:path'
import { inlineExecutor } from '../../engine/shared/executor.ts'
import { buildMadeRelease } from '../../fixtures/release/build-made.ts'
import { DATA_FOLDER } from '../data-folder.ts'
import { Parts } from '../parts.ts'

/** A data folder with a made release of 1,000,000 files; it takes minutes, once. */
export async function fullHome(note: (text: string) => void): Promise<string> {
  const parts = new Parts(join(DATA_FOLDER, 'explorer-full'), note)
  const { path } = await parts.part({
    what: 'home',
    before: 'full',
    sources: ['fixtures/release', 'engine/commons/release', 'engine/commons/datasets'],
    make: async (dataFolder) => {
      await buildMadeRelease({ dataFolder, scale: 'full', seed: 1, executor: inlineExecutor })
    },
  })
  return path
}
