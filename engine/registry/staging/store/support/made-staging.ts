import { callerOf } from '../../../../shared/access/support/caller.ts'
import type { Database } from '../../../../shared/database/database.ts'
import { newState } from '../../../../shared/support/new-state.ts'
import { madeContent, madeSchema } from '../../algorithm/support/made-version.ts'
import { Staging } from '../service.ts'

export { callerOf } from '../../../../shared/access/support/caller.ts'
export { refusal } from '../../../../shared/support/refusal.ts'

export const READER = callerOf()
export const EDITOR = callerOf('STAGING_EDITOR')
export const ADMIN = callerOf('STAGING_ADMIN')

/** A clock that shows the same time until a test sets it. */
export class MadeClock {
  now = new Date('2026-03-01T12:00:00.000Z')
  readonly read = () => this.now

  to(time: string): void {
    this.now = new Date(time)
  }
}

export interface MadeStaging {
  readonly staging: Staging
  readonly clock: MadeClock
}

/** A service over a database, in the year 2026. */
export function openStaging(state: Database): MadeStaging {
  const clock = new MadeClock()
  return { staging: new Staging({ state, clock: clock.read, yearNow: () => '2026' }), clock }
}

export const CONTENT = madeContent(
  [
    madeSchema({
      title: 'Made of little',
      inputs: [{ key: 'a', default: '7' }, { key: 'b' }],
      outputs: [{ key: 'out' }],
      mappings: [{ id: 'm', tables: [{ id: 't' }] }],
    }),
  ],
  {
    t: {
      columns: ['INPUT a', 'ENDPOINT out'],
      rows: [
        ['1', 'VALUE:one'],
        ['2', 'JUMP:u'],
        ['7', 'VALUE:seven'],
      ],
    },
    u: { columns: ['INPUT a', 'ENDPOINT out'], rows: [['*', 'VALUE:{{b}}']] },
    lonely: { columns: ['INPUT a', 'DESCRIPTION'], rows: [['1', 'alone']] },
  },
)

/** The name of a version of the algorithm `made`. */
export const named = (version: string) => ({ algorithm: 'made', version })
/** The version that madeStaging makes. */
export const OF = named('1.0')

/** Opens the staging area as openStaging does, on a new database. */
export async function emptyStaging(): Promise<MadeStaging> {
  return openStaging(await newState())
}

/** Opens the staging area with version 1.0 of `made`: a schema, its tables, and an unused table. */
export async function madeStaging(state?: Database): Promise<MadeStaging> {
  const made = openStaging(state ?? (await newState()))
  const { catalogue } = made.staging
  await catalogue.createAlgorithm(ADMIN, 'made', { name: 'Made' })
  await catalogue.createVersion(ADMIN, OF, { type: 'PRODUCTION' })
  await made.staging.editableVersion(EDITOR, OF).batch({
    schemas: [...CONTENT.schemas.values()],
    tables: [...CONTENT.tables.values()],
  })
  return made
}
