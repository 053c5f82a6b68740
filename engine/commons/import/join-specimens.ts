import { nameUuid } from '../../shared/catalogue/uuid.ts'
import { isObject, type JsonObject, objectsIn, textIn } from '../../shared/input/json-value.ts'
import { DATASET_NAMES, type DatasetName } from '../datasets/define.ts'
import { specimenNames } from './case-links.ts'
import { type Database, numberOf, rowsOf } from './database.ts'
import type { Staging } from './staging.ts'

const CASES = DATASET_NAMES.indexOf('cases')

/**
 * For datasets of occurrences, whose ids are generated from a change and a case: path of the change in a record,
 * and its id member.
 */
const CHANGES: Readonly<Partial<Record<DatasetName, readonly [at: string, by: string]>>> = {
  ssm_occurrences: ['ssm', 'ssm_id'],
  cnv_occurrences: ['cnv', 'cnv_id'],
  segment_cnv_occurrences: ['segment_cnv', 'segment_cnv_id'],
}
const OCCURRENCES = Object.keys(CHANGES) as DatasetName[]

/** A case with a specimen whose name a table took for the name of a case. */
interface Patient {
  readonly id: string
  /** Name or id that represents the case in generated ids. */
  readonly key: string
}

/**
 * Joins cases that a table created from a specimen's name, before a source had placed the specimen, to the case
 * with that specimen. Adds them to `aliases`. Their occurrences get the ids that they would have if the case had
 * been known.
 * @returns the number of joined cases
 */
export async function joinCasesBySpecimens(staging: Staging): Promise<number> {
  const { database } = staging
  const patients = await findPatients(staging)
  if (patients.size === 0) return 0
  await database.connection.run(
    'CREATE TABLE rewritten (old_place DOUBLE, id VARCHAR, place DOUBLE, length DOUBLE)',
  )
  for (const dataset of OCCURRENCES) await staging.unsort(dataset)
  await rewriteParts(staging, patients)
  const pairs = [...patients].map(([made, { id }]) => `(${CASES}, '${made}', '${id}')`)
  await database.connection.run(`
    UPDATE parts SET id = rewritten.id, place = rewritten.place, length = rewritten.length,
      ending = NULL
      FROM rewritten WHERE parts.place = rewritten.old_place;
    DROP TABLE rewritten;
    INSERT INTO aliases VALUES ${pairs.join(', ')};
    DELETE FROM names WHERE dataset = ${CASES}
      AND id IN (SELECT made_id FROM aliases WHERE dataset = ${CASES})
      AND name NOT IN (SELECT name FROM names WHERE dataset = ${CASES} AND NOT made)`)
  return patients.size
}

/**
 * Returns generated cases whose name is that of a specimen of exactly one other case, with that case, keyed by
 * generated id.
 */
async function findPatients(staging: Staging): Promise<ReadonlyMap<string, Patient>> {
  const { database } = staging
  const made = await madeCases(database)
  const owners = new Map<string, string | undefined>()
  if (made.size > 0) {
    for await (const { name, caseId } of specimenNames(staging)) {
      const id = made.get(name.toLowerCase())
      if (id === undefined || id === caseId) continue
      owners.set(id, owners.has(id) && owners.get(id) !== caseId ? undefined : caseId)
    }
  }
  const found = new Map<string, Patient>()
  for (const [id, owner] of owners) {
    if (owner === undefined || owners.has(owner)) continue
    const sql = `SELECT min(name) FROM names WHERE dataset = ${CASES} AND id = '${owner}'`
    for await (const [row] of rowsOf(database, sql)) {
      found.set(id, { id: owner, key: row?.[0] ? String(row[0]) : owner })
    }
  }
  return found
}

/**
 * Returns ids of cases that were generated from a name and for which no source has a real id, keyed by name in
 * lower case.
 */
async function madeCases(database: Database): Promise<ReadonlyMap<string, string>> {
  const made = new Map<string, string>()
  const isThere = `SELECT count(*) FROM (SELECT 1 FROM names WHERE dataset = ${CASES} LIMIT 1)`
  if ((await numberOf(database, isThere)) === 0) return made
  const sql = `SELECT DISTINCT id, lower(name) FROM names WHERE dataset = ${CASES} AND made
    AND id NOT IN (SELECT made_id FROM aliases WHERE dataset = ${CASES})`
  for await (const rows of rowsOf(database, sql)) {
    for (const [id, name] of rows) made.set(String(name), String(id))
  }
  return made
}

/** Rewrites the parts of generated cases without their names, and their occurrences with new ids. */
async function rewriteParts(
  staging: Staging,
  patients: ReadonlyMap<string, Patient>,
): Promise<void> {
  const { database, spool } = staging
  const written = await database.connection.createAppender('rewritten')
  const numbers = [CASES, ...OCCURRENCES.map((name) => DATASET_NAMES.indexOf(name))]
  const sql = `SELECT dataset, id, place, length FROM parts WHERE dataset IN (${numbers.join(', ')})`
  for await (const rows of rowsOf(database, sql)) {
    for (const [number, id, offset, length] of rows as [number, string, number, number][]) {
      if (number === CASES && !patients.has(id)) continue
      const document: JsonObject = JSON.parse(spool.read({ offset, length }))
      const dataset = DATASET_NAMES[number] as DatasetName
      const newId =
        number === CASES ? withoutName(document, id) : renamed(document, dataset, patients)
      if (newId === undefined) continue
      const place = spool.add(JSON.stringify(document))
      written.appendDouble(offset)
      written.appendVarchar(newId)
      written.appendDouble(place.offset)
      written.appendDouble(place.length)
      written.endRow()
    }
  }
  written.closeSync()
}

function withoutName(document: JsonObject, id: string): string {
  delete document.submitter_id
  return id
}

/**
 * Gives an occurrence of a generated case its new id and returns it. Returns undefined if it belongs to another
 * case.
 */
function renamed(
  document: JsonObject,
  dataset: DatasetName,
  patients: ReadonlyMap<string, Patient>,
): string | undefined {
  const [at = '', by = ''] = CHANGES[dataset] ?? []
  const { case: ofCase, [at]: change } = document
  if (!isObject(ofCase) || !isObject(change)) return undefined
  const patient = patients.get(textIn(ofCase.case_id) ?? '')
  if (!patient) return undefined
  const id = nameUuid(dataset, textIn(change[by]) ?? '', patient.key)
  document[`${dataset.slice(0, -1)}_id`] = id
  for (const observation of objectsIn(ofCase.observation)) {
    const { observation_id: _, ...observed } = observation
    observation.observation_id = nameUuid(id, JSON.stringify(observed))
  }
  return id
}
