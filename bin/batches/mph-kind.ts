import { Command } from 'commander'
import { MultiplePrimaries } from '../../engine/registry/index.ts'
import { type CompareLines, compareLinesJob } from '../../engine/registry/internal.ts'
import { withSharedStateIfGiven } from '../data-folder.ts'
import { lineKind } from './line-kind.ts'

/** Compares the tumour pair of each line like `casemill mph`. The plan contains the imported tables. */
export const MPH = lineKind<CompareLines>({
  job: compareLinesJob,
  command: () =>
    new Command('mph')
      .description('divide the input of `casemill mph` into shards; the plan contains the tables')
      .argument('<files...>', 'pairs {"input1": {...}, "input2": {...}}, plain or gzip'),
  given: (_, command) =>
    withSharedStateIfGiven(command, async (state) => {
      const { tables, year } = await new MultiplePrimaries({ state }).comparedBy()
      return { parameters: { tables: tables.key, year }, text: tables.bytes }
    }),
  taken: ({ tables, year }, bytes) => ({
    tables: { key: String(tables), ...(bytes ? { bytes } : {}) },
    year: Number(year),
  }),
})
