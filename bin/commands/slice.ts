import { existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { Command } from 'commander'
import { EngineError, findIndex, GeneModel, type SliceBody, sliceFile } from '../../engine/index.ts'
import { withState } from '../data-folder.ts'
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
      const slice = async (bySymbol: GeneModel['bySymbol']) =>
        withThreads(async (pool) => {
          const indexPath = options.index ?? (await findIndex(path))
          const made = await sliceFile(
            { path, indexPath },
            { regions, genes, bySymbol },
            pool,
            terminal.signal,
          )
          await deliver(made, options.output, terminal)
        })
      if (genes.length === 0) return slice(() => [])
      return withState(command, { create: false }, (state) => {
        const model = new GeneModel(state)
        return slice((symbol) => model.bySymbol(symbol))
      })
    })
}

async function deliver(
  slice: SliceBody,
  output: string | undefined,
  terminal: Terminal,
): Promise<void> {
  try {
    if (output === undefined) {
      for await (const chunk of slice.body) await terminal.write(chunk)
      return
    }
    if (existsSync(output) && !(await isRegular(output))) return await writeTo(output, slice)
    // A slice that fails must not look like one that is complete.
    const part = `${output}.part`
    try {
      await writeTo(part, slice)
      await rename(part, output)
    } catch (error) {
      await rm(part, { force: true })
      throw error
    }
  } finally {
    await slice.close()
  }
}

async function isRegular(path: string): Promise<boolean> {
  const file = await open(path, 'r+')
  try {
    return (await file.stat()).isFile()
  } finally {
    await file.close()
  }
}

async function writeTo(path: string, { body }: SliceBody): Promise<void> {
  const file = await open(path, 'w')
  try {
    for await (const chunk of body) await file.writeFile(chunk)
  } finally {
    await file.close()
  }
}
