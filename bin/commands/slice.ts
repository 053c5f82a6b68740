import { availableParallelism } from 'node:os'
import { Command, Option } from 'commander'
import { findIndex, sliceFile } from '../../engine/commons/slicing/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import { GeneModel } from '../../engine/shared/internal.ts'
import { deliver } from '../deliver.ts'
import { fetchSlice, openTarget, type RequestedSlice } from '../get/fetch-slice.ts'
import { Link } from '../get/link.ts'
import { PATIENCE } from '../get/trip.ts'
import { keepYoungSmall, limitHeaps } from '../heaps.ts'
import { errorOf, readToken, SILENCE_MS, serverUrl, wholeNumber } from '../server-access.ts'
import type { Terminal } from '../terminal.ts'
import { withThreads } from '../threads.ts'

interface Options {
  readonly output?: string
  readonly gene: readonly string[]
  readonly index?: string
  readonly format: 'bam' | 'sam' | 'json'
  readonly all?: true
  readonly server?: URL
  readonly tokenFile?: string
  readonly tries: number
}

/**
 * Text is made by one thread at a time, because each piece starts where the last one ended. The second thread
 * verifies the next blocks, which takes less time. A third thread would take 30 MB and be idle.
 */
const TEXT_THREADS = 2

const collect = (value: string, before: readonly string[]) => [...before, value]

/** Command `casemill slice FILE REGION…`. */
export function sliceCommand(terminal: Terminal): Command {
  return new Command('slice')
    .description('extract the records of regions and genes from a file')
    .argument(
      '<file>',
      'BAM or BCF file, or VCF, BED or GFF file compressed with bgzip, with its index beside it; with --server, a file id',
    )
    .argument('[regions...]', 'name, name:start, name:start-end, name:-end (1-based), or unmapped')
    .option('-o, --output <file>', 'output file; by default standard output')
    .option('--gene <symbol>', "gene of the data folder's gene model; can be repeated", collect, [])
    .option('--index <file>', 'BAI, TBI or CSI of the file; by default the one beside it')
    .addOption(
      new Option(
        '--format <format>',
        'bam keeps the format of the file, also of BCF, VCF, BED and GFF; for BAM files also sam, like `samtools view -h --no-PG`, or json: one object per line',
      )
        .choices(['bam', 'sam', 'json'])
        .default('bam'),
    )
    .option('--all', 'all records as sam or json; the file needs no index and no order')
    .option('--server <url>', 'slice on a server, and resume interrupted transfers', serverUrl)
    .option(
      '--token-file <file>',
      'with --server: file with a token; by default the variable CASEMILL_TOKEN',
    )
    .option('--tries <number>', 'with --server: attempts without progress', wholeNumber(100), 8)
    .action(async (path: string, regions: string[], options: Options, command: Command) => {
      limitHeaps()
      keepYoungSmall()
      const { gene: genes, format: form, all: isWhole = false } = options
      if (isWhole && (form === 'bam' || regions.length > 0 || genes.length > 0)) {
        command.error('--all requires --format sam or json, and no regions or genes')
      }
      if (form === 'bam' && options.output === undefined && terminal.out.isTTY) {
        throw new EngineError(
          'bad_input',
          'a slice is not for a terminal; give -o FILE or redirect',
        )
      }
      if (options.server) {
        if (form !== 'bam' || options.index !== undefined) {
          command.error('--server gives BAM, and finds the index itself')
        }
        return sliceAt(options.server, { id: path, regions, genes }, options, terminal)
      }
      const threads = Math.min(availableParallelism(), form === 'bam' ? Infinity : TEXT_THREADS)
      const slice = async (bySymbols: GeneModel['bySymbols']) =>
        withThreads(async (pool) => {
          const indexPath = isWhole ? undefined : (options.index ?? (await findIndex(path)))
          const made = await sliceFile(
            { path, indexPath },
            { regions, genes, bySymbols, form, isWhole },
            pool,
            terminal.signal,
          )
          await deliver(made, options.output, terminal)
        }, threads)
      if (genes.length === 0) return slice(async () => new Map())
      // The module is loaded here, because it depends on the database modules.
      const { withSharedState } = await import('../data-folder.ts')
      return withSharedState(command, { create: false }, (database) => {
        const model = new GeneModel(database)
        return slice((symbols) => model.bySymbols(symbols))
      })
    })
}

async function sliceAt(
  server: URL,
  asked: RequestedSlice,
  { output, tokenFile, tries }: Options,
  terminal: Terminal,
): Promise<void> {
  const { signal } = terminal
  const token = await readToken(tokenFile)
  const link = new Link({ server, token, silenceMs: SILENCE_MS, signal })
  const target = await openTarget(output, terminal)
  try {
    await fetchSlice(asked, target, { link, patience: { ...PATIENCE, tries }, signal })
    await target.finish()
  } catch (error) {
    await target.discard()
    throw errorOf(server, error)
  } finally {
    link.close()
  }
}
