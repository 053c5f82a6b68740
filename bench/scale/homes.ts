import { cp, rm } from 'node:fs/promises'
import { openEngine } from '../../engine/index.ts'
import { inlineExecutor } from '../../engine/shared/executor.ts'
import { demoKey, makeDemo } from '../../fixtures/demo.ts'
import { Parts } from '../parts.ts'

/** A data folder for each number of processes: a folder has one service at a time. */
export async function prepareHomes(
  folder: string,
  counts: readonly number[],
): Promise<readonly string[]> {
  const parts = new Parts(folder, () => {})
  const demo = await parts.part({
    what: 'demo',
    before: '',
    sources: ['fixtures', 'engine/commons/release', 'engine/commons/datasets'],
    async make(path) {
      const engine = await openEngine({ dataFolder: path, executor: inlineExecutor })
      try {
        await makeDemo(engine)
      } finally {
        await engine.close()
      }
    },
  })
  const homes: string[] = []
  for (const count of counts) {
    const { path } = await parts.part({
      what: `home${count}`,
      before: demo.key,
      sources: [],
      async make(home) {
        await rm(home, { recursive: true, force: true })
        await cp(demo.path, home, { recursive: true })
      },
    })
    homes.push(path)
  }
  return homes
}

/** A key of the registry in a data folder that no service has open. */
export async function keyOf(home: string): Promise<string> {
  const engine = await openEngine({ dataFolder: home, executor: inlineExecutor })
  try {
    return await demoKey(engine)
  } finally {
    await engine.close()
  }
}
