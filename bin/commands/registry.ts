import { availableParallelism, tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { Command, Option } from 'commander'
import {
  ALL_FILE_RECODES,
  AUTO,
  type Counted,
  chooseAlgorithms,
  DEFAULT_RECODES,
  FILE_RECODES,
  type FileSummary,
  LineBatches,
  MultiplePrimaries,
  Naaccr,
  RESULT_FORMATS,
  RegistryFiles,
  type ResultFormat,
  readAlgorithmTable,
  Staging,
} from '../../engine/registry/index.ts'
import { tumorsParquet } from '../../engine/registry/internal.ts'
import { withSharedState } from '../data-folder.ts'
import { FileTotals } from '../file-totals.ts'
import { keepYoungSmall, limitHeaps } from '../heaps.ts'
import { lineFileName, openLines } from '../line-file.ts'
import { deliverResults, dictionaryFinder, printCounts, processFiles } from '../registry-file.ts'
import { OPERATOR, requestedVersion, type VersionOptions } from '../staging-version.ts'
import { readStoredSettings } from '../stored-settings.ts'
import type { Terminal } from '../terminal.ts'
import { withThreads } from '../threads.ts'

interface Options extends VersionOptions {
  readonly dictionary?: readonly string[]
  readonly recode: readonly string[]
  readonly endYear?: string
  readonly format: ResultFormat | typeof PARQUET
  readonly output?: string
  readonly strict?: true
  readonly algorithmTable?: string
}

const NO_RECODES = 'none'
const PARQUET = 'parquet'

/** Command `casemill registry cases.xml --dictionary D --algorithm A --version V`. */
export function registryCommand(terminal: Terminal): Command {
  const formats = new Option(
    '--format <name>',
    'ndjson: an object for each patient; tsv and parquet: a row for each tumor; xml: the input file as XML, with the results as items',
  )
  return new Command('registry')
    .description(
      'stage and recode the tumors of a NAACCR file, compare them by patient; exit status 1 if a patient is not accepted',
    )
    .argument(
      '<file...>',
      'NAACCR XML, or fixed columns of version 18, plain or gzip; - for standard input',
    )
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
    .addOption(formats.choices([...RESULT_FORMATS, PARQUET]).default('ndjson'))
    .option(
      '--strict',
      'refuse a file with a misplaced, repeated or malformed item, and write nothing after a failure',
    )
    .option(
      '-o, --output <path>',
      'output file; a folder for several files; by default standard output',
    )
    .action((paths: readonly string[], options: Options, command: Command) => {
      limitHeaps()
      keepYoungSmall()
      const { output, recode, endYear, format, strict } = options
      const recodes = recode.filter((name) => name !== NO_RECODES)
      return withSharedState(command, { create: false }, (state) =>
        withThreads(async (executor) => {
          const batches = new LineBatches(executor)
          const staging = new Staging({ state, batches, clock: () => new Date() })
          const version = await requestedAlgorithms(staging, options, command)
          const naaccr = new Naaccr({ state })
          const findDictionary = await dictionaryFinder(options.dictionary, naaccr, terminal.signal)
          const multiplePrimaries = new MultiplePrimaries({ state, batches })
          const files = new RegistryFiles({ batches, multiplePrimaries })
          const { signal } = terminal
          const totals = new FileTotals(KINDS, stagedBy)
          await processFiles(paths, { output, extension: format }, terminal, async (one) => {
            const file = lineFileName(one.path)
            const staged = await files.stage(await openLines(one.path), {
              version,
              recodes,
              endYear,
              format: format === PARQUET ? 'tsv' : format,
              findDictionary,
              signal,
              file,
              strict,
            })
            // Temporary files are next to the output, where there should be space for them.
            const temporaryFolder = one.output === undefined ? tmpdir() : dirname(one.output)
            const run = { temporaryFolder, threads: availableParallelism(), signal }
            await deliverResults(staged, {
              file,
              output: one.output,
              terminal,
              explain: () => {
                totals.add(staged.summary())
                explain(staged.summary(), file, terminal)
              },
              ...(format === PARQUET && { through: (whole) => tumorsParquet(whole, run) }),
            })
          }).finally(() => {
            if (paths.length > 1) totals.explain(terminal)
          })
        }),
      )
    })
}

/** Returns the requested version with its rules in the table, or the versions that the table chooses. */
async function requestedAlgorithms(staging: Staging, options: Options, command: Command) {
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
const KINDS: Readonly<Record<string, string>> = {
  refused: 'patients not answered',
  result: 'tumors not staged',
  staging: 'errors of staging',
  left_out: 'results not written',
  removed: 'values removed, for which there is no result',
  fault: 'faults of items',
  not_bridged: 'values of items of another version, whose codes are others: not read',
  bridged: 'values read from the item of another version, whose codes are equal',
}

const stagedBy = ({ kind, code, of = '' }: Counted): string | undefined =>
  kind === 'result' && code === 'STAGED' ? `tumors staged${of && ` by ${of}`}` : undefined

/** Prints what failed and why. Prints nothing if nothing failed. */
function explain(
  { patients, tumors, counts }: FileSummary,
  file: string | undefined,
  terminal: Terminal,
): void {
  const failed = counts.filter(({ kind, code }) => kind !== 'result' || code !== 'STAGED')
  if (failed.length === 0) return
  const of = file === undefined ? '' : `${file}: `
  terminal.explain(`casemill: ${of}${patients} patients with ${tumors} tumors`)
  printCounts(failed, KINDS, terminal)
}
