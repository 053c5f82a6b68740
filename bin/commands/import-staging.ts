import { Command } from 'commander'
import {
  type ImportedKind,
  type ImportedStaging,
  type ImportStaging,
  Staging,
} from '../../engine/registry/index.ts'
import { withSharedStateToChange } from '../data-folder.ts'
import { type ReportOptions, withReportOptions, writeReport } from '../report-options.ts'
import { drawSteps } from '../steps.ts'
import type { Terminal } from '../terminal.ts'

/** Command `casemill import staging FILE.zip…`. */
export function importStagingCommand(terminal: Terminal): Command {
  const command = new Command('staging')
    .description('import staging algorithms from published archives')
    .argument('<file...>', 'published algorithm archives (zip)')
  const texts = { strict: 'stop the import at a range in a table that no value matches' }
  return withReportOptions(command, texts).action(
    async (files: string[], options: ReportOptions) => {
      const { dryRun = false, strict = false } = options
      const reports: ImportedStaging[] = []
      const report = () =>
        writeReport(terminal, options, reports, (all) => all.map(formatReport).join(''))
      try {
        await withSharedStateToChange(command, { dryRun }, async (state) => {
          const staging = new Staging({ state, clock: () => new Date() })
          const run = { terminal, dryRun, strict }
          for await (const one of importFiles(staging, files, run)) reports.push(one)
        })
      } catch (error) {
        // The files before the failed one have been imported, so their report is printed.
        if (reports.length > 0) await report()
        throw error
      }
      await report()
    },
  )
}

async function* importFiles(
  staging: Staging,
  files: readonly string[],
  { terminal, ...options }: { terminal: Terminal } & Pick<ImportStaging, 'dryRun' | 'strict'>,
): AsyncGenerator<ImportedStaging, void, undefined> {
  for (const file of files) {
    terminal.signal.throwIfAborted()
    const bars = drawSteps(terminal)
    // The user is the importer's name in the history.
    const run = { user: 'casemill import', ...options, onProgress: bars.show }
    yield await staging.import(file, run).finally(() => bars.stop())
  }
}

const PLURALS = { schema: 'schemas', table: 'tables', glossary: 'glossary terms' } as const

/** Formats the counts of each kind, the changes of a dry run, and the issues. Columns are separated by tabs. */
function formatReport({
  algorithm,
  version,
  dryRun,
  isNew,
  kinds,
  issues,
}: ImportedStaging): string {
  const lines = [`${algorithm} ${version}${isNew ? ' (new)' : ''}`]
  for (const kind of ['schema', 'table', 'glossary'] as const) {
    const { added, changed, removed, same } = kinds[kind]
    const counts = [
      `${added.length} added`,
      `${changed.length} changed`,
      `${removed.length} removed`,
      `${same} as they were`,
    ]
    lines.push(`${PLURALS[kind]}\t${counts.join(', ')}`)
    if (dryRun) lines.push(...differences(kind, kinds[kind]))
  }
  for (const { kind, id, at, message } of issues)
    lines.push(`issue\t${kind} ${id} ${at}\t${message}`)
  return `${lines.join('\n')}\n`
}

function differences(kind: string, { added, changed, removed }: ImportedKind): string[] {
  return [
    ...added.map((id) => `add\t${kind}\t${id}`),
    ...changed.map((id) => `change\t${kind}\t${id}`),
    ...removed.map((id) => `remove\t${kind}\t${id}`),
  ]
}
