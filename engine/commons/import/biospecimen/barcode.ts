import type { LevelName } from './levels.ts'

// TCGA barcodes contain the names of everything that a specimen was taken from: TCGA-86-A4D0-01A-11R-A24H-07
// is an aliquot of the analyte TCGA-86-A4D0-01A-11R of the portion TCGA-86-A4D0-01A-11 of the sample
// TCGA-86-A4D0-01A of the case TCGA-86-A4D0.

const CASE = /^(TCGA-\w{2}-\w{4})(-|$)/
const SPECIMEN = /^(TCGA-\w{2}-\w{4}-\d{2}[A-Z])(?:(-\d{2})([A-Z])?(?=-|$)|(?=-|$))/

/** Returns the name of the case that a barcode starts with. */
export function caseInBarcode(text: string): string | undefined {
  return CASE.exec(text)?.[1]
}

/**
 * Returns the names of a specimen's parents, as contained in its barcode. Returns none for other names. A
 * portion is returned only if an analyte was made from it, because slides are cut from portions with other
 * names.
 */
export function parentsInBarcode(text: string): Readonly<Partial<Record<LevelName, string>>> {
  const [, sample, portion, analyte] = SPECIMEN.exec(text) ?? []
  if (sample === undefined) return {}
  if (portion === undefined || analyte === undefined) return { samples: sample }
  return {
    samples: sample,
    portions: `${sample}${portion}`,
    analytes: `${sample}${portion}${analyte}`,
  }
}

/** TCGA's sample types, keyed by the two digits in a barcode. */
const SAMPLE_TYPES: Readonly<Record<string, string>> = {
  '01': 'Primary Tumor',
  '02': 'Recurrent Tumor',
  '03': 'Primary Blood Derived Cancer - Peripheral Blood',
  '04': 'Recurrent Blood Derived Cancer - Bone Marrow',
  '05': 'Additional - New Primary',
  '06': 'Metastatic',
  '07': 'Additional Metastatic',
  '08': 'Human Tumor Original Cells',
  '09': 'Primary Blood Derived Cancer - Bone Marrow',
  '10': 'Blood Derived Normal',
  '11': 'Solid Tissue Normal',
  '12': 'Buccal Cell Normal',
  '13': 'EBV Immortalized Normal',
  '14': 'Bone Marrow Normal',
  '20': 'Control Analyte',
  '40': 'Recurrent Blood Derived Cancer - Peripheral Blood',
  '50': 'Cell Lines',
  '60': 'Primary Xenograft Tissue',
  '61': 'Cell Line Derived Xenograft Tissue',
}

/** Returns the type of a sample, as contained in its barcode. Undefined for other names and unknown types. */
export function sampleTypeInBarcode(text: string): string | undefined {
  const code = SPECIMEN.exec(text)?.[1]?.slice(13, 15)
  return code === undefined ? undefined : SAMPLE_TYPES[code]
}
