import { type JsonObject, objectsIn, textIn } from '../../../shared/input/json-value.ts'
import { type CellPath, putCell } from '../cell-path.ts'
import { CLINICAL_IDS } from '../clinical-ids.ts'
import { giveRowIds } from '../made-ids.ts'
import { RowError } from '../row-error.ts'
import { type RowReader, type Table, valueIn } from '../table-kind.ts'
import { CASE_ID_FIELDS, uuidIn } from '../uuid-cell.ts'

/** Members that clients expect of each entity, and that exports leave out. */
const EXPECTED = ['state', 'created_datetime', 'updated_datetime']

/**
 * Reads tables whose rows are parts of cases: a row is an entity with everything between it and its
 * case. Equal ids bring the parts together.
 * @param placeOf where a column's values belong in a case; `undefined` when nothing is made of it
 */
export function readCaseRows(
  { header, intake }: Table,
  placeOf: (column: string) => CellPath | undefined,
): RowReader {
  const places = header.map(placeOf)
  const caseColumn = header[places.findIndex((place) => place?.steps.join() === 'case_id')]
  return {
    unused: header.filter((_, i) => places[i] === undefined),
    take(cells) {
      const record: JsonObject = {}
      cells.forEach((cell, i) => {
        const place = places[i]
        const text = valueIn(cell)
        if (!place || text === undefined) return
        const isId = CASE_ID_FIELDS.has(String(place.steps.at(-1)))
        putCell(record, place, isId ? uuidIn(text, header[i] ?? '') : text)
      })
      const caseId = textIn(record.case_id)
      if (caseId === undefined) throw new RowError(`the row has no ${caseColumn}`)
      giveRowIds(record, caseId)
      dropEmptyElements(record)
      expectMembers(record)
      intake.record('cases', record)
    },
  }
}

/** Wrappers of entities of which the row says nothing itself stay only for what is in them. */
function dropEmptyElements(record: JsonObject): void {
  for (const name of Object.keys(record)) {
    const list = record[name]
    if (!Array.isArray(list)) continue
    for (const element of objectsIn(list)) dropEmptyElements(element)
    const filled = objectsIn(list).filter((element) => Object.keys(element).length > 0)
    if (filled.length > 0) record[name] = filled
    else delete record[name]
  }
}

/** Gives clinical entities the members that clients expect, as null where the row has no value. */
function expectMembers(record: JsonObject): void {
  for (const name of ['demographic', ...Object.keys(CLINICAL_IDS)]) {
    for (const entity of objectsIn(record[name])) {
      for (const member of EXPECTED) entity[member] ??= null
      expectMembers(entity)
    }
  }
}
