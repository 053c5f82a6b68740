import { Command, Option } from 'commander'
import { ALL_RECODES, Recodes } from '../../engine/registry/index.ts'
import { type RecodeLines, recodeLinesJob } from '../../engine/registry/internal.ts'
import { lineKind } from './line-kind.ts'

interface Options {
  readonly recode: string
  readonly version?: string
}

/** Recodes the case or patient of each line like `casemill recode`. */
export const RECODE = lineKind<RecodeLines>({
  job: recodeLinesJob,
  command: () =>
    new Command('recode')
      .description('divide the input of `casemill recode` into shards')
      .argument('<files...>', 'cases or patients, one JSON object per line, plain or gzip')
      .addOption(
        new Option('--recode <name>', 'recode')
          .choices(ALL_RECODES.map(({ id }) => id))
          .makeOptionMandatory(),
      )
      .option(
        '--version <name>',
        'edition of the recode; by default the first one in the reference of recodes',
      ),
  given: async (_, command) => {
    const parameters = new Recodes().recodedBy(command.opts<Options>())
    return { parameters: { ...parameters } }
  },
  taken: ({ recode, version, today }) => ({
    recode: String(recode),
    version: String(version),
    today: String(today),
  }),
})
