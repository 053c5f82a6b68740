import { Command } from 'commander'
import { Staging, type StagingAlgorithmVersion } from '../../engine/registry/index.ts'
import { withSharedState } from '../data-folder.ts'
import { versionsOf } from '../staging-version.ts'
import { formatTable } from '../table.ts'
import type { Terminal } from '../terminal.ts'

/** `casemill staging list` */
export function stagingCommand(terminal: Terminal): Command {
  return new Command('staging')
    .description('show the staging algorithms of the data folder')
    .addCommand(listCommand(terminal))
}

function listCommand(terminal: Terminal): Command {
  return new Command('list')
    .description('show all algorithms with their versions')
    .option('--json', 'as JSON')
    .action(async ({ json }: { readonly json?: boolean }, command: Command) => {
      const versions = await withSharedState(command, { create: false }, (state) =>
        versionsOf(new Staging({ state, clock: () => new Date() })),
      )
      await terminal.write(
        json
          ? `${JSON.stringify(versions, null, 2)}\n`
          : versionTable(versions, terminal.out.isTTY),
      )
      if (versions.length === 0)
        terminal.explain('no algorithms; casemill import staging loads some')
    })
}

function versionTable(versions: readonly StagingAlgorithmVersion[], forPerson: boolean): string {
  return formatTable(
    ['algorithm', 'version', 'type', 'changed'],
    versions.map(({ algorithm, version, type, last_modified }) => [
      ...[algorithm, version, type, last_modified],
    ]),
    forPerson,
  )
}
