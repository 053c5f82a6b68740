import type { LoopTurns } from '../concurrency/loop-turns.ts'

/**
 * Loads the library of GraphQL, a part in each turn of the event loop: all of it takes 80 ms. Import what needs the
 * library only then.
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
