import { EngineError } from '../../shared/errors.ts'
import type { Executor } from '../../shared/executor.ts'
import { type ByteStream, endOnce } from '../../shared/streams/byte-stream.ts'
import type { Alignment } from './alignment.ts'
import { writeRecords } from './decode/record-text.ts'
import type { TextForm } from './decode/text-job.ts'
import { explainError } from './explain-file.ts'
import { explainVariants } from './explain-variants.ts'
import { type AlignmentPaths, localAlignment } from './parts.ts'
import { parseNamedRegion } from './region.ts'
import { type FindGenes, readWanted, selectFrom } from './select.ts'
import { DEFAULT_LIMITS, Slicer, WHOLE } from './slicer.ts'

export interface FileSlice {
  /** Regions in which any reference name of the file may be used. */
  readonly regions: readonly string[]
  readonly genes: readonly string[]
  readonly bySymbols: FindGenes
  /** By default a slice in the format of the file; or, of BAM, its records as text. */
  readonly form?: 'bam' | TextForm
  /** All records instead of regions and genes, of text. The file needs no index and no order for it. */
  readonly isWhole?: boolean
}

/**
 * Slices a file that is in no data folder, by its index, in its format or as text; every block is proved in full.
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
    return selectFrom(alignment, {
      ...(await readWanted([], genes, bySymbols)),
      intervals: parsed.filter((region) => region !== 'unmapped'),
      unplaced: parsed.includes('unmapped'),
    })
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

/** The name says which error helps: what is no BAM by its name is to be lines, or BCF. */
async function explained(error: unknown, paths: AlignmentPaths): Promise<unknown> {
  const isVariants = /\.((vcf|bed|gff3?|gtf)(\.b?gz)?|bcf)$/i.test(paths.path)
  // A region that is wrong says so itself.
  const isOfFile = error instanceof EngineError && error.code !== 'bad_input'
  return isVariants && isOfFile ? explainVariants(error, paths) : explainError(error, paths.path)
}
