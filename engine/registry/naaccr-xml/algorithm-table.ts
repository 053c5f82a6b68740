import { basename } from 'node:path'
import { EngineError } from '../../shared/errors.ts'
import { readTextFile } from '../../shared/input/text-file.ts'
import { errorIn } from '../error-in.ts'
import { shown } from './xml.ts'

/** A row of the table, which assigns an algorithm to tumors. */
export interface AlgorithmRule {
  readonly algorithm: string
  /** A version name or `latest`. */
  readonly version: string
  /** Inclusive ranges of the year of diagnosis and of the age in years. */
  readonly years: readonly [first: number, last: number] | undefined
  readonly ages: readonly [first: number, last: number] | undefined
  /** Inclusive ranges of ICD-O-3 sites, such as C000 to C809; undefined for all sites. */
  readonly sites: readonly (readonly [first: string, last: string])[] | undefined
  /** If there are any, the rule applies only if another schema of the algorithm takes the tumor by itself. */
  readonly exceptSchemas: readonly string[]
}

type Range = readonly [first: number, last: number]

const COLUMNS = ['algorithm', 'version', 'years', 'ages', 'sites', 'except_schemas'] as const

/**
 * The staging systems of registries in the United States: Collaborative Stage until 2015, TNM for two years,
 * and Extent of Disease since 2018. The pediatric system applies in addition; its own tables select ages and
 * sites.
 */
export const DEFAULT_ALGORITHM_TABLE = `${COLUMNS.join('\t')}
cs\tlatest\t2004-2015\t\t\t
tnm\tlatest\t2016-2017\t\t\t
eod_public\tlatest\t2018-\t\t\t
pediatric\tlatest\t2018-\t\t\tadult_other_non_pediatric
`

const MAX_BYTES = 1 << 20

/**
 * Reads the rules of a file. Defaults to DEFAULT_ALGORITHM_TABLE.
 * @throws EngineError as readTextFile does; `bad_input`, naming file and line
 */
export async function readAlgorithmTable(
  path: string | undefined,
): Promise<readonly AlgorithmRule[]> {
  if (path === undefined) return parseAlgorithmTable(DEFAULT_ALGORITHM_TABLE)
  const text = await readTextFile(path, { maxBytes: MAX_BYTES })
  try {
    return parseAlgorithmTable(text)
  } catch (error) {
    throw errorIn(basename(path), error, ': ')
  }
}

/**
 * Parses the rules of a tab-separated table. If several rules match a tumor, the first one gives its main
 * result.
 * @throws EngineError `bad_input`, naming the line
 */
export function parseAlgorithmTable(text: string): readonly AlgorithmRule[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const header = (lines[0] ?? '').split('\t')
  if (header.join('\t') !== COLUMNS.join('\t')) {
    throw wrong(
      1,
      `the columns are ${shown(header.join(', '))}; give ${COLUMNS.join(', ')}, with tabs`,
    )
  }
  const rules = lines.flatMap((line, i) =>
    i === 0 || line.trim() === '' ? [] : [parseRule(line.split('\t'), i + 1)],
  )
  if (rules.length === 0) throw wrong(2, 'the table has no rows; give one for each algorithm')
  return rules
}

function parseRule(cells: readonly string[], line: number): AlgorithmRule {
  if (cells.length > COLUMNS.length) {
    throw wrong(line, `it has ${cells.length} cells; give ${COLUMNS.length}`)
  }
  const [algorithm = '', version = '', years = '', ages = '', sites = '', except = ''] = cells.map(
    (cell) => cell.trim(),
  )
  if (!/^[\w.-]{1,128}$/.test(algorithm)) {
    throw wrong(line, `algorithm is ${shown(algorithm)}; give its name, as staging list shows`)
  }
  return {
    algorithm,
    version: version || 'latest',
    years: parseRange(years, { line, name: 'years', digits: 4 }),
    ages: parseRange(ages, { line, name: 'ages', digits: 3 }),
    sites: sites === '' ? undefined : sites.split(/\s*,\s*/).map((cell) => parseSites(cell, line)),
    exceptSchemas: except === '' ? [] : except.split(/\s*,\s*/),
  }
}

interface RangePlace {
  readonly line: number
  readonly name: string
  readonly digits: number
}

function parseRange(cell: string, { line, name, digits }: RangePlace): Range | undefined {
  if (cell === '') return undefined
  const [, first = '', dash, last = ''] = /^(\d*)(-?)(\d*)$/.exec(cell) ?? []
  const [low, high] = [first === '' ? 0 : Number(first), last === '' ? Infinity : Number(last)]
  const isWhole = [first, last].every((part) => part.length <= digits) && first + last !== ''
  const range: Range = [low, dash === '' ? low : high]
  if (dash === undefined || !isWhole || range[0] > range[1]) {
    throw wrong(line, `${name} are ${shown(cell)}; give a range such as 4-15, 4- or -15`)
  }
  return range
}

function parseSites(cell: string, line: number): readonly [string, string] {
  const [, first, last = first] = /^(C\d{3})(?:-(C\d{3}))?$/.exec(cell) ?? []
  if (first === undefined || last === undefined || first > last) {
    throw wrong(line, `sites are ${shown(cell)}; give codes or ranges such as C000-C809`)
  }
  return [first, last]
}

function wrong(line: number, message: string): EngineError {
  const at = `line ${line}`
  return new EngineError('bad_input', `${at}: ${message}`, { at })
}

/** The tumor data that select an algorithm; unknown values are absent. */
export interface ChosenBy {
  readonly dateOfDiagnosis?: string
  readonly ageAtDiagnosis?: string
  readonly primarySite?: string
}

/** Codes for unknown values. */
const UNKNOWN_YEAR = 9999
const UNKNOWN_AGE = 999

/** Returns whether a rule matches a tumor. A rule that needs a missing item does not match. */
export function fits({ years, ages, sites }: AlgorithmRule, tumor: ChosenBy): boolean {
  const { dateOfDiagnosis = '', ageAtDiagnosis = '', primarySite = '' } = tumor
  return (
    isWithin(years, dateOfDiagnosis.slice(0, 4), UNKNOWN_YEAR) &&
    isWithin(ages, ageAtDiagnosis, UNKNOWN_AGE) &&
    (sites === undefined ||
      sites.some(
        ([first, last]) => isSite(primarySite) && first <= primarySite && primarySite <= last,
      ))
  )
}

const isSite = (site: string) => /^C\d{3}$/.test(site)

function isWithin(range: Range | undefined, text: string, unknown: number): boolean {
  if (!range) return true
  const value = /^\d+$/.test(text) ? Number(text) : unknown
  return value !== unknown && range[0] <= value && value <= range[1]
}
