import type { LoopTurns } from '../concurrency/loop-turns.ts'

/**
 * Loads the GraphQL library in several turns of the event loop, because loading it at once blocks for 80 ms.
 * Modules that need the library must be imported after this.
 */
export async function loadGraphqlLibrary(turns: LoopTurns): Promise<void> {
  const parts = [
    () => import('graphql/language/index.js'),
    () => import('graphql/type/index.js'),
    () => import('graphql/utilities/index.js'),
    () => import('graphql/validation/index.js'),
    () => import('graphql/index.js'),
  ]
  for (const load of parts) {
    await turns.next()
    await load()
  }
  await turns.next()
}
