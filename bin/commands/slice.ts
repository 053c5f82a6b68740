import { Command } from 'commander'
import { findIndex, sliceFile } from '../../engine/commons/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import { GeneModel } from '../../engine/shared/internal.ts'
import { withSharedState } from '../data-folder.ts'
import { deliver } from '../deliver.ts'
import type { Terminal } from '../terminal.ts'
import { withThreads } from '../threads.ts'

interface Options {
  readonly output?: string
  readonly gene: readonly string[]
  readonly index?: string
}

const collect = (value: string, before: readonly string[]) => [...before, value]

/** `casemill slice FILE.bam REGION…` */
export function sliceCommand(terminal: Terminal): Command {
  return new Command('slice')
    .description('write the records of regions and genes as BAM, without a server')
    .argument('<file>', 'BAM file with a BAI or CSI beside it')
    .argument('[regions...]', 'name, name:start, name:start-end, name:-end (1-based), or unmapped')
    .option('-o, --output <file>', 'where to write; by default standard output')
    .option('--gene <symbol>', 'gene of the data folder’s gene model; may be repeated', collect, [])
    .option('--index <file>', 'its BAI or CSI; by default the one beside it')
    .action(async (path: string, regions: string[], options: Options, command: Command) => {
      if (options.output === undefined && terminal.out.isTTY) {
        throw new EngineError('bad_input', 'BAM is not for a terminal; give -o FILE or redirect')
      }
      const { gene: genes } = options
      const slice = async (bySymbols: GeneModel['bySymbols']) =>
        withThreads(async (pool) => {
          const indexPath = options.index ?? (await findIndex(path))
          const made = await sliceFile(
            { path, indexPath },
            { regions, genes, bySymbols },
            pool,
            terminal.signal,
          )
          await deliver(made, options.output, terminal)
        })
      if (genes.length === 0) return slice(async () => new Map())
      return withSharedState(command, { create: false }, (database) => {
        const model = new GeneModel(database)
        return slice((symbols) => model.bySymbols(symbols))
      })
    })
}
