import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Command } from 'commander'
import {
  type ColumnReport,
  EngineError,
  type GeneRow,
  readGenes,
} from '../../engine/shared/index.ts'
import { columnLines, GeneModel } from '../../engine/shared/internal.ts'
import { withSharedState } from '../data-folder.ts'
import { startProgress } from '../progress.ts'
import { type ReportOptions, withReportOptions, writeReport } from '../report-options.ts'
import type { Terminal } from '../terminal.ts'

interface GenesReport {
  readonly source: string
  readonly dryRun: boolean
  readonly genes: number
  readonly columns: readonly ColumnReport[]
}

/** Command `casemill import genes FILE`. */
export function importGenesCommand(terminal: Terminal): Command {
  const command = new Command('genes')
    .description('replace the gene model with a table of genes (TSV, plain or gzip)')
    .argument(
      '<file>',
      'a table with the columns gene_id, symbol, chromosome, start, end and others',
    )
  return withReportOptions(command).action(async (file: string, options: ReportOptions) => {
    const { dryRun = false } = options
    const { genes, columns } = await collectGenes(file, terminal)
    if (!dryRun) {
      await withSharedState(command, { create: true }, (database) =>
        new GeneModel(database).replaceAll(genes),
      )
    }
    const report = { source: basename(file), dryRun, genes: genes.length, columns }
    await writeReport(terminal, options, report, formatReport)
  })
}

function formatReport({ source, genes, columns }: GenesReport): string {
  return [`${genes} genes from ${source}`, ...columnLines(columns)]
    .map((line) => `${line}\n`)
    .join('')
}

/** Reads the whole table before the old model is replaced, because a transaction must not wait for a disk. */
async function collectGenes(
  file: string,
  terminal: Terminal,
): Promise<{ readonly genes: readonly GeneRow[]; readonly columns: readonly ColumnReport[] }> {
  const { signal } = terminal
  const size = await stat(file).then(
    ({ size }) => size,
    () => 0,
  )
  const progress = startProgress(terminal, 'reading', size)
  const genes: GeneRow[] = []
  let columns: readonly ColumnReport[] = []
  const onColumns = (all: readonly ColumnReport[]) => {
    columns = all
  }
  try {
    const reading = { signal, onRead: progress.advance, onColumns }
    for await (const gene of readGenes(file, reading)) genes.push(gene)
  } finally {
    progress.stop()
  }
  if (genes.length === 0) {
    throw new EngineError('bad_input', `gene table "${basename(file)}" has no genes`)
  }
  return { genes, columns }
}
