import { Command } from 'commander'
import { type ImportedNaaccr, Naaccr, type NaaccrFiles } from '../../engine/registry/index.ts'
import { withSharedStateToChange } from '../data-folder.ts'
import type { Terminal } from '../terminal.ts'

interface Options extends Omit<NaaccrFiles, 'dictionary'> {
  readonly dryRun?: true
  readonly json?: true
}

/** Command `casemill import naaccr DICTIONARY`. */
export function importNaaccrCommand(terminal: Terminal): Command {
  return new Command('naaccr')
    .description('import one version of the dictionary and documentation of registry file items')
    .argument(
      '<dictionary>',
      'base dictionary of the version, or dictionary of own items (XML, plain or gzip)',
    )
    .option('--documentation <path>', 'pages of the items: a folder, tar, tar.gz or zip')
    .option('--sections <file>', 'sections of the items (CSV)')
    .option('--lookups <file>', 'codes of items without codes on their page (zip)')
    .option('--members <file>', 'additional values for items, by number or id (TSV or CSV)')
    .option('--dry-run', 'report what would change and change nothing')
    .option('--json', 'print the report as JSON')
    .action(async (dictionary: string, options: Options, command: Command) => {
      const { dryRun = false, json, ...files } = options
      const { signal } = terminal
      const report = await withSharedStateToChange(command, { dryRun }, (state) =>
        new Naaccr({ state }).import({ dictionary, ...files }, { dryRun, signal }),
      )
      await terminal.write(json ? `${JSON.stringify(report)}\n` : formatReport(report))
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
