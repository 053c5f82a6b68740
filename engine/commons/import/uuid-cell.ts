import { caseInBarcode } from './biospecimen/barcode.ts'
import { LEVELS } from './biospecimen/levels.ts'
import { CLINICAL_IDS } from './clinical-ids.ts'
import { RowError } from './row-error.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Id fields of cases, clinical entities and specimens. */
export const CASE_ID_FIELDS: ReadonlySet<string> = new Set([
  'case_id',
  'demographic_id',
  ...Object.values(CLINICAL_IDS),
  ...LEVELS.map(({ idField }) => idField),
])

/** Number of characters of a cell in a message. */
const MAX_SHOWN = 80

export const isUuid = (text: string) => UUID.test(text)

/**
 * Returns the UUID in a cell in lower case, or undefined for no cell.
 * @throws RowError if the cell is not a UUID
 */
export function uuidIn(text: string, column: string): string
export function uuidIn(text: string | undefined, column: string): string | undefined
export function uuidIn(text: string | undefined, column: string): string | undefined {
  if (text === undefined) return undefined
  if (isUuid(text)) return text.toLowerCase()
  throw notAnId(text, column)
}

/**
 * Validates an id from a search result. Services may have ids of any form, except barcodes.
 * @throws RowError if it is a barcode
 */
export function judgeLoadedId(text: string, column: string): void {
  if (caseInBarcode(text) !== undefined) throw notAnId(text, column)
}

function notAnId(text: string, column: string): RowError {
  const hint =
    caseInBarcode(text) === undefined ? '' : '; it is a name, which belongs in another column'
  return new RowError(`${column} is "${text.slice(0, MAX_SHOWN)}", which is no UUID${hint}`)
}
