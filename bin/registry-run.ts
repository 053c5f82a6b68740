import { type Command, Option } from 'commander'
import {
  ALL_FILE_RECODES,
  AUTO,
  type Counted,
  chooseAlgorithms,
  DEFAULT_RECODES,
  FILE_RECODES,
  type FileSummary,
  readAlgorithmTable,
  type Staging,
} from '../engine/registry/index.ts'
import { printCounts } from './registry-file.ts'
import { OPERATOR, requestedVersion, type VersionOptions } from './staging-version.ts'
import { readStoredSettings } from './stored-settings.ts'
import type { Terminal } from './terminal.ts'

// What `casemill registry` and its shards share.

/** The options that say how registry files are processed. */
export interface RunOptions<Format extends string> extends VersionOptions {
  readonly dictionary?: readonly string[]
  readonly recode: readonly string[]
  readonly endYear?: string
  readonly items?: readonly string[]
  readonly format: Format
  readonly strict?: true
  readonly algorithmTable?: string
}

const NO_RECODES = 'none'

/** Returns the names of the recodes that are asked for. */
export const recodesOf = ({ recode }: Pick<RunOptions<string>, 'recode'>): readonly string[] =>
  recode.filter((name) => name !== NO_RECODES)

/** Adds the options that say how registry files are processed. */
export function addRunOptions(command: Command, formats: readonly string[]): Command {
  const rows = formats.includes('parquet') ? 'tsv and parquet' : 'tsv'
  const format = new Option(
    '--format <name>',
    `ndjson: an object for each patient; ${rows}: a row for each tumor; xml: the input file as XML, with the results as items`,
  )
  return command
    .option(
      '--dictionary <file...>',
      'dictionaries of the file (XML, plain or gzip), instead of the imported ones',
    )
    .option(
      '--algorithm <names>',
      `staging algorithm from casemill staging list, several separated by commas, or ${AUTO} for all; with more than one, the algorithm table selects those of each tumor by year, site and age; by default ${AUTO}, or the only one that is loaded`,
    )
    .option(
      '--version <name>',
      'version, for a single algorithm; latest is the newest production version',
    )
    .option(
      '--algorithm-table <file>',
      'tab-separated table of the algorithms that apply to a tumor; by default CASEMILL_ALGORITHM_TABLE, or the table in the guide to staging registry files',
    )
    .option(
      '--recode <name...>',
      `recodes of tumors and patients, such as seer or seer:2023: ${FILE_RECODES.join(', ')}; ${ALL_FILE_RECODES}, or ${NO_RECODES}`,
      [...DEFAULT_RECODES],
    )
    .option(
      '--end-year <year>',
      'last year of the study, required for survival-time; patients with a later contact count as alive',
    )
    .option(
      '--items <id...>',
      'items of the file to repeat with each tumor, by their XML ids, such as primarySite; in xml, all are there',
    )
    .addOption(format.choices(formats).default('ndjson'))
    .option(
      '--strict',
      'refuse a file with a misplaced, repeated or malformed item, and write nothing after a failure',
    )
}

/** Returns the requested version with its rules in the table, or the versions that the table chooses. */
export async function requestedAlgorithms(
  staging: Staging,
  options: RunOptions<string>,
  command: Command,
) {
  const path = options.algorithmTable ?? readStoredSettings().algorithmTable
  const rules = await readAlgorithmTable(path)
  const { algorithm, version } = options
  const chosen = await chooseAlgorithms(staging, OPERATOR, { rules, algorithm })
  if (chosen && version !== undefined) {
    return command.error(
      '--version is for a single algorithm; the algorithm table has the versions of several',
    )
  }
  if (chosen) return chosen
  const named = await requestedVersion(staging, options, command)
  const own = rules.filter((rule) => rule.algorithm === algorithm)
  return { algorithm: algorithm as string, version: named, rules: own }
}

/** Descriptions of the kinds of counts. */
export const KINDS_OF_COUNTS: Readonly<Record<string, string>> = {
  refused: 'patients not answered',
  result: 'tumors not staged',
  staging: 'errors of staging',
  left_out: 'results not written',
  removed: 'values removed, for which there is no result',
  fault: 'faults of items',
  not_bridged: 'values of items of another version, whose codes are others: not read',
  bridged: 'values read from the item of another version, whose codes are equal',
}

/** Returns the name of the sum of staged tumors that a count belongs to. */
export const stagedBy = ({ kind, code, of = '' }: Counted): string | undefined =>
  kind === 'result' && code === 'STAGED' ? `tumors staged${of && ` by ${of}`}` : undefined

/** Prints what failed and why. Prints nothing if nothing failed. */
export function explain(
  { patients, tumors, counts }: FileSummary,
  file: string | undefined,
  terminal: Terminal,
): void {
  const failed = counts.filter(({ kind, code }) => kind !== 'result' || code !== 'STAGED')
  if (failed.length === 0) return
  const of = file === undefined ? '' : `${file}: `
  terminal.explain(`casemill: ${of}${patients} patients with ${tumors} tumors`)
  printCounts(failed, KINDS_OF_COUNTS, terminal)
}
