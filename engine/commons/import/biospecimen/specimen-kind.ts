import { type JsonObject, textIn } from '../../../shared/input/json-value.ts'
import { sampleTypeInBarcode } from './barcode.ts'

export type SpecimenKind = 'normal' | 'tumor'

const KINDS: readonly SpecimenKind[] = ['normal', 'tumor']

/** Matches words for tumors in sample types such as `Metastatic` and `Additional - New Primary`. */
const TUMOR = /\b(?:tumor|cancer|metastatic|new primary|recurrent)\b/i

/**
 * Returns the kind of a sample by its tissue type, or otherwise by its sample type. Undefined if neither shows
 * it.
 */
export function kindOfSample(sample: JsonObject): SpecimenKind | undefined {
  const tissue = textIn(sample.tissue_type)?.toLowerCase()
  const kind = KINDS.find((each) => each === tissue)
  return kind ?? kindOfType(textIn(sample.sample_type))
}

/** Returns the kind of a specimen by its TCGA barcode. Undefined for other names. */
export const kindInBarcode = (name: string): SpecimenKind | undefined =>
  kindOfType(sampleTypeInBarcode(name))

function kindOfType(type: string | undefined): SpecimenKind | undefined {
  if (type === undefined) return undefined
  // Tissue beside a tumor is normal, too.
  if (/\bnormal\b/i.test(type)) return 'normal'
  return TUMOR.test(type) ? 'tumor' : undefined
}
