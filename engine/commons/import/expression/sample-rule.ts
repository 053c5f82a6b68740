import { type JsonObject, textIn } from '../../../shared/input/json-value.ts'

/** Kind of tissue of a sample. */
export type Standing = 'primary' | 'other' | 'normal'

/**
 * Order in which samples of a case are preferred, lowest first (data-commons.md 6.3: the primary tumour
 * aliquot). Unstated kinds come last.
 */
const RANKS = { primary: 0, other: 1, unstated: 2 } as const

export interface Choosable {
  readonly standing: Standing | undefined
  readonly sample: string | null
}

/** Compares two samples. Returns a negative number if the first is preferred, and 0 for the same sample. */
export function compareSamples(a: Choosable, b: Choosable): number {
  return rankOf(a) - rankOf(b) || compareNames(a.sample ?? '', b.sample ?? '')
}

function rankOf({ standing }: Choosable): number {
  return standing === 'primary' || standing === 'other' ? RANKS[standing] : RANKS.unstated
}

export const compareNames = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

const PRIMARY = /^primary (solid )?tumou?r$|^primary blood derived cancer\b/i
const NORMAL = /\bnormal\b|^control analyte$|^(buccal|saliva|granulocytes)/i

/** Returns the kind of tissue of a sample by its sample type, or otherwise by tissue and descriptor. */
export function standingOf(sample: JsonObject): Standing | undefined {
  const tissue = textIn(sample.tissue_type)?.toLowerCase()
  const type = textIn(sample.sample_type)
  if (tissue === 'normal' || (type !== undefined && NORMAL.test(type))) return 'normal'
  if (type !== undefined && !/^(unknown|not reported|not allowed to collect)$/i.test(type)) {
    return PRIMARY.test(type) ? 'primary' : 'other'
  }
  const code = textIn(sample.sample_type_id)
  if (code !== undefined && /^\d\d?$/.test(code)) return standingOfCode(Number(code))
  if (tissue !== 'tumor') return undefined
  return textIn(sample.tumor_descriptor)?.toLowerCase() === 'primary' ? 'primary' : 'other'
}

const BARCODE = /^(?:TCGA-\w{2}-\w{4}|TARGET-\d\d-\w{6})-(\d\d)/i

/** Returns the kind of tissue from the code in a TCGA or TARGET barcode. Undefined for other barcodes. */
export function standingOfBarcode(name: string): Standing | undefined {
  const [, code] = BARCODE.exec(name) ?? []
  return code === undefined ? undefined : standingOfCode(Number(code))
}

const PRIMARY_CODES: readonly number[] = [1, 3, 9]

/**
 * Returns the kind of tissue for a sample-type code. Codes 10 to 19 are normal tissue, and 20 is a control
 * (TCGA's table of sample types).
 */
function standingOfCode(code: number): Standing {
  if (PRIMARY_CODES.includes(code)) return 'primary'
  return code >= 10 && code <= 20 ? 'normal' : 'other'
}
