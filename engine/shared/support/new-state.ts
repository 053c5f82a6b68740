import { emptyState, sharedState } from '../../shared-state.ts'
import type { Database } from '../database/database.ts'

/** Source of the database states that tests of stores use. Tests of another dialect replace it. */
export const states: {
  one: () => Promise<Database>
  two: (dataFolder: string) => Promise<readonly [Database, Database]>
} = {
  one: emptyState,
  two: async (dataFolder) => [sharedState({ dataFolder }), sharedState({ dataFolder })],
}

/** Returns an empty state. */
export function newState(): Promise<Database> {
  return states.one()
}

/** Opens an empty state twice, as two processes would. If the state is in a folder, uses the given folder. */
export function newStates(dataFolder: string): Promise<readonly [Database, Database]> {
  return states.two(dataFolder)
}
