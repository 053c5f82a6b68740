import { Command, Option } from 'commander'
import {
  formatExpressionReport,
  importExpression,
  type Scale,
  SOURCE_SCALES,
  SOURCE_UNITS,
  type Unit,
} from '../../engine/commons/index.ts'
import { dataFolder } from '../data-folder.ts'
import { limitHeaps } from '../heaps.ts'
import { type ReleaseOptions, withReleaseOptions } from '../import-release.ts'
import { writeReport } from '../report-options.ts'
import { makeShared } from '../shared-releases.ts'
import { drawSteps } from '../steps.ts'
import { readStoredSettings } from '../stored-settings.ts'
import type { Terminal } from '../terminal.ts'
import { withThreads } from '../threads.ts'

interface ExpressionOptions extends Omit<ReleaseOptions, 'as' | 'only'> {
  readonly controlled?: true
  readonly unit?: Unit
  readonly scale?: Scale
}

/** Command `casemill import expression SOURCE…`. */
export function importExpressionCommand(terminal: Terminal): Command {
  const command = new Command('expression')
    .description('make the next release with gene expression values')
    .argument('<source...>', 'quantification files or matrices of genes by samples, or folders')
    .addOption(
      new Option(
        '--unit <unit>',
        'unit of the values, if the file name does not tell; only uqfpkm can be imported, the others are refused',
      ).choices(SOURCE_UNITS),
    )
    .addOption(
      new Option(
        '--scale <scale>',
        'scale of the values: as measured, or log2(x + 1); by default linear, but required if the file name suggests logarithms',
      ).choices(SOURCE_SCALES),
    )
    .option('--controlled', 'make all values controlled, including those of open files')
  return withReleaseOptions(command).action(
    async (sources: string[], options: ExpressionOptions) => {
      limitHeaps()
      const bars = drawSteps(terminal)
      const report = await makeShared(terminal, command, options, (making) =>
        withThreads((executor) =>
          importExpression({
            ...options,
            ...making,
            sources,
            executor,
            dataFolder: dataFolder(command),
            reserveBytes: readStoredSettings().reserveBytes,
            signal: terminal.signal,
            onProgress: bars.show,
          }),
        ),
      ).finally(() => bars.stop())
      await writeReport(terminal, options, report, formatExpressionReport)
    },
  )
}
