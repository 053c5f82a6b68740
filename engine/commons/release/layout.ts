import type { ArraySchema, ArraysOf } from '../../shared/arrays/array-schema.ts'
import type { AssociationName, DatasetName, TableName } from '../datasets/define.ts'

/** The form in which releases are written. */
export const RELEASE_FORMAT = 2

/**
 * A release is an immutable folder:
 *
 *   manifest.json                       ReleaseManifest; written last
 *   documents/<dataset>.text            own documents in row order, one per line, as they came
 *   documents/<dataset>.arrays          where each one lies, and its checksum (documents.ts)
 *   levels/<dataset>/<path>.arrow       LevelArrays
 *   columns/<dataset>/<path>.arrow      ColumnArrays, Dictionary
 *   bitmaps/<dataset>/<path>.arrow      BitmapArrays of columns with few values
 *   links/<dataset>/<at>.arrow          LinkArrays
 *   levels/case_genes/…, links/case_genes/…, levels/gene_effects/…
 *                                       the associations (associations.ts)
 *   lines/files.text, lines/files.arrays  one download-manifest line per file
 *   versions.ndjson, versions.arrays    files that were replaced, a line each; where to find which
 *                                       (versions/step-index.ts)
 *   expression.arrow                    values of genes by case (expression/matrix-format.ts)
 *   import.json                         what the import keeps for the next import
 *
 * Row numbers count the records of a dataset in ascending order of their ids (by UTF-8 bytes). Own
 * documents hold what is not mounted (datasets/define.ts); their arrays of objects are levels, whose
 * elements are numbered through all records in document order.
 */
export interface ReleaseManifest {
  /** 1: the files in `levels`, `columns`, `bitmaps` and `links` are `.arrays`. */
  readonly format: 1 | typeof RELEASE_FORMAT
  /** Name of the folder. */
  readonly id: string
  /** `Data Release 1.0`. */
  readonly dataRelease: string
  readonly version: {
    readonly major: number
    readonly minor: number
    /** YYYY-MM-DD */
    readonly releaseDate: string
  }
  readonly createdAt: string
  readonly datasets: Readonly<Record<DatasetName, DatasetLayout>>
  /** Absent in a release that was made before there were any. */
  readonly associations?: Readonly<Record<AssociationName, DatasetLayout>>
  /** Every other file of the folder by its relative path. */
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly crc32: number }>>
}

export interface DatasetLayout {
  readonly rows: number
  /** By path: `diagnoses`, `diagnoses.treatments`. A level without any element is left out. */
  readonly levels: Readonly<Record<string, LevelLayout>>
  /** By field path. A field that no record has is left out. */
  readonly columns: Readonly<Record<string, ColumnLayout>>
  /** By `at` of the dataset's link mounts. */
  readonly links: Readonly<Record<string, LinkLayout>>
  /**
   * By path of a field, and of an id that a link names: how documents print it. Absent in a release
   * that was made before anybody looked; a path is absent that no document has.
   */
  readonly printed?: Readonly<Record<string, PrintedLayout | typeof IN_DOCUMENTS>>
}

/** Of a field whose column does not say all that documents do. */
export const IN_DOCUMENTS = 'documents'

/** How documents print a field of which the column says all: what rows are written from (ADR 70). */
export interface PrintedLayout {
  /** What JSON has for a value; `integer`: all are safe integers. */
  readonly kind: 'text' | 'boolean' | 'integer' | 'number'
  /** Values stand in arrays that are never empty, in the order of their codes. */
  readonly list?: boolean
  /** What an element without a value has when it is not nothing: null, or some have (`nulls` of the column). */
  readonly missing?: 'null' | 'some'
  /** Some text has upper-case letters that its column has folded: `upper` of it is there. */
  readonly upper?: boolean
  /** Sum of ESCAPED: bytes of the texts that cannot be written as they are. */
  readonly escaped?: number
}

/** Bytes that tables and JSON do not take as they are. */
export const ESCAPED = {
  /** Tab, CR, LF. */
  tsv: 1,
  /** Comma, quote, CR, LF. */
  csv: 2,
  /** Quote, backslash, controls. */
  json: 4,
} as const

export interface LevelLayout {
  /** The level that its elements are in; `''` is the record. */
  readonly parent: string
  readonly elements: number
  /** Every parent has exactly one element: element number = parent number. */
  readonly oneToOne: boolean
  /** Parents that have no element or several; `irregular` of the arrays is there. */
  readonly irregular?: number
}

export interface ColumnLayout {
  /** Nearest level above the field; `''` is the record. */
  readonly level: string
  readonly kind: 'text' | 'number'
  /** Entries of the dictionary. */
  readonly distinct: number
  /** Some element has several values: `offsets` is there. */
  readonly multi: boolean
  /** The id: code = row + 1, `codes` is left out. */
  readonly identity: boolean
  /** `order` is there. */
  readonly ordered: boolean
  /** There are BitmapArrays. */
  readonly bitmapped?: boolean
}

export interface LinkLayout {
  /** Level at which the link is; `''` is the record. */
  readonly level: string
  readonly dataset: TableName
  /** Elements that name a record that is not there. */
  readonly dangling: number
}

export const LEVEL_ARRAYS = {
  /** parents + 1 numbers: elements of parent p are offsets[p] … offsets[p + 1] - 1. */
  offsets: ['Uint32Array'],
  /** Parent of each element. */
  parents: ['Uint32Array'],
  /** One bit per parent, lowest first: set where it has no element or several. */
  irregular: ['Int32Array', 'absent'],
} as const satisfies ArraySchema

export type LevelArrays = ArraysOf<typeof LEVEL_ARRAYS>

/**
 * One field. A code is the place of a value in the dictionary, counted from 1; 0 is missing (absent
 * or null). Keyword and text values are folded to lower case before they get a code; the spelling
 * is in the documents.
 */
export const COLUMN_ARRAYS = {
  /** Per element, or per value when `offsets` is there; absent for the identity. */
  codes: ['Uint8Array', 'Uint16Array', 'Uint32Array', 'absent'],
  /** elements + 1 numbers: values of element e are codes[offsets[e]] … ; ascending, distinct. */
  offsets: ['Uint32Array', 'absent'],
  /**
   * distinct + 1 numbers: records (rows, each counted once) that have the value; at 0 those that
   * have at least one element of the level without the field.
   */
  counts: ['Uint32Array'],
  /** Rows in ascending order of codes, then of rows, missing last. Record level, single values. */
  order: ['Uint32Array', 'absent'],
  /** kind number: ascending values. */
  numbers: ['Float64Array', 'absent'],
  /** kind text: ends of the entries in `bytes`; ascending by bytes. */
  ends: ['Uint32Array', 'absent'],
  /** UTF-8; or, when `width` is in the file's facts, entries of that many bytes (see dictionary.ts). */
  bytes: ['Uint8Array', 'absent'],
  /** One bit per byte of `bytes`, lowest first: set where documents have an upper-case letter. */
  upper: ['Uint8Array', 'absent'],
  /** One bit per element, lowest first: set where it has null. Left out when nobody has, or all without a value. */
  nulls: ['Int32Array', 'absent'],
} as const satisfies ArraySchema

export type ColumnArrays = ArraysOf<typeof COLUMN_ARRAYS>

/** Of a column that is no identity. */
export const CODED_COLUMN_ARRAYS = {
  ...COLUMN_ARRAYS,
  codes: ['Uint8Array', 'Uint16Array', 'Uint32Array'],
} as const satisfies ArraySchema

export type Codes = ArraysOf<typeof CODED_COLUMN_ARRAYS>['codes']

/** Which elements have each value of a column that has one value per element at most. */
export const BITMAP_ARRAYS = {
  /**
   * distinct + 1 sets of equal length, by code: one bit per element, lowest first, those beyond the
   * last element 0. At 0 are the elements without a value.
   */
  words: ['Int32Array'],
} as const satisfies ArraySchema

export type BitmapArrays = ArraysOf<typeof BITMAP_ARRAYS>

export const LINK_ARRAYS = {
  /** Per element of the link's level: row of the other record + 1; 0 when there is none. */
  targets: ['Uint32Array'],
  /** other rows + 1 numbers. */
  reverseOffsets: ['Uint32Array'],
  /** Elements (of the link's level) that name other row r: reverseOffsets[r] … ; ascending. */
  reverseElements: ['Uint32Array'],
} as const satisfies ArraySchema

export type LinkArrays = ArraysOf<typeof LINK_ARRAYS>

/**
 * Where the lines of a history file lie, and which of them speak of an id: 28 bytes per line. Ids
 * themselves are not kept, since a line that is found is read anyway and has its own.
 */
export const STEP_ARRAYS = {
  /** lines + 1 numbers: line l is the bytes starts[l] … starts[l + 1] - 1, its line break included. */
  starts: ['Float64Array'],
  /** CRC32 of each line without its line break. */
  checksums: ['Uint32Array'],
  /** Hashes of the replaced files' ids, ascending, and the line of each. */
  idHashes: ['Uint32Array'],
  idLines: ['Uint32Array'],
  /** The same of their successors' ids; lines that name none are left out. */
  nextHashes: ['Uint32Array'],
  nextLines: ['Uint32Array'],
} as const satisfies ArraySchema

export type StepArrays = ArraysOf<typeof STEP_ARRAYS>

export const columnKey = (dataset: DatasetName, path: string) => `columns/${dataset}/${path}`
export const bitmapsKey = (dataset: DatasetName, path: string) => `bitmaps/${dataset}/${path}`
export const levelKey = (dataset: TableName, path: string) => `levels/${dataset}/${path}`
export const linkKey = (dataset: TableName, at: string) => `links/${dataset}/${at}`
/** Rows of a version of a stored set (sets/); no file of the release, which has them made. */
export const setKey = (dataset: DatasetName, id: string, version: number) =>
  `${SETS_PREFIX}${dataset}/${id}/${version}`
const SETS_PREFIX = 'sets/'
export const isSetKey = (key: string): boolean => key.startsWith(SETS_PREFIX)
/** What a key of setKey was made of. */
export function partsOfSetKey(key: string) {
  const [, dataset, id = '', version] = key.split('/')
  return { dataset: dataset as DatasetName, id, version: Number(version) }
}
/** Files that were replaced; the import writes them. */
export const VERSIONS_NAME = 'versions.ndjson'
export const VERSIONS_KEY = 'versions'

/** Expression of cases; an import writes it. */
export const EXPRESSION_NAME = 'expression.arrow'

/** Array files that only we read (array-file.ts), and those that any reader of Arrow does (arrow-form.ts). */
export const ARRAYS_ENDING = '.arrays'
export const ARROW_ENDING = '.arrow'

export const documentsKey = (dataset: DatasetName) => `documents/${dataset}`
