import type { Caller } from '../../shared/access/roles.ts'
import type { AtRevision } from '../../shared/revision.ts'
import type { StoredCode } from './repository.ts'
import type { CodeSources } from './tables/import-tables.ts'

export interface EditSources<T> extends CodeSources {
  /** A record as it is answered. */
  readonly describe: (stored: StoredCode) => T
}

/** Stores what an edit makes of a record, with its entry in the history, inside a transaction. */
export function storeEdit<T>(
  { repository, clock, describe }: EditSources<T>,
  { user }: Caller,
  before: StoredCode | undefined,
  edited: (date: string) => Omit<StoredCode, 'revision'>,
): AtRevision<T> {
  const date = clock().toISOString()
  const revision = repository.nextRevision()
  const after = { ...edited(date), revision }
  const old = before && JSON.stringify(describe(before))
  repository.put(after)
  const type = before ? 'MOD' : 'ADD'
  repository.addEvent(revision, { code: after.code, type, date, user, old })
  return { record: describe(after), revision }
}
