import { Command, Option } from 'commander'
import type { ImportBam, ImportedBam } from '../../engine/commons/index.ts'
import type { Engine } from '../../engine/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import { bamFilesOf, type FileNames, type GivenBam } from '../bam-files.ts'
import { withEngineToChange } from '../data-engine.ts'
import { ImportReport } from '../import-report.ts'
import { type Progress, startProgress } from '../progress.ts'
import { type ReportOptions, withReportOptions, writeReport } from '../report-options.ts'
import type { Terminal } from '../terminal.ts'

interface Options extends ReportOptions {
  readonly id?: string
  readonly index?: string
  readonly access?: 'open' | 'controlled'
  readonly project?: string
  readonly link?: true
}

/** Differences between the commands that store files of one kind. */
interface Kind {
  readonly kind: NonNullable<ImportBam['kind']>
  readonly name: string
  readonly description: string
  readonly files: string
  readonly index: string
  /** Names of matching files in folders. */
  readonly named: FileNames
}

/** Command `casemill import bam FILE…`. */
export function importBamCommand(terminal: Terminal): Command {
  return storingCommand(terminal, {
    kind: 'BAM',
    name: 'bam',
    description: 'store BAM files: verifies them, copies them, makes their block directories',
    files: 'BAM files, sorted by coordinate; folders of them; URLs (https://…)',
    index: 'BAI or CSI',
    named: { ending: /\.bam$/i, what: '.bam' },
  })
}

/** Command `casemill import variants FILE…`. */
export function importVariantsCommand(terminal: Terminal): Command {
  return storingCommand(terminal, {
    kind: 'variants',
    name: 'variants',
    description: 'store variant and feature files for slicing',
    files:
      'VCF, BED and GFF files compressed with bgzip, BCF files, each with its index; folders of them; URLs',
    index: 'TBI or CSI',
    named: {
      ending: /\.((vcf|bed|gff3?|gtf)\.b?gz|bcf)$/i,
      what: '.vcf.gz, .bcf, .bed.gz or .gff.gz',
    },
  })
}

/** Command `casemill import cram FILE…`. */
export function importCramCommand(terminal: Terminal): Command {
  return storingCommand(terminal, {
    kind: 'CRAM',
    name: 'cram',
    description: 'store CRAM files, whose regions htsget serves',
    files: 'CRAM files, sorted by coordinate; folders of them; URLs',
    index: 'CRAI',
    named: { ending: /\.cram$/i, what: '.cram' },
  })
}

function storingCommand(terminal: Terminal, what: Kind): Command {
  const { kind, name, description } = what
  const command = new Command(name)
    .description(description)
    .argument('<files...>', what.files)
    .option(
      '--id <uuid>',
      'id of the file, if there is only one; by default derived from its content and name',
    )
    .option('--index <file>', `${what.index} of the one file; by default the one beside it`)
    .addOption(
      new Option(
        '--access <access>',
        'access of files without a record in the release; by default controlled',
      ).choices(['open', 'controlled']),
    )
    .option('--project <id>', 'project whose members can read controlled files')
    .option('--link', 'store references to the files instead of copies')
  const texts = {
    dryRun: 'verify the files, but do not store them',
    strict: 'do not store files with warnings',
  }
  return withReportOptions(command, texts).action(async (paths: string[], options: Options) => {
    const { dryRun = false } = options
    const report = new ImportReport(terminal, { dryRun })
    const local = paths.filter((path) => !isAddress(path))
    const files = [
      ...(await bamFilesOf(local, (error) => report.failed(error), what.named)),
      ...paths.filter(isAddress).map((path) => ({ path, size: 0 })),
    ]
    for (const name of ['id', 'index'] as const) {
      if (options[name] === undefined || (files.length <= 1 && paths.length === 1)) continue
      command.error(`--${name} is for a single file; give one file with it`)
    }
    if (files.length > 0) {
      await withEngineToChange(command, { dryRun }, (engine) =>
        importAll(files, { ...options, kind }, { engine, terminal, report }),
      )
    }
    // Standard output has the ids, which are written as files are stored.
    await writeReport(terminal, options, report.summary(), () => '')
    report.end(paths.length > 1 || files.length > 1)
  })
}

/** Returns whether a path is a URL. The size of a file at a URL is known only after a request. */
const isAddress = (path: string) => /^https?:\/\//i.test(path)

interface Run {
  readonly engine: Engine
  readonly terminal: Terminal
  readonly report: ImportReport
}

/** Imports files one by one. A failure is reported, and the other files are still stored. */
async function importAll(
  files: readonly GivenBam[],
  options: Options & Pick<Kind, 'kind'>,
  run: Run,
): Promise<void> {
  const { terminal, report } = run
  const total = files.reduce((sum, { size }) => sum + size, 0)
  const progress = startProgress(terminal, 'importing', total)
  const isOne = files.length === 1
  try {
    for (const { path, size } of files) {
      const { index: indexPath, link = false, kind, id, access, project, dryRun, strict } = options
      const what = { path, kind, id, indexPath, access, project, link, dryRun, strict }
      try {
        const imported = await importOne(what, size, progress, run)
        progress.clearLine()
        report.stored(path, imported)
        const { id } = imported.file
        if (!options.json) await terminal.write(isOne ? `${id}\n` : `${id}\t${path}\n`)
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
    if (isAddress(what.path)) {
      const { path: address, ...rest } = what
      return await engine.commons.importAddress({ ...rest, address }, { signal })
    }
    return await engine.commons.importBam(what, { signal, onProgress })
  } finally {
    // Counts the rest of a file that was not read, so that the bar reaches its end.
    progress.advance(size - done)
  }
}
