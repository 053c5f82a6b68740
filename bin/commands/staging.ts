import { Command, Option } from 'commander'
import {
  CODEBOOK_PARTS,
  type CodebookPart,
  DIFFERENCE_FORMATS,
  Staging,
  type StagingAlgorithmVersion,
  type StagingDifferenceFormat,
} from '../../engine/registry/index.ts'
import { withSharedState } from '../data-folder.ts'
import { deliver } from '../deliver.ts'
import {
  addVersionOptions,
  requestedVersion,
  type VersionOptions,
  versionsOf,
} from '../staging-version.ts'
import { formatTable } from '../table.ts'
import type { Terminal } from '../terminal.ts'

/** Commands `casemill staging list`, `casemill staging diff` and `casemill staging codebook`. */
export function stagingCommand(terminal: Terminal): Command {
  return new Command('staging')
    .description(
      'show the staging algorithms of the data folder, compare their versions, and list their codes',
    )
    .addCommand(listCommand(terminal))
    .addCommand(diffCommand(terminal))
    .addCommand(codebookCommand(terminal))
}

function listCommand(terminal: Terminal): Command {
  return new Command('list')
    .description('list all algorithms with their versions')
    .option('--json', 'print JSON')
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
        terminal.explain('no algorithms; import some with casemill import staging')
    })
}

const CONVERSION = 'conversion'

interface DiffOptions extends VersionOptions {
  readonly from: string
  readonly format: StagingDifferenceFormat | typeof CONVERSION
  readonly output?: string
}

function diffCommand(terminal: Terminal): Command {
  const command = new Command('diff').description(
    'compare two versions: schemas, tables, glossary terms, their members, and rows',
  )
  return addVersionOptions(command)
    .requiredOption('--from <name>', 'the earlier version of the same algorithm')
    .addOption(
      new Option('--format <format>', 'JSON lines, columns, or proposed rules for casemill convert')
        .choices([...DIFFERENCE_FORMATS, CONVERSION])
        .default('ndjson'),
    )
    .option('-o, --output <file>', 'output file; by default standard output')
    .action(({ from, format, output, ...options }: DiffOptions, command: Command) =>
      withSharedState(command, { create: false }, async (state) => {
        const staging = new Staging({ state, clock: () => new Date() })
        const after = await requestedVersion(staging, options, command)
        // The other version is also looked up here, so that a missing one gives the same error message.
        await requestedVersion(staging, { ...options, version: from }, command)
        const { signal } = terminal
        const difference =
          format === CONVERSION
            ? await after.conversion({ from, signal })
            : await after.difference({ from, format, signal })
        await deliver(difference, output, terminal)
      }),
    )
}

interface CodebookOptions extends VersionOptions {
  readonly schema?: readonly string[]
  readonly part?: readonly CodebookPart[]
  readonly format: StagingDifferenceFormat
  readonly output?: string
}

function codebookCommand(terminal: Terminal): Command {
  const command = new Command('codebook')
    .alias('table')
    .description(
      'list the selections of each schema of a version, its items and their valid codes as one table',
    )
  return addVersionOptions(command)
    .option('--schema <id...>', 'only these schemas')
    .addOption(new Option('--part <name...>', 'only these parts').choices(CODEBOOK_PARTS))
    .addOption(
      new Option('--format <format>', 'JSON lines, or columns')
        .choices(DIFFERENCE_FORMATS)
        .default('tsv'),
    )
    .option('-o, --output <file>', 'output file; by default standard output')
    .action((options: CodebookOptions, command: Command) =>
      withSharedState(command, { create: false }, async (state) => {
        const { schema: schemas, part: parts, format, output, ...named } = options
        const staging = new Staging({ state, clock: () => new Date() })
        const version = await requestedVersion(staging, named, command)
        const { signal } = terminal
        await deliver(await version.codebook({ format, parts, schemas, signal }), output, terminal)
      }),
    )
}

function versionTable(versions: readonly StagingAlgorithmVersion[], forPerson: boolean): string {
  return formatTable(
    ['algorithm', 'version', 'type', 'changed'],
    versions.map(({ algorithm, version, type, last_modified }) => [
      algorithm,
      version,
      type,
      last_modified,
    ]),
    forPerson,
  )
}
