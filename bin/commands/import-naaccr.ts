import { Command } from 'commander'
import { type ImportedNaaccr, Naaccr, type NaaccrFiles } from '../../engine/registry/index.ts'
import { withSharedStateToChange } from '../data-folder.ts'
import { type ReportOptions, withReportOptions, writeReport } from '../report-options.ts'
import type { Terminal } from '../terminal.ts'

interface Options extends Omit<NaaccrFiles, 'dictionary'>, ReportOptions {}

/** Command `casemill import naaccr DICTIONARY`. */
export function importNaaccrCommand(terminal: Terminal): Command {
  const command = new Command('naaccr')
    .description('import one version of the dictionary and documentation of registry file items')
    .argument(
      '<dictionary>',
      'base dictionary of the version, or user dictionary of items outside of the standard (XML, plain or gzip)',
    )
    .option('--documentation <path>', 'pages of the items: a folder, tar, tar.gz or zip')
    .option('--sections <file>', 'sections of the items (CSV)')
    .option('--lookups <file>', 'codes of items without codes on their page (zip)')
    .option(
      '--members <file>',
      'additional attributes of items, one item per row, by number or id (TSV or CSV)',
    )
  const texts = { strict: 'stop the import at a look-up table that is too large' }
  return withReportOptions(command, texts).action(async (dictionary: string, options: Options) => {
    const { dryRun = false, strict = false, documentation, sections, lookups, members } = options
    const files = { dictionary, documentation, sections, lookups, members }
    const { signal } = terminal
    const report = await withSharedStateToChange(command, { dryRun }, (state) =>
      new Naaccr({ state }).import(files, { dryRun, strict, signal }),
    )
    await writeReport(terminal, options, report, formatReport)
  })
}

const CHANGES = { added: 'added', changed: 'changed', same: 'as it was' } as const

function formatReport(report: ImportedNaaccr): string {
  const { dictionary, version, change, items, retired, withoutPage, coded, leftOut } = report
  if (version === undefined) return `dictionary ${dictionary}\t${CHANGES[change]}, ${items} items\n`
  const counts = `${items} items: ${retired} retired, ${coded} with codes, ${withoutPage} without a page`
  const left = leftOut.length > 0 ? `too large, left out\t${leftOut.join(', ')}\n` : ''
  return `version ${version}\t${CHANGES[change]}, ${counts}\n${left}`
}
