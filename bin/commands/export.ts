import { Command } from 'commander'
import { type ExportedLake, type ExportedTable, exportLake } from '../../engine/commons/index.ts'
import { sendLake } from '../../engine/commons/internal.ts'
import { EngineError } from '../../engine/shared/index.ts'
import pkg from '../../package.json' with { type: 'json' }
import { dataFolder } from '../data-folder.ts'
import { keepYoungSmall, limitHeaps } from '../heaps.ts'
import { drawSteps } from '../steps.ts'
import { readStoredSettings } from '../stored-settings.ts'
import { formatTable } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { exportStagingCommand } from './export-staging.ts'

interface LakeOptions {
  readonly out: string
  readonly release?: string
  readonly controlled?: true
  readonly bucket?: string
  readonly json?: true
}

/** Command `casemill export`, with a subcommand for each format. */
export function exportCommand(terminal: Terminal): Command {
  return new Command('export')
    .description('write a release or a staging algorithm for other programs')
    .addCommand(lakeCommand(terminal))
    .addCommand(exportStagingCommand(terminal))
}

function lakeCommand(terminal: Terminal): Command {
  return new Command('lake')
    .description(
      'export a release as Parquet files, one Delta table for each dataset; adds to an existing export',
    )
    .requiredOption('--out <folder>', 'folder for the tables')
    .option('--release <id>', 'id from casemill release list; by default the current release')
    .option('--controlled', 'also export controlled values, to the subfolder "controlled"')
    .option('--bucket <prefix>', 'also upload the tables to object storage, below this prefix')
    .option('--json', 'print a summary as JSON')
    .action(async ({ out: folder, bucket, json, ...options }: LakeOptions, command: Command) => {
      limitHeaps()
      keepYoungSmall()
      const { signal } = terminal
      const objects = bucket === undefined ? undefined : bucketStorage()
      const bars = drawSteps(terminal)
      const exported = await exportLake({
        ...options,
        folder,
        signal,
        dataFolder: dataFolder(command),
        writer: `${pkg.name}/${pkg.version}`,
        onProgress: bars.show,
      }).finally(() => bars.stop())
      const lake = { folder, prefix: bucket ?? '', signal }
      const sentBytes = objects && (await sendLake(exported, { ...lake, objects }))
      await terminal.write(
        json ? `${JSON.stringify({ ...exported, sentBytes })}\n` : shown(exported, terminal),
      )
      if (sentBytes !== undefined)
        terminal.explain(`${sentBytes} bytes were uploaded to the bucket`)
      const { release, tables } = exported
      const isNew = tables.some((table) => table.isNew)
      const already = isNew ? '' : ' already; nothing was written'
      terminal.explain(`release ${release} is in "${folder}"${already}`)
    })
}

/**
 * Returns the settings of the bucket. Called before anything is written.
 * @throws EngineError `bad_input` if no bucket is configured
 */
function bucketStorage() {
  const { objects } = readStoredSettings()
  if (objects) return objects
  throw new EngineError('bad_input', 'no object storage is configured; set CASEMILL_S3_BUCKET')
}

const shown = ({ tables }: ExportedLake, { out }: Terminal) =>
  formatTable(['table', 'version', 'records', 'files', 'bytes'], tables.map(cellsOf), out.isTTY)

const cellsOf = ({ name, version, records, files, bytes }: ExportedTable) => [
  name,
  String(version),
  String(records),
  String(files),
  String(bytes),
]
