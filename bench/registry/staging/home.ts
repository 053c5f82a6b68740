import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Engine, openEngine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { type AlgorithmName, ARCHIVES } from './input.ts'

/** A data folder with the published algorithms, and a key to ask with. */
export interface StagingHome extends AsyncDisposable {
  readonly folder: string
  readonly key: string
}

export async function makeHome(algorithms: readonly AlgorithmName[]): Promise<StagingHome> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-bench-staging-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const engine = await openEngine({ dataFolder: folder, executor: inlineExecutor })
    const key = await fill(engine, algorithms).finally(() => engine.close())
    return { folder, key, [Symbol.asyncDispose]: remove }
  } catch (error) {
    await remove()
    throw error
  }
}

async function fill(
  { registry: { staging, keys } }: Engine,
  algorithms: readonly AlgorithmName[],
): Promise<string> {
  for (const name of algorithms) await staging.import(ARCHIVES[name], { user: 'bench' })
  return (await keys.create()).secret
}
