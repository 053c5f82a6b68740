import { Command } from 'commander'
import { type Area, importRecords, type Loaded } from '../../engine/registry/index.ts'
import { withSharedStateToChange } from '../data-folder.ts'
import { type ReportOptions, withReportOptions, writeReport } from '../report-options.ts'
import type { Terminal } from '../terminal.ts'

interface Options extends ReportOptions {
  readonly publish?: true
  readonly description?: string
}

const PLURALS: Readonly<Record<Area, string>> = {
  rx: 'drugs and regimens',
  glossary: 'glossary entries',
  disease: 'diseases',
}

/** Command `casemill import rx|glossary|disease FILE.ndjson`. */
export function importRecordsCommand(terminal: Terminal, area: Area): Command {
  const command = new Command(area)
    .description(
      `import ${PLURALS[area]} into the development version; a file is imported completely or not at all`,
    )
    .argument('<file>', 'records with their ids, one JSON object per line')
    .option('--publish', 'also publish the records')
    .option('--description <text>', 'text of the changelog entry')
  return withReportOptions(command).action(async (path: string, options: Options) => {
    const { publish = false, description, dryRun = false } = options
    const request = { area, path, user: 'casemill import', description, publish, dryRun }
    const clock = () => new Date()
    const loaded = await withSharedStateToChange(command, { dryRun }, (state) =>
      importRecords({ state, clock }, request),
    )
    const report = { area, ...loaded }
    await writeReport(terminal, options, report, () => formatReport(loaded, dryRun))
  })
}

/** Formats the counts and, for a dry run, the changes, tab-separated. */
function formatReport({ added, changed, same }: Loaded, dryRun: boolean): string {
  const counts = `${added.length} added, ${changed.length} changed, ${same.length} as they were`
  const differences = [...added.map((id) => `add\t${id}`), ...changed.map((id) => `change\t${id}`)]
  return [counts, ...(dryRun ? differences : [])].map((line) => `${line}\n`).join('')
}
