import { Command, Option } from 'commander'
import type { ImportBam, ImportedBam } from '../../engine/commons/index.ts'
import type { Engine } from '../../engine/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import { bamFilesOf, type GivenBam } from '../bam-files.ts'
import { ImportReport } from '../import-report.ts'
import { type Progress, startProgress } from '../progress.ts'
import type { Terminal } from '../terminal.ts'
import { withEngine } from '../threads.ts'

interface Options {
  readonly id?: string
  readonly index?: string
  readonly access?: 'open' | 'controlled'
  readonly project?: string
  readonly link?: true
}

/** `casemill import bam FILE…` */
export function importBamCommand(terminal: Terminal): Command {
  return new Command('bam')
    .description('store alignment files: proves them, copies them, makes their block directories')
    .argument('<files...>', 'BAM files, sorted by coordinate, and folders of them')
    .option('--id <uuid>', 'id to store the one file under; by default made from bytes and name')
    .option('--index <file>', 'BAI or CSI of the one file; by default the one beside it')
    .addOption(
      new Option(
        '--access <access>',
        'who may read them where no record of the release says so; by default controlled',
      ).choices(['open', 'controlled']),
    )
    .option('--project <id>', 'project whose members may read them when controlled')
    .option('--link', 'refer to the files where they are instead of copying them')
    .action(async (paths: string[], options: Options, command: Command) => {
      const report = new ImportReport(terminal)
      const files = await bamFilesOf(paths, (error) => report.failed(error))
      for (const name of ['id', 'index'] as const) {
        if (options[name] === undefined || (files.length <= 1 && paths.length === 1)) continue
        command.error(`--${name} is of one file; give one file with it`)
      }
      if (files.length > 0) {
        await withEngine(command, { create: true }, (engine) =>
          importAll(files, options, { engine, terminal, report }),
        )
      }
      report.end(paths.length > 1 || files.length > 1)
    })
}

interface Run {
  readonly engine: Engine
  readonly terminal: Terminal
  readonly report: ImportReport
}

/** One after the other. One that fails is reported, and the others are stored. */
async function importAll(files: readonly GivenBam[], options: Options, run: Run): Promise<void> {
  const { terminal, report } = run
  const total = files.reduce((sum, { size }) => sum + size, 0)
  const progress = startProgress(terminal, 'importing', total)
  const isOne = files.length === 1
  try {
    for (const { path, size } of files) {
      const { id, index: indexPath, access, project, link = false } = options
      const what = { path, id, indexPath, access, project, link }
      try {
        const imported = await importOne(what, size, progress, run)
        progress.clearLine()
        report.stored(imported)
        await terminal.write(isOne ? `${imported.file.id}\n` : `${imported.file.id}\t${path}\n`)
      } catch (error) {
        terminal.signal.throwIfAborted()
        if (!(error instanceof EngineError)) throw error
        progress.clearLine()
        report.failed(error)
      }
    }
  } finally {
    progress.stop()
  }
}

async function importOne(
  what: ImportBam,
  size: number,
  progress: Progress,
  { engine, terminal: { signal } }: Run,
): Promise<ImportedBam> {
  let done = 0
  const onProgress = (bytes: number) => {
    progress.advance(bytes - done)
    done = bytes
  }
  try {
    return await engine.commons.importBam(what, { signal, onProgress })
  } finally {
    // What was not looked at is no longer to come.
    progress.advance(size - done)
  }
}
