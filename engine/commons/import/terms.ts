/** Words for unknown values in fields of terms. They occur in several letter cases and are kept as they are. */
const UNKNOWN = [
  'Unknown',
  'unknown',
  'Not Reported',
  'not reported',
  'Unspecified',
  'unspecified',
  'Not Allowed To Collect',
  'not allowed to collect',
  'Not Applicable',
  'not applicable',
]

interface TermList {
  readonly terms: readonly string[]
  /** Other words in lower case, each with its term. */
  readonly others?: Readonly<Record<string, string>>
  /** Whether no other values are possible. Set for fields from which results are computed. */
  readonly isClosed?: true
}

/** The terms of a field, and the ways in which tables write them. */
export class Terms {
  readonly isClosed: boolean
  readonly #terms: ReadonlySet<string>
  readonly #byWord: ReadonlyMap<string, string>

  constructor({ terms, others = {}, isClosed }: TermList) {
    this.isClosed = isClosed === true
    this.#terms = new Set([...terms, ...UNKNOWN])
    this.#byWord = new Map([
      ...UNKNOWN.map((term) => [wordOf(term), term] as const).reverse(),
      ...terms.map((term) => [wordOf(term), term] as const),
      ...Object.entries(others),
    ])
  }

  /** Returns whether a text says that the value is not known. */
  isUnknown(text: string): boolean {
    return UNKNOWN_WORDS.has(wordOf(text))
  }

  /**
   * Returns the term that a text stands for, in any letter case, with underscores instead of blanks, or in
   * British spelling. Undefined if there is none.
   */
  find(text: string): string | undefined {
    return this.#terms.has(text) ? text : this.#byWord.get(wordOf(text))
  }
}

const wordOf = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[\s_]+/g, ' ')
    .replaceAll('tumour', 'tumor')
    .trim()

const UNKNOWN_WORDS: ReadonlySet<string> = new Set(UNKNOWN.map(wordOf))

const SAMPLE_TYPES = [
  ...['Additional - New Primary', 'Additional Metastatic', 'Blood Derived Normal', 'Cell Lines'],
  ...['Bone Marrow Normal', 'Buccal Cell Normal', 'Cell Line Derived Xenograft Tissue', 'DNA'],
  ...['Control Analyte', 'EBV Immortalized Normal', 'Human Tumor Original Cells', 'Metastatic'],
  ...['Blood Derived Cancer - Bone Marrow', 'Blood Derived Cancer - Peripheral Blood', 'RNA'],
  ...['Primary Blood Derived Cancer - Bone Marrow', 'Primary Xenograft Tissue', 'Xenograft Tissue'],
  ...['Primary Blood Derived Cancer - Peripheral Blood', 'Primary Tumor', 'Recurrent Tumor'],
  ...['Recurrent Blood Derived Cancer - Bone Marrow', 'Solid Tissue Normal', 'Tumor', 'Slides'],
  ...[
    'Recurrent Blood Derived Cancer - Peripheral Blood',
    'Next Generation Cancer Model',
    'Saliva',
  ],
  ...['Expanded Next Generation Cancer Model', 'FFPE Recurrent', 'FFPE Scrolls', 'Granulocytes'],
  ...['Blood Derived Cancer - Bone Marrow, Post-treatment', 'Blood Derived Liquid Biopsy'],
  ...['Blood Derived Cancer - Peripheral Blood, Post-treatment', 'Benign Neoplasms', 'Total RNA'],
  ...['Fibroblasts from Bone Marrow Normal', 'GenomePlex (Rubicon) Amplified DNA'],
  ...['In Situ Neoplasms', 'Lymphoid Normal', 'Mixed Adherent Suspension', 'Pleural Effusion'],
  ...['Mononuclear Cells from Bone Marrow Normal', 'Neoplasms of Uncertain and Unknown Behavior'],
  ...['Next Generation Cancer Model Expanded Under Non-conforming Conditions'],
  ...['Post neo-adjuvant therapy', 'Repli-G (Qiagen) DNA', 'Repli-G X (Qiagen) DNA'],
  ...['Tumor Adjacent Normal - Post Neo-adjuvant Therapy'],
]

/** Terms of the data model by field. Fields that have hundreds of terms are not included. */
const LISTS = {
  vital_status: {
    terms: ['Alive', 'Dead'],
    // cBioPortal writes a code before the word.
    others: {
      living: 'Alive',
      '0:living': 'Alive',
      '0:alive': 'Alive',
      deceased: 'Dead',
      '1:deceased': 'Dead',
      '1:dead': 'Dead',
    },
    isClosed: true,
  },
  gender: { terms: ['female', 'male'], others: { f: 'female', m: 'male' } },
  sex_at_birth: { terms: ['female', 'male'], others: { f: 'female', m: 'male' } },
  race: {
    terms: [
      'american indian or alaska native',
      'asian',
      'black or african american',
      'white',
      'native hawaiian or other pacific islander',
      'other',
    ],
  },
  ethnicity: { terms: ['hispanic or latino', 'not hispanic or latino'] },
  // An unknown word is kept, so that the rules for files without an access level do not open the file.
  access: { terms: ['controlled', 'open'] },
  tissue_type: { terms: ['Abnormal', 'Normal', 'Peritumoral', 'Tumor'] },
  tumor_descriptor: {
    terms: [
      'Metastatic',
      'New Primary',
      'NOS',
      'Premalignant',
      'Primary',
      'Recurrence',
      'Xenograft',
    ],
  },
  preservation_method: {
    terms: ['Cryopreserved', 'EDTA', 'FFPE', 'Fresh', 'Frozen', 'OCT', 'Snap Frozen'],
  },
  sample_type: { terms: SAMPLE_TYPES },
} as const satisfies Readonly<Record<string, TermList>>

/** Fields whose values are terms of the data model. */
export const TERMS: Readonly<Record<keyof typeof LISTS, Terms>> = Object.freeze(
  Object.fromEntries(Object.entries(LISTS).map(([field, list]) => [field, new Terms(list)])),
) as Readonly<Record<keyof typeof LISTS, Terms>>

/** Returns the terms of a field, or undefined if any text is possible. */
export const termsOf = (field: string): Terms | undefined =>
  Object.hasOwn(TERMS, field) ? TERMS[field as keyof typeof TERMS] : undefined
