import type { LoopTurns } from '../concurrency/loop-turns.ts'

/**
 * Loads the GraphQL library in several turns of the event loop, because loading it in one turn blocks for 80 ms.
 * Import modules that need the library only afterwards.
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
