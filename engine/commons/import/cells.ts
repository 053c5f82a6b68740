import { dateTimeIn } from '../../shared/input/day.ts'
import { decimalIn, wholeDigits } from '../../shared/input/decimal.ts'
import { NOTHING } from '../../shared/input/nothing.ts'
import {
  codingChange,
  decoded,
  isCodingChange,
  isLongChange,
  isShortChange,
  longChange,
  shortChange,
} from './hgvs.ts'
import { TERMS } from './terms.ts'
import { uuidIn } from './uuid-cell.ts'
import { classificationIn } from './variant-classes.ts'

const VITAL_STATUS = TERMS.vital_status

/** Types of the values of cells, by kind of column. */
export interface CellValues {
  readonly text: string
  /** Name of a patient, specimen, gene or file. */
  readonly name: string
  /** Symbol of a gene. It is read like a name, but dates and numbers are counted as doubtful. */
  readonly symbol: string
  /** A code of two characters, such as `01` or `CS`. */
  readonly code: string
  readonly whole: number
  /** A whole number from 0 on. */
  readonly count: number
  /** An MD5 in lower case. */
  readonly md5: string
  readonly number: number
  readonly truth: boolean
  /** Variant classification of a MAF. */
  readonly classification: string
  /** A date, possibly with a time, such as `2019-05-01T00:00:00`. */
  readonly date: string
  /** A UUID. A row with any other text is rejected. */
  readonly id: string
  /** Chromosome without `chr`, such as `7`, `X` or `M`. */
  readonly chromosome: string
  /** Ensembl gene id, without its version except for the copy on Y. */
  readonly gene: string
  readonly strand: 1 | -1
  /** A protein change with one-letter codes of amino acids, such as `p.R175H`. */
  readonly protein: string
  /** A protein change with three-letter codes of amino acids, such as `p.Arg175His`. */
  readonly hgvsp: string
  /** A change of coding DNA, such as `c.524G>A`. */
  readonly hgvsc: string
  /** Vital status: `Alive`, `Dead`, `Unknown` or `Not Reported`, or the code `0` or `1`. */
  readonly vital: string
}

export type CellType = keyof CellValues

/** Words for a missing number, in lower case. */
const NO_NUMBER: ReadonlySet<string> = new Set([
  'nan',
  'none',
  'null',
  'nil',
  'n/a',
  'na',
  '<na>',
  '.',
  '#n/a',
  '--',
  ...['-nan', '1.#ind', '-1.#ind', '1.#qnan', '-1.#qnan', '#n/a n/a', 'nat', '<null>', '(null)'],
  ...['\\n', 'n.a.', 'na_integer_', 'na_real_'],
])

/** Returns whether a text means a missing number. */
export const isNoNumber = (text: string): boolean =>
  NOTHING.has(text) || NO_NUMBER.has(text.toLowerCase())

/** Result of reading a cell that means a missing value. */
export const EMPTY = Symbol('empty')

/**
 * Functions that parse a cell, keyed by type. A function returns the value, `EMPTY`, or undefined if it cannot
 * interpret the text.
 */
export const CELL_READERS: {
  readonly [T in CellType]: (
    text: string,
    column: string,
  ) => CellValues[T] | typeof EMPTY | undefined
} = {
  text: (text) => text,
  name: nameOfOneLine,
  symbol: nameOfOneLine,
  code: twoDigits,
  whole(text) {
    const value = numberIn(text)
    return typeof value !== 'number' || Number.isSafeInteger(value) ? value : undefined
  },
  count(text) {
    const value = CELL_READERS.whole(text, '')
    return typeof value === 'number' && value < 0 ? undefined : value
  },
  md5: md5In,
  number: numberIn,
  truth: truthIn,
  classification: classificationIn,
  date: dateIn,
  id: uuidIn,
  chromosome: chromosomeIn,
  gene: geneIdIn,
  strand: strandIn,
  protein: shortChange,
  hgvsp: longChange,
  hgvsc: decoded,
  vital: vitalIn,
}

/** Phrase of the report for a name that is written differently. */
export const NAME_CHANGE = 'written without an apostrophe before it, or as TCGA writes barcodes'

/** Phrases of the report for cells whose value is written differently, keyed by type. */
export const CHANGES: Readonly<Record<CellType, string>> = {
  text: '',
  name: NAME_CHANGE,
  symbol: NAME_CHANGE,
  code: 'written with two digits',
  whole: 'written as a whole number',
  count: 'written as a whole number',
  md5: 'written in lower case',
  number: 'written as a plain number',
  truth: 'written as true or false',
  classification: 'written as in the MAF format',
  date: 'written with a T before the time',
  id: 'written in lower case',
  chromosome: 'written as the chromosome is called here',
  gene: 'written without the version, or in upper case',
  strand: 'written as 1 or -1',
  protein: 'written with one letter for each amino acid, such as p.R175H',
  hgvsp: 'written with three letters for each amino acid, such as p.Arg175His',
  hgvsc: 'written with > and =',
  vital: 'written as Alive or Dead',
}

const NO_HGVS = 'kept, although no change as HGVS writes it'
const WITH_SEQUENCE = 'with a transcript before it, which is left out if the row names it'

/** Functions that return a phrase of the report about a value that is taken, keyed by type. */
export const DOUBTS: Readonly<Partial<Record<CellType, (value: string) => string | undefined>>> = {
  protein: (value) => (isShortChange(value) ? undefined : NO_HGVS),
  hgvsp: (value) => (isLongChange(value) ? undefined : NO_HGVS),
  hgvsc(value) {
    const { sequence, change } = codingChange(value)
    if (!isCodingChange(change)) return NO_HGVS
    return sequence === undefined ? undefined : WITH_SEQUENCE
  },
}

/** Restores the leading zero of a code that a program has taken for a number. */
export function twoDigits(text: string): string {
  const digits = wholeDigits(text)
  return digits !== undefined && /^\d{1,2}$/.test(digits) ? digits.padStart(2, '0') : text
}

/** Parses an MD5. Spreadsheets convert an MD5 that has only digits and an E to a number such as `1.23E+31`. */
function md5In(text: string): string | undefined {
  return /^[0-9a-f]{32}$/i.test(text) ? text.toLowerCase() : undefined
}

/** Matches a text with a single apostrophe, which is before the text. Spreadsheets mark texts in this way. */
const MARKED = /^'[^'\s][^']*$/
// Matches a TCGA barcode. A single character at its end is not part of it: R appends numbers to repeated names,
// as in `TCGA.AB.1234.1`.
const BARCODE = /^tcga([-._])[a-z0-9]{2}\1[a-z0-9]{4}(\1[a-z0-9]{2,})*$/i

/**
 * Returns a name without surrounding blanks and without the apostrophe with which spreadsheets mark texts. TCGA
 * barcodes get upper case, and hyphens in place of the dots that R writes.
 * @example nameIn('tcga.ab.1234.01a') // 'TCGA-AB-1234-01A'
 */
export function nameIn(text: string): string {
  const trimmed = text.trim()
  const name = MARKED.test(trimmed) ? trimmed.slice(1) : trimmed
  return BARCODE.test(name) ? name.toUpperCase().replace(/[._]/g, '-') : name
}

/** Matches the letters and digits of a name. Marks alone, such as `-` and `?`, are what forms offer for no name. */
const LETTER = /[\p{L}\p{N}]/u

function nameOfOneLine(text: string): string | undefined {
  const name = nameIn(text)
  return isOfOneLine(name) && LETTER.test(name) ? name : undefined
}

/** Returns whether a name has no line break or tab, which a quoted cell may have. */
export const isOfOneLine = (name: string): boolean => !/[\t\n\r]/.test(name)

const PLAIN = /^-?\d{1,15}$/

function numberIn(text: string): number | typeof EMPTY | undefined {
  if (PLAIN.test(text)) return Number(text)
  return decimalIn(text) ?? (NO_NUMBER.has(text.toLowerCase()) ? EMPTY : undefined)
}

const TRUE = /^(true|t|yes|y|1(\.0+)?)$/i
const FALSE = /^(false|f|no|n|0(\.0+)?)$/i

function truthIn(text: string): boolean | typeof EMPTY | undefined {
  if (TRUE.test(text)) return true
  if (FALSE.test(text)) return false
  return NO_NUMBER.has(text.toLowerCase()) ? EMPTY : undefined
}

/** Parses a date. Ambiguous formats are rejected: 05/01/2019 may be in May or January. */
function dateIn(text: string): string | typeof EMPTY | undefined {
  return dateTimeIn(text) ?? (NO_NUMBER.has(text.toLowerCase()) ? EMPTY : undefined)
}

function strandIn(text: string): 1 | -1 | typeof EMPTY | undefined {
  // The import of a gene table reads strands in the same way (catalogue/gene-table.ts).
  if (text === '.' || text === '0') return EMPTY
  if (/^(\+|\+?1(\.0+)?)$/.test(text)) return 1
  return /^-(1(\.0+)?)?$/.test(text) ? -1 : undefined
}

/** Parses a vital status. Study tables also have the codes 0 and 1 (vital-codes.ts). */
function vitalIn(text: string): string | typeof EMPTY | undefined {
  const known = VITAL_STATUS.find(text)
  if (known !== undefined) return known
  const value = numberIn(text)
  if (value === 0 || value === 1) return String(value)
  return value === EMPTY ? EMPTY : undefined
}

/** Other names of chromosomes: numbers, which programs that do not support letters write, and MT. */
const CHROMOSOMES: Readonly<Record<string, string>> = { '23': 'X', '24': 'Y', '25': 'M', MT: 'M' }
/** Number of the last chromosome, if X, Y and M have numbers, too. */
const MAX_NUMBER = 25
/** Matches names of reference sequences, such as `HLA-A*01:01` or `GL000220.1`. */
const NAME = /^[A-Za-z0-9][\w.:*#-]{0,63}$/
/** Matches texts that are not a whole chromosome: a band, an arm, a position, a part, or several chromosomes. */
const NO_WHOLE = /^(?:(?:\d{1,2}|[xym])(?:[pq][\d.]*|[:-]\d.*)|xy|par\d?|\d+-\d+|.*chromosome)$/i
/** Matches words that programs and people write in place of a chromosome. */
const NO_CHROMOSOME = /^(?:true|false|unknown|unspecified|unplaced|multiple|various|all|other)$/i
/** Matches a chromosome with more behind it, such as `17L` and `17_x`, unless it is a sequence of an assembly. */
const WITH_MORE =
  /^(?:\d{1,2}|[xy])(?:[a-z.+;]|_(?!.*(?:random|alt|fix|decoy|hap\d|ctg|[a-z]{2}\d{5}))).*$/i
/** Matches a chromosome behind a prefix of a program, such as `hs17`, which is not certain to be one. */
const WITH_PREFIX = /^(?:hsa?|ch|chrom|human)[_ -]?(?:\d{1,2}|[xym])$/i
/** Matches RefSeq's names of human chromosomes. */
const REFSEQ = /^NC_(?:0000(\d\d)|(012920))(?:\.\d+)?$/i
/** Matches the numbers that GenBank gives to the human chromosomes, from CM000663 for 1 to CM000686 for Y. */
const GENBANK = /^CM000(6[67]\d|68[0-6])\.\d+$/i
const FIRST_GENBANK = 663

function chromosomeIn(text: string): string | undefined {
  const given = text.replace(/^chr(omosome)?[ _]?/i, '')
  if (!NAME.test(given) || NO_WHOLE.test(given) || NO_CHROMOSOME.test(given)) return undefined
  const [, number, mitochondrion] = REFSEQ.exec(given) ?? []
  const name = mitochondrion === undefined ? (number ?? genBankNumber(given) ?? given) : 'M'
  const value = numberIn(name)
  const isNumber = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
  if (!isNumber && (WITH_MORE.test(name) || WITH_PREFIX.test(name))) return undefined
  const letter = /^(x|y|mt?)$/i.test(name) ? name.toUpperCase() : name
  if (isNumber && (value < 1 || value > MAX_NUMBER)) return undefined
  const short = isNumber ? String(value) : letter
  return CHROMOSOMES[short] ?? short
}

function genBankNumber(text: string): string | undefined {
  const number = Number(GENBANK.exec(text)?.[1] ?? 0) - FIRST_GENBANK + 1
  return number > 0 ? String(number) : undefined
}

/** Returns the id in a cell, alone or beside a symbol, as in `TP53|ENSG00000141510.5`. */
export function geneIdIn(text: string): string | undefined {
  const found = /(?:^|\|)(ENSG\d+)(\.\d+)?(_PAR_Y)?(?:\||$)/i.exec(text)
  if (!found) return undefined
  const [, id = '', version = '', copy] = found
  return (copy === undefined ? id : `${id}${version}${copy}`).toUpperCase()
}
