import { byKeys, PLACES } from '../../../shared/database/by-keys.ts'
import type { Rows, Transaction } from '../../../shared/database/database.ts'
import type { StoredReference } from '../graph.ts'
import type { EntityDocument } from '../submitted.ts'
import { readExactJson, writeExactJson } from './exact-json.ts'

interface ReferenceRow {
  readonly id: string
  readonly type: string
  readonly name: string
  readonly properties: string
}

const REFERENCE = 'id, type, name, properties'

export async function referencesById(
  rows: Rows,
  ids: Iterable<string>,
): Promise<StoredReference[]> {
  const sql = `SELECT ${REFERENCE} FROM submission_references WHERE id IN (${PLACES})`
  return (await byKeys<ReferenceRow>(rows, sql, [], ids)).map(storedReference)
}

/** Returns references of any type by their codes or names. */
export async function referencesByName(
  rows: Rows,
  names: Iterable<string>,
): Promise<StoredReference[]> {
  const sql = `SELECT ${REFERENCE} FROM submission_references WHERE name IN (${PLACES})`
  return (await byKeys<ReferenceRow>(rows, sql, [], names)).map(storedReference)
}

/** Adds references. A reference replaces an existing one with the same id. */
export async function putReferences(
  transaction: Transaction,
  references: readonly StoredReference[],
  now: string,
): Promise<void> {
  await transaction.runEach(
    `INSERT INTO submission_references (id, type, name, properties, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET properties = excluded.properties,
       updated_at = excluded.updated_at`,
    references.map(({ id, type, name, properties }) => [
      id,
      type,
      name,
      writeExactJson(properties),
      now,
      now,
    ]),
  )
}

function storedReference({ id, type, name, properties }: ReferenceRow): StoredReference {
  return { id, type, name, properties: readExactJson(properties) as EntityDocument }
}
