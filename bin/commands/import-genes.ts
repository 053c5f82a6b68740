import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Command } from 'commander'
import { EngineError, type GeneRow, readGenes } from '../../engine/shared/index.ts'
import { GeneModel } from '../../engine/shared/internal.ts'
import { withSharedState } from '../data-folder.ts'
import { startProgress } from '../progress.ts'
import type { Terminal } from '../terminal.ts'

/** Command `casemill import genes FILE`. */
export function importGenesCommand(terminal: Terminal): Command {
  return new Command('genes')
    .description('replace the gene model with a table of genes (TSV, plain or gzip)')
    .argument(
      '<file>',
      'a table with the columns gene_id, symbol, chromosome, start, end and others',
    )
    .action(async (file: string, _options: object, command: Command) => {
      const genes = await collectGenes(file, terminal)
      const count = await withSharedState(command, { create: true }, (database) =>
        new GeneModel(database).replaceAll(genes),
      )
      await terminal.write(`${count} genes from ${basename(file)}\n`)
    })
}

/** Reads the whole table before the old model is replaced, because a transaction must not wait for a disk. */
async function collectGenes(file: string, terminal: Terminal): Promise<GeneRow[]> {
  const { signal } = terminal
  const size = await stat(file).then(
    ({ size }) => size,
    () => 0,
  )
  const progress = startProgress(terminal, 'reading', size)
  const genes: GeneRow[] = []
  try {
    for await (const gene of readGenes(file, { signal, onRead: progress.advance })) genes.push(gene)
  } finally {
    progress.stop()
  }
  if (genes.length === 0) {
    throw new EngineError('bad_input', `gene table "${basename(file)}" has no genes`)
  }
  return genes
}
