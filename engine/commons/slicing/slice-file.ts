import { atOnce } from '../../shared/concurrency/at-once.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import { parseNamedRegion } from '../../shared/input/region.ts'
import { type ByteStream, endOnce } from '../../shared/streams/byte-stream.ts'
import type { Alignment } from './alignment.ts'
import { writeRecords } from './decode/record-text.ts'
import type { TextForm } from './decode/text-job.ts'
import { explainError } from './explain-file.ts'
import { explainVariants } from './explain-variants.ts'
import { type AlignmentPaths, localAlignment } from './parts.ts'
import { type FindGenes, readWanted, selectFrom } from './select.ts'
import { DEFAULT_LIMITS, Slicer, WHOLE } from './slicer.ts'

export interface FileSlice {
  /** Regions with any reference name of the file. */
  readonly regions: readonly string[]
  readonly genes: readonly string[]
  readonly bySymbols: FindGenes
  /** Output: the file's own format by default, or text for BAM. */
  readonly form?: 'bam' | TextForm
  /**
   * Whether to write all records as text instead of regions and genes. The file then needs no index and no sort
   * order.
   */
  readonly isWhole?: boolean
}

/**
 * Slices a file outside a data folder with its index, in the file's own format or as text. Every block is
 * verified in full.
 * @throws EngineError no_index, bad_region, bad_input, corrupt_source, not_found, unavailable
 */
export async function sliceFile(
  paths: AlignmentPaths,
  { regions, genes, bySymbols, form = 'bam', isWhole = false }: FileSlice,
  executor: Executor,
  signal?: AbortSignal,
): Promise<ByteStream> {
  const slicer = new Slicer(executor, DEFAULT_LIMITS)
  const select = async (alignment: Alignment) => {
    const names = new Set(alignment.header.names)
    const parsed = regions.map((text, i) => parseNamedRegion(text, names, `regions[${i}]`))
    const wanted = {
      ...(await readWanted([], genes, bySymbols)),
      intervals: parsed.filter((region) => region !== 'unmapped'),
      unplaced: parsed.includes('unmapped'),
    }
    return atOnce(selectFrom(alignment, wanted))
  }
  const parts = localAlignment(paths)
  const made =
    form === 'bam'
      ? slicer.slice(parts, select, { signal })
      : writeRecords(
          slicer,
          executor,
          parts,
          { select: isWhole ? WHOLE : select, form },
          { signal },
        )
  const slice = await made.catch(async (error: unknown) => {
    await slicer.close()
    throw await explained(error, paths)
  })
  return {
    body: slice.body,
    [Symbol.asyncDispose]: endOnce(async () => {
      await slice[Symbol.asyncDispose]()
      await slicer.close()
    }),
  }
}

/** Chooses the explanation by file name: names without a BAM ending are taken for lines or BCF. */
async function explained(error: unknown, paths: AlignmentPaths): Promise<unknown> {
  const isVariants = /\.(b?gz|vcf|bed|gff3?|gtf|bcf)$/i.test(paths.path)
  // The message about an invalid region needs no explanation of the file.
  const isOfFile = error instanceof EngineError && error.code !== 'bad_input'
  return isVariants && isOfFile
    ? explainVariants(error, paths)
    : explainError(error, paths.path, paths.indexPath)
}
