import { availableParallelism, tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { Command } from 'commander'
import {
  LineBatches,
  MultiplePrimaries,
  Naaccr,
  RESULT_FORMATS,
  RegistryFiles,
  type ResultFormat,
  Staging,
} from '../../engine/registry/index.ts'
import { tumorsParquet } from '../../engine/registry/internal.ts'
import { withSharedState } from '../data-folder.ts'
import { FileTotals } from '../file-totals.ts'
import { keepYoungSmall, limitHeaps } from '../heaps.ts'
import { lineFileName, openLines } from '../line-file.ts'
import { deliverResults, dictionaryFinder, processFiles } from '../registry-file.ts'
import {
  addRunOptions,
  explain,
  KINDS_OF_COUNTS,
  type RunOptions,
  recodesOf,
  requestedAlgorithms,
  stagedBy,
} from '../registry-run.ts'
import type { Terminal } from '../terminal.ts'
import { withThreads } from '../threads.ts'

interface Options extends RunOptions<ResultFormat | typeof PARQUET> {
  readonly output?: string
}

const PARQUET = 'parquet'

/** Command `casemill registry cases.xml --dictionary D --algorithm A --version V`. */
export function registryCommand(terminal: Terminal): Command {
  const command = new Command('registry')
    .description(
      'stage and recode the tumors of a NAACCR file, compare them by patient; exit status 1 if a patient is not accepted',
    )
    .argument(
      '<file...>',
      'NAACCR XML, or fixed columns of version 18, plain or gzip; - for standard input',
    )
  return addRunOptions(command, [...RESULT_FORMATS, PARQUET])
    .option(
      '-o, --output <path>',
      'output file; a folder for several files; by default standard output',
    )
    .action((paths: readonly string[], options: Options, command: Command) => {
      limitHeaps()
      keepYoungSmall()
      const { output, endYear, items, format, strict } = options
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
          const totals = new FileTotals(KINDS_OF_COUNTS, stagedBy)
          await processFiles(paths, { output, extension: format }, terminal, async (one) => {
            const file = lineFileName(one.path)
            const staged = await files.stage(await openLines(one.path), {
              version,
              recodes: recodesOf(options),
              endYear,
              items,
              format: format === PARQUET ? 'tsv' : format,
              findDictionary,
              signal,
              file,
              strict,
            })
            // Temporary files are written beside the output, where there should be space for them.
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
