import { Command } from 'commander'
import { Staging } from '../../engine/registry/index.ts'
import { withSharedState } from '../data-folder.ts'
import { deliver } from '../deliver.ts'
import { addVersionOptions, requestedVersion, type VersionOptions } from '../staging-version.ts'
import type { Terminal } from '../terminal.ts'

interface Options extends VersionOptions {
  readonly output?: string
}

/** Command `casemill export staging --algorithm A --version V -o FILE.zip`. */
export function exportStagingCommand(terminal: Terminal): Command {
  const command = new Command('staging').description(
    "export a version of a staging algorithm as an archive for import staging or the publisher's library",
  )
  return addVersionOptions(command)
    .option('-o, --output <file>', 'output file; by default standard output')
    .action(({ output, ...options }: Options, command: Command) =>
      withSharedState(command, { create: false }, async (state) => {
        const staging = new Staging({ state, clock: () => new Date() })
        const version = await requestedVersion(staging, options, command)
        await deliver(await version.archive({ signal: terminal.signal }), output, terminal)
      }),
    )
}
