import { inOrder } from '../../../shared/concurrency/in-order.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Executor } from '../../../shared/executor.ts'
import { FormatError } from '../../../shared/formats/format-error.ts'
import { type OpenSource, openSource } from '../../../shared/input/source-file.ts'
import type { Chosen } from './choose.ts'
import type { GeneBook } from './gene-book.ts'
import { type GeneLayout, layoutOf } from './gene-layout.ts'
import { repeatedGene } from './issue-list.ts'
import type { IssueTally } from './issue-tally.ts'
import { type LineBlock, lineBlocks } from './line-blocks.ts'
import { MatrixValues, type SpooledGene } from './matrix-values.ts'
import { rowsJob } from './read-rows.ts'
import { type SampleOutput, sampleJob } from './read-sample.ts'
import { damaged } from './read-whole.ts'
import { SampleValues, type SpooledSample } from './sample-values.ts'
import type { Table } from './tables.ts'
import { addFacts, doubtOf, NO_VALUES } from './units.ts'
import type { ValueSource } from './value-source.ts'
import type { ValueSpool } from './value-spool.ts'

export interface ReadTables {
  readonly executor: Executor
  readonly book: GeneBook
  readonly issues: IssueTally
  readonly spool: ValueSpool
  /** The number of a case in the matrix. */
  readonly columnOf: (caseId: string) => number
  readonly signal?: AbortSignal | undefined
  readonly onRead?: ((bytes: number) => void) | undefined
}

/** Lists of genes that files of one import may have: each takes a megabyte. */
const MAX_LAYOUTS = 64

type ReadSample = Extract<SampleOutput, { readonly layout: number }>

/**
 * Reads the chosen samples out of files of one sample each, some files at a time.
 * @throws EngineError bad_input for a damaged file, too many bad rows or too many lists of genes
 */
export async function readSamples(
  chosen: readonly Chosen[],
  what: ReadTables,
): Promise<readonly ValueSource[]> {
  const { executor, book, issues, spool, columnOf, signal, onRead } = what
  const layouts: { readonly layout: GeneLayout; readonly genes: readonly string[] }[] = []
  const samples: SpooledSample[][] = []

  const read = async ({ table: { file, form } }: Chosen, signal?: AbortSignal) => {
    const { path, name } = file
    for (;;) {
      const known = layouts.map(({ layout }) => layout)
      const input = { path, name, form, layouts: known }
      const output = await executor.run(sampleJob, input, { signal })
      if (output.layout !== undefined) return output
      // Meanwhile another file may have had the same genes.
      if (layouts.length > known.length) continue
      if (known.length === MAX_LAYOUTS) {
        const most = `more than ${MAX_LAYOUTS} different lists of genes`
        throw damaged(name, `and the files before have ${most}; give them as one matrix`)
      }
      const made = layoutOf(output.rows, book)
      if (made.genes.length === 0) throw noGenes(name)
      layouts.push(made)
      samples.push([])
    }
  }
  const take = ({ caseId, table }: Chosen, { layout, values, issues: found }: ReadSample) => {
    issues.add(table.file.name, found)
    samples[layout]?.push({ row: spool.add(values), column: columnOf(caseId) })
    onRead?.(table.file.size)
  }

  const [first, ...others] = chosen
  // Alone, so that the others find its list of genes.
  if (first) take(first, await read(first, signal))
  const left = others.values()
  const ahead = executor.parallelism + 1
  const results = inOrder(
    (signal) => {
      const { value } = left.next()
      return value && read(value, signal).then((output) => ({ value, output }))
    },
    { ahead, signal },
  )
  for await (const { value, output } of results) take(value, output)
  return layouts.map(({ genes }, i) => new SampleValues(genes, spool, samples[i] ?? []))
}

/**
 * Reads the chosen columns of a matrix.
 * @throws EngineError bad_input for a damaged file or too many bad rows
 */
export async function readMatrix(
  { file, form }: Table,
  chosen: readonly Chosen[],
  what: ReadTables,
): Promise<ValueSource> {
  const { executor, book, issues, spool, columnOf, signal, onRead } = what
  const columns = chosen.toSorted((a, b) => a.cell - b.cell)
  const { headerLines, columns: width, typeCell, symbolCell, scale } = form
  const cells = columns.map(({ cell }) => cell)
  const input = { headerLines, columns: width, cells, typeCell, symbolCell, scale }
  const rows: SpooledGene[] = []
  const seen = new Set<string>()
  let facts = NO_VALUES
  await withBlocks(file, { signal, onRead }, async (blocks) => {
    const results = inOrder(
      nextOf(blocks, (block, signal) => {
        return executor.run(rowsJob, { ...input, ...block }, { signal })
      }),
      { ahead: executor.parallelism + 1, signal },
    )
    for await (const output of results) {
      if (!output) continue
      issues.add(file.name, output.issues)
      facts = addFacts(facts, output.facts)
      for (const { line, id, type, symbol, values } of output.rows) {
        const gene = book.take(id, type, symbol)
        if (gene === undefined) continue
        if (seen.has(gene)) {
          issues.add(file.name, { count: 1, first: [{ line, reason: repeatedGene(id) }] })
        } else rows.push({ gene, row: spool.add(values) })
        seen.add(gene)
      }
    }
  })
  if (rows.length === 0) throw noGenes(file.name)
  const doubt = doubtOf(facts)
  if (doubt !== undefined) issues.doubts.push(`${file.name}: ${doubt}`)
  return new MatrixValues(
    rows,
    spool,
    columns.map(({ caseId }) => columnOf(caseId)),
  )
}

/** Its cases would be there without any value. */
const noGenes = (name: string) =>
  damaged(
    name,
    'has no gene that codes for a protein by the genes of the release or by the file; import a table of genes first',
  )

/** Starts work on the next of some items; the work on none beyond the last is `undefined`. */
function nextOf<Item, Result>(
  items: AsyncIterator<Item>,
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
): (signal: AbortSignal) => Promise<Result | undefined> | undefined {
  let isOver = false
  return (signal) => {
    if (isOver) return undefined
    return items.next().then(({ done, value }) => {
      if (done) isOver = true
      return done ? undefined : work(value, signal)
    })
  }
}

async function withBlocks(
  file: Table['file'],
  options: Pick<ReadTables, 'signal' | 'onRead'>,
  use: (blocks: AsyncGenerator<LineBlock>) => Promise<void>,
): Promise<void> {
  let source: OpenSource | undefined
  try {
    source = await openSource(file, options)
    await use(lineBlocks(source.chunks))
  } catch (cause) {
    if (cause instanceof EngineError) throw cause
    if (cause instanceof FormatError) throw damaged(file.name, cause.message, cause)
    const isGzipError =
      cause instanceof Error && 'code' in cause && String(cause.code).startsWith('Z_')
    if (!isGzipError) throw cause
    throw damaged(file.name, `does not inflate: ${cause.message}`, cause)
  } finally {
    await source?.close()
  }
}
