import type { ArraySchema, ArraysOf } from '../../shared/arrays/array-schema.ts'
import type { AssociationName, DatasetName, TableName } from '../datasets/define.ts'

/** Current format of releases. */
export const RELEASE_FORMAT = 3

/**
 * A release is an immutable folder:
 *
 *   manifest.json                       ReleaseManifest; written last
 *   documents/<dataset>.text            own documents in row order, one per line
 *   documents/<dataset>.arrays          where each one lies, and its checksum (documents.ts)
 *   levels/<dataset>/<path>.arrow       LevelArrays
 *   columns/<dataset>/<path>.arrow      ColumnArrays, Dictionary
 *   bitmaps/<dataset>/<path>.arrow      BitmapArrays of columns with few values
 *   indexes/<dataset>/<path>.arrow      IndexArrays of columns with many values
 *   links/<dataset>/<at>.arrow          LinkArrays
 *   levels/case_genes/…, links/case_genes/…, levels/gene_effects/…
 *                                       the associations (associations.ts)
 *   lines/files.text, lines/files.arrays  one download-manifest line per file
 *   versions.ndjson                     one line per file that was replaced or withdrawn
 *   versions.arrays                     index from the id of such a file to its lines (versions/step-index.ts)
 *   expression.arrow                    values of genes by case (expression/matrix-format.ts)
 *   import.json                         what the import keeps for the next import
 *   report.json, expression-report.json reports of the imports of its records and of its expression
 *
 * Row numbers count the records of a dataset in ascending order of their ids (by UTF-8 bytes). A record's own
 * document has its members except those that belong to another dataset (mounts, see datasets/define.ts). Each
 * array of objects in it, such as `diagnoses` or `diagnoses.treatments`, is a level. The objects are the
 * level's elements, numbered from 0 through all records in document order.
 */
export interface ReleaseManifest {
  /**
   * Format version. In 1, the files in `levels`, `columns`, `bitmaps` and `links` are `.arrays`. Up to 2, columns
   * contain their IndexArrays.
   */
  readonly format: 1 | 2 | typeof RELEASE_FORMAT
  /** Name of the release's folder. */
  readonly id: string
  /** Name, such as `Data Release 1.0`. */
  readonly dataRelease: string
  readonly version: {
    readonly major: number
    readonly minor: number
    /** Date as YYYY-MM-DD. */
    readonly releaseDate: string
  }
  /** Releases before this one, so that their dates are still known once their folders are removed. */
  readonly earlierReleases?: readonly KnownRelease[]
  readonly createdAt: string
  readonly datasets: Readonly<Record<DatasetName, DatasetLayout>>
  /** Absent in releases that were built before associations were introduced. */
  readonly associations?: Readonly<Record<AssociationName, DatasetLayout>>
  /** All other files of the folder, keyed by relative path. */
  readonly files: Readonly<Record<string, { readonly bytes: number; readonly crc32: number }>>
}

/** A release as version records name it. */
export interface KnownRelease {
  /** Number, such as `32.0`. */
  readonly number: string
  /** Date as YYYY-MM-DD. */
  readonly date: string
}

export interface DatasetLayout {
  readonly rows: number
  /** Levels keyed by path, such as `diagnoses` or `diagnoses.treatments`. Empty levels are left out. */
  readonly levels: Readonly<Record<string, LevelLayout>>
  /** Columns keyed by field path. A field that no record has is left out. */
  readonly columns: Readonly<Record<string, ColumnLayout>>
  /** Links keyed by the mount's `at` path. */
  readonly links: Readonly<Record<string, LinkLayout>>
  /**
   * Printed form of each field and of each id in a link, keyed by path. Paths that no document has are left
   * out. Absent in releases built before it was recorded.
   */
  readonly printed?: Readonly<Record<string, PrintedLayout | typeof IN_DOCUMENTS>>
}

/** Marks a field whose column does not hold everything that documents do. */
export const IN_DOCUMENTS = 'documents'

/** Printed form of a field whose column holds everything, so that rows can be written from it (ADR 70). */
export interface PrintedLayout {
  /** Kind of value in JSON. With `integer`, all are safe integers. */
  readonly kind: 'text' | 'boolean' | 'integer' | 'number'
  /** Whether values are in arrays, which are never empty and in the order of the codes. */
  readonly list?: boolean
  /** Form of missing values: all null, or some null (see `nulls` of the column). Absent if they are left out. */
  readonly missing?: 'null' | 'some'
  /** Whether texts have upper-case letters that the column has folded. `upper` is present then. */
  readonly upper?: boolean
  /** Union of ESCAPED bits: kinds of bytes in the texts that need escaping. */
  readonly escaped?: number
}

/** Bits for bytes that need escaping in tables and JSON. */
export const ESCAPED = {
  /** Tab, CR, LF. */
  tsv: 1,
  /** Comma, quote, CR, LF. */
  csv: 2,
  /** Quote, backslash, control characters. */
  json: 4,
} as const

export interface LevelLayout {
  /** Level of the parents. Empty for the record. */
  readonly parent: string
  readonly elements: number
  /** Whether every parent has exactly one element, so that element numbers equal parent numbers. */
  readonly oneToOne: boolean
  /** Number of parents that have no element or several. The array `irregular` is present then. */
  readonly irregular?: number
}

export interface ColumnLayout {
  /** Nearest level above the field. Empty for the record. */
  readonly level: string
  readonly kind: 'text' | 'number'
  /** Number of entries in the dictionary. */
  readonly distinct: number
  /** Whether an element has several values. `offsets` is present then. */
  readonly multi: boolean
  /** Whether the column is the id: code = row + 1, and `codes` is left out. */
  readonly identity: boolean
  /** Whether `order` is present. */
  readonly ordered: boolean
  /** Whether the column has BitmapArrays. */
  readonly bitmapped?: boolean
  /** Whether the IndexArrays are in a file of their own, so that rows are written without reading them. */
  readonly indexed?: boolean
}

export interface LinkLayout {
  /** Level of the link. Empty for the record. */
  readonly level: string
  readonly dataset: TableName
  /** Number of elements that name a missing record. */
  readonly dangling: number
}

export const LEVEL_ARRAYS = {
  /** Start of each parent's elements and the end: parent p has elements offsets[p] … offsets[p + 1] - 1. */
  offsets: ['Uint32Array'],
  /** Parent of each element. */
  parents: ['Uint32Array'],
  /** Bitmap of parents, lowest bit first, that have no element or several. */
  irregular: ['Int32Array', 'absent'],
} as const satisfies ArraySchema

export type LevelArrays = ArraysOf<typeof LEVEL_ARRAYS>

/**
 * Column of one field. A code is the 1-based position of a value in the dictionary; 0 means absent or null.
 * Keyword and text values are folded to lower case before they get a code; documents have the original
 * spelling.
 */
export const COLUMN_ARRAYS = {
  /** Codes by element, or by value if there are `offsets`. Absent for the id. */
  codes: ['Uint8Array', 'Uint16Array', 'Uint32Array', 'absent'],
  /** Start of each element's values and the end: element e has codes[offsets[e]] …, ascending and distinct. */
  offsets: ['Uint32Array', 'absent'],
  /** Number of rows of each value, as in IndexArrays. Absent if the column is `indexed`, and for the id, whose values have one row each. */
  counts: ['Uint32Array', 'absent'],
  order: ['Uint32Array', 'absent'],
  /** Ascending values of a number column. */
  numbers: ['Float64Array', 'absent'],
  /** Start of the first text in `bytes` (0), followed by the end of each. Texts ascend by their bytes. */
  ends: ['Uint32Array', 'absent'],
  /** Texts in UTF-8 or, if the file's metadata has a `width`, entries of that many bytes (see dictionary.ts). */
  bytes: ['Uint8Array', 'absent'],
  /** Bitmap of the bytes of `bytes`, lowest bit first, that are upper-case letters in documents. */
  upper: ['Uint8Array', 'absent'],
  /**
   * Bitmap of elements, lowest bit first, that are null. Left out if no element is null, or if every element
   * without a value is null rather than absent.
   */
  nulls: ['Int32Array', 'absent'],
} as const satisfies ArraySchema

export type ColumnArrays = ArraysOf<typeof COLUMN_ARRAYS>

/** Arrays of a column other than the id. */
export const CODED_COLUMN_ARRAYS = {
  ...COLUMN_ARRAYS,
  codes: ['Uint8Array', 'Uint16Array', 'Uint32Array'],
} as const satisfies ArraySchema

export type Codes = ArraysOf<typeof CODED_COLUMN_ARRAYS>['codes']

/** Returns the schema of a column's file, with the arrays that it must have. */
export function columnSchema({ identity, indexed }: ColumnLayout): typeof COLUMN_ARRAYS {
  const { codes } = CODED_COLUMN_ARRAYS
  const { counts } = INDEX_ARRAYS
  const required: ArraySchema = identity
    ? { bytes: ['Uint8Array'] }
    : { codes, ...(indexed ? {} : { counts }) }
  return { ...COLUMN_ARRAYS, ...required } as typeof COLUMN_ARRAYS
}

/** Rows of each value of a column. */
export const INDEX_ARRAYS = {
  /**
   * Number of records (rows, each once) with each value. Entry 0 counts those with at least one element of
   * the level that lacks the field.
   */
  counts: ['Uint32Array'],
  /** Rows sorted by code, then row, with missing ones last. Only at record level for single values. */
  order: ['Uint32Array', 'absent'],
} as const satisfies ArraySchema

export type IndexArrays = ArraysOf<typeof INDEX_ARRAYS>

/** Elements with each value, for a column with at most one value per element. */
export const BITMAP_ARRAYS = {
  /**
   * One bitmap per code from 0 to distinct, all of equal length: one bit per element, lowest first, padded
   * with 0. Code 0 has the elements without a value.
   */
  words: ['Int32Array'],
} as const satisfies ArraySchema

export type BitmapArrays = ArraysOf<typeof BITMAP_ARRAYS>

export const LINK_ARRAYS = {
  /** For each element of the link's level, 1 + the row of the record that it names. 0 means none. */
  targets: ['Uint32Array'],
  /** For each row of the other dataset, the start of its elements in `reverseElements`, and finally the end. */
  reverseOffsets: ['Uint32Array'],
  /** Elements of the link's level that name row r: reverseElements[reverseOffsets[r]] …, ascending. */
  reverseElements: ['Uint32Array'],
} as const satisfies ArraySchema

export type LinkArrays = ArraysOf<typeof LINK_ARRAYS>

/**
 * Index of versions.ndjson: positions of its lines, and the lines for an id, at 28 bytes per line. A line is a
 * step: a file was replaced by its successor, or withdrawn. Only hashes of ids are stored, because a line that
 * is found is read anyway and has its ids.
 */
export const STEP_ARRAYS = {
  /** Start of each line and the end: line l is bytes starts[l] … starts[l + 1] - 1, including its line break. */
  starts: ['Float64Array'],
  /** CRC32 of each line without its line break. */
  checksums: ['Uint32Array'],
  /** Hashes of the replaced files' ids, ascending, with the line of each. */
  idHashes: ['Uint32Array'],
  idLines: ['Uint32Array'],
  /** Hashes of the successors' ids, ascending, with the line of each. Lines without a successor are left out. */
  nextHashes: ['Uint32Array'],
  nextLines: ['Uint32Array'],
} as const satisfies ArraySchema

export type StepArrays = ArraysOf<typeof STEP_ARRAYS>

export const columnKey = (dataset: DatasetName, path: string) => `columns/${dataset}/${path}`
export const bitmapsKey = (dataset: DatasetName, path: string) => `bitmaps/${dataset}/${path}`
export const indexKey = (dataset: DatasetName, path: string) => `indexes/${dataset}/${path}`
export const levelKey = (dataset: TableName, path: string) => `levels/${dataset}/${path}`
export const linkKey = (dataset: TableName, at: string) => `links/${dataset}/${at}`
/** Returns the key of a set version's rows (sets/). Computed on demand: no file of the release has them. */
export const setKey = (dataset: DatasetName, id: string, version: number) =>
  `${SETS_PREFIX}${dataset}/${id}/${version}`
const SETS_PREFIX = 'sets/'
export const isSetKey = (key: string): boolean => key.startsWith(SETS_PREFIX)
/** Returns the parts that a key of setKey was made from. */
export function partsOfSetKey(key: string) {
  const [, dataset, id = '', version] = key.split('/')
  return { dataset: dataset as DatasetName, id, version: Number(version) }
}
/** History of replaced files, written by the import. */
export const VERSIONS_NAME = 'versions.ndjson'
export const VERSIONS_KEY = 'versions'

/** Expression values of cases, written by an import. */
export const EXPRESSION_NAME = 'expression.arrow'

/** Endings of array files in casemill's own format (array-file.ts) and in Arrow's (arrow-form.ts). */
export const ARRAYS_ENDING = '.arrays'
export const ARROW_ENDING = '.arrow'

export const documentsKey = (dataset: DatasetName) => `documents/${dataset}`
