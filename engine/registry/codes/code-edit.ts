import type { Caller } from '../../shared/access/roles.ts'
import type { AtRevision } from '../../shared/revision.ts'
import type { CodeEdits, StoredCode } from './repository.ts'
import type { CodeSources } from './tables/import-tables.ts'

export interface EditSources<T> extends CodeSources {
  /** Converts a stored record to the form that is returned to clients. */
  readonly describe: (stored: StoredCode) => T
}

/** Stores the result of an edit and its history entry within a transaction. */
export async function storeEdit<T>(
  { edits, clock, describe }: Omit<EditSources<T>, 'repository'> & { readonly edits: CodeEdits },
  { user }: Caller,
  before: StoredCode | undefined,
  edited: (date: string) => Omit<StoredCode, 'revision'>,
): Promise<AtRevision<T>> {
  const date = clock().toISOString()
  const revision = await edits.nextRevision()
  const after = { ...edited(date), revision }
  const old = before && JSON.stringify(describe(before))
  await edits.put([after])
  const type = before ? 'MOD' : 'ADD'
  await edits.addEvents(revision, [{ code: after.code, type, date, user, old }])
  return { record: describe(after), revision }
}
