import { Command } from 'commander'
import { Staging } from '../../engine/registry/index.ts'
import { type StageLines, stageLinesJob } from '../../engine/registry/internal.ts'
import { withSharedState } from '../data-folder.ts'
import { openLines } from '../line-file.ts'
import {
  addVersionOptions,
  requestedVersion,
  type VersionOptions,
  withKeysChecked,
} from '../staging-version.ts'
import { lineKind } from './line-kind.ts'

interface Options extends VersionOptions {
  readonly explain?: true
  readonly hints?: true
  readonly naaccr?: true
}

/** Stages the case of each line like `casemill stage`. The plan contains the algorithm. */
export const STAGE = lineKind<StageLines>({
  job: stageLinesJob,
  command: () =>
    addVersionOptions(
      new Command('stage')
        .description(
          'divide the input of `casemill stage` into shards; the plan contains the algorithm',
        )
        .argument('<files...>', 'cases, one JSON object per line, plain or gzip'),
    )
      .option('--explain', 'show each table that was used and its matching row')
      .option(
        '--hints',
        'name the outputs that an error affects, and the inputs that decide between schemas',
      )
      .option('--naaccr', 'add NAACCR numbers, ids and names of inputs and outputs'),
  given: (inputs, command, terminal) =>
    withSharedState(command, { create: false }, async (state) => {
      const { explain = false, hints = false, naaccr = false, ...asked } = command.opts<Options>()
      const staging = new Staging({ state, clock: () => new Date() })
      const by = await requestedVersion(staging, asked, command)
      const warn = (sentence: string) => terminal.explain(`casemill: warning: ${sentence}`)
      for (const { path } of inputs) {
        for await (const _ of withKeysChecked(await openLines(path), by, warn)) break
      }
      const { version: text, year } = await by.stagedBy()
      return { parameters: { version: text.key, year, explain, hints, naaccr }, text: text.bytes }
    }),
  taken: ({ version, year, explain, hints, naaccr }, bytes = NOTHING) => ({
    version: { key: String(version), bytes },
    year: String(year),
    explain: explain === true,
    hints: hints === true,
    naaccr: naaccr === true,
  }),
})

/** An empty text, from which no version can be read. */
const NOTHING = new Uint8Array(new SharedArrayBuffer(0))
