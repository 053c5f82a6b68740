import { emptyState, sharedState } from '../../shared-state.ts'
import type { Database } from '../database/database.ts'

/** Where tests of stores get their states from; tests of another dialect put another source in place. */
export const states: {
  one: () => Promise<Database>
  two: (dataFolder: string) => Promise<readonly [Database, Database]>
} = {
  one: emptyState,
  two: async (dataFolder) => [sharedState({ dataFolder }), sharedState({ dataFolder })],
}

/** An empty state. */
export function newState(): Promise<Database> {
  return states.one()
}

/** Two ways to one empty state, as two processes have them; in the folder that is given, where it is in one. */
export function newStates(dataFolder: string): Promise<readonly [Database, Database]> {
  return states.two(dataFolder)
}
