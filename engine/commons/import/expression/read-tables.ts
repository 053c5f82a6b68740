import { inOrder } from '../../../shared/concurrency/in-order.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Executor } from '../../../shared/executor.ts'
import { FormatError } from '../../../shared/formats/format-error.ts'
import { withLineFeeds } from '../../../shared/input/lines.ts'
import { type OpenSource, openSource } from '../../../shared/input/source-file.ts'
import type { Chosen } from './choose.ts'
import type { GeneBook } from './gene-book.ts'
import { type GeneLayout, layoutOf } from './gene-layout.ts'
import { otherValues } from './issue-list.ts'
import type { IssueTally } from './issue-tally.ts'
import { type LineBlock, lineBlocks } from './line-blocks.ts'
import { MatrixValues, type SpooledGene } from './matrix-values.ts'
import { type GeneRow, type RowsOutput, rowsJob } from './read-rows.ts'
import { type SampleOutput, sampleJob } from './read-sample.ts'
import { damaged } from './read-whole.ts'
import { SampleValues, type SpooledSample } from './sample-values.ts'
import type { TableForm } from './table-form.ts'
import type { Table } from './tables.ts'
import { doubtOf, FactsTally } from './units.ts'
import { makeValues, type ValueSource } from './value-source.ts'
import type { ValueSpool, Values } from './value-spool.ts'

export interface ReadingContext {
  readonly executor: Executor
  readonly book: GeneBook
  readonly issues: IssueTally
  readonly spool: ValueSpool
  /** Returns the column of a case in the matrix. */
  readonly columnOf: (caseId: string) => number
  readonly signal?: AbortSignal | undefined
  readonly onRead?: ((bytes: number) => void) | undefined
}

/** Maximum number of different lists of genes in one import. Each takes about 1 MiB. */
const MAX_LAYOUTS = 64

type RecognisedSample = Extract<SampleOutput, { readonly layout: number }>

/**
 * Reads the chosen samples from files of one sample each, several files at a time.
 * @throws EngineError bad_input for a damaged file, too many bad rows or too many lists of genes
 */
export async function readSamples(
  chosen: readonly Chosen[],
  context: ReadingContext,
): Promise<readonly ValueSource[]> {
  const { executor, book, issues, spool, columnOf, signal, onRead } = context
  const layouts: { readonly layout: GeneLayout; readonly genes: readonly string[] }[] = []
  const samples: SpooledSample[][] = []

  const read = async ({ table: { file, form } }: Chosen, signal?: AbortSignal) => {
    const { path, name } = file
    for (;;) {
      const known = layouts.map(({ layout }) => layout)
      const input = { path, name, form, layouts: known }
      const output = await executor.run(sampleJob, input, { signal })
      if (output.layout !== undefined) return output
      // In the meantime, another file may have added the same genes.
      if (layouts.length > known.length) continue
      if (known.length === MAX_LAYOUTS) {
        const most = `more than ${MAX_LAYOUTS} different lists of genes`
        throw damaged(name, `and the files before it have ${most}; import them as one matrix`)
      }
      const made = layoutOf(output.rows, book)
      if (made.genes.length === 0) throw noGenes(name)
      layouts.push(made)
      samples.push([])
    }
  }
  const take = (
    { caseId, table }: Chosen,
    { layout, values, facts, ...found }: RecognisedSample,
  ) => {
    const { name } = table.file
    const [column] = table.form.values
    issues.add(name, found.issues, () => column?.name)
    issues.addEmpty(name, new Map([[column?.name ?? '', found.empty]]))
    if (facts.count === 0) throw damaged(name, 'has no value of a protein-coding gene')
    // Warns if the values do not look like FPKM-UQ.
    issues.addDoubt(name, doubtOf(facts, table.form.scale))
    samples[layout]?.push({ row: spool.add(values), column: columnOf(caseId) })
    onRead?.(table.file.size)
  }

  const [first, ...others] = chosen
  // The first file is read alone, so that the others find its list of genes.
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
 * Reads the chosen columns of a matrix, in several jobs at a time.
 * @throws EngineError bad_input for a damaged file or too many bad rows
 */
export async function readMatrix(
  { file, form }: Table,
  chosen: readonly Chosen[],
  context: ReadingContext,
): Promise<ValueSource> {
  const { executor, spool, columnOf, signal, onRead } = context
  const columns = chosen.toSorted((a, b) => a.cell - b.cell)
  const { names, values, ...cut } = form
  const cells = columns.map(({ cell }) => cell)
  // This is set only if a name occurs twice. The jobs then check that columns with the same name have equal values.
  const repeated = new Set(names).size < names.length ? names : undefined
  const input = { ...cut, columns: names.length, cells, repeated }
  const reading = new MatrixReading(file.name, form, context)
  await withBlocks({ file, form }, { signal, onRead }, async (blocks) => {
    const results = inOrder(
      nextOf(blocks, (block, signal) => {
        return executor.run(rowsJob, { ...input, ...block }, { signal })
      }),
      { ahead: executor.parallelism + 1, signal },
    )
    for await (const output of results) if (output) reading.take(output)
  })
  const rows = reading.end(cells)
  return new MatrixValues(
    rows,
    spool,
    columns.map(({ caseId }) => columnOf(caseId)),
  )
}

/** The spooled row of a gene in a matrix, with its number of values. */
interface KeptRow extends SpooledGene {
  readonly values: number
}

/** Collects the results of jobs on a matrix's rows, in order. */
class MatrixReading {
  readonly #name: string
  readonly #form: TableForm
  readonly #context: ReadingContext
  readonly #rows = new Map<string, KeptRow>()
  /** Genes with several rows of different values. */
  readonly #unclear = new Set<string>()
  /** Number of rows whose cell has a word for a missing value, by cell index. */
  readonly #empty = new Map<number, number>()
  /** Number of rows without a value for any reason, by cell index. */
  readonly #missing = new Map<number, number>()
  /** Statistics that may cast doubt on the unit. */
  #facts: FactsTally | undefined
  /** Number of rows read. */
  #read = 0

  constructor(name: string, form: TableForm, context: ReadingContext) {
    this.#name = name
    this.#form = form
    this.#context = context
  }

  take({ rows, read, issues, empty, missing, facts, headers, broken }: RowsOutput): void {
    const { names } = this.#form
    if (broken !== undefined) throw damaged(this.#name, `cannot be read: ${broken}`)
    for (const header of headers) this.#passOver(header)
    this.#context.issues.add(this.#name, issues, (cell) => names[cell])
    this.#read += read
    addTo(this.#empty, empty)
    addTo(this.#missing, missing)
    this.#facts ??= new FactsTally(facts.sums.length)
    this.#facts.absorb(facts)
    for (const row of rows) this.#takeRow(row)
  }

  /**
   * Skips a repeated header.
   * @throws EngineError bad_input for a header with different columns
   */
  #passOver({ line, names: found }: RowsOutput['headers'][number]): void {
    const { names, isShort } = this.#form
    const known = isShort && found.length < names.length ? names.slice(1) : names
    if (known.every((name, cell) => found[cell] === name)) return
    throw damaged(
      this.#name,
      `has another header in line ${line}; give each table as a file of its own`,
    )
  }

  #takeRow({ line, id, type, symbol, values }: GeneRow): void {
    const { book, spool, issues } = this.#context
    const gene = book.take(id, type, symbol)
    if (gene === undefined) return
    const known = this.#rows.get(gene)
    if (!known) {
      this.#rows.set(gene, { gene, row: spool.add(values), values: values.length })
    } else if (!isSame(values, this.#valuesOf(known))) {
      this.#unclear.add(gene)
      issues.add(this.#name, { count: 1, first: [{ line, reason: otherValues(id) }] })
    }
  }

  #valuesOf({ row, values }: KeptRow): Values {
    const read = makeValues(row.kind, values)
    this.#context.spool.read(row, 0, read)
    return read
  }

  /**
   * Returns the rows of all genes without contradictory values.
   * @throws EngineError bad_input if there is no gene, or a column has no value
   */
  end(cells: readonly number[]): readonly SpooledGene[] {
    const { names, scale } = this.#form
    const { issues } = this.#context
    const rows = [...this.#rows.values()].filter(({ gene }) => !this.#unclear.has(gene))
    if (rows.length === 0) throw noGenes(this.#name)
    const bare = cells.find((cell) => this.#missing.get(cell) === this.#read)
    if (bare !== undefined) {
      throw damaged(this.#name, `has no value in column ${names[bare]}; leave the column out`)
    }
    const counts = [...this.#empty].map(([cell, count]) => [names[cell] ?? '', count] as const)
    issues.addEmpty(this.#name, new Map(counts))
    if (this.#facts) issues.addDoubt(this.#name, doubtOf(this.#facts.facts, scale))
    return rows
  }
}

const isSame = (one: Values, other: Values) =>
  one.length === other.length && one.every((value, i) => Object.is(value, other[i]))

function addTo(all: Map<number, number>, more: ReadonlyMap<number, number>): void {
  for (const [cell, count] of more) all.set(cell, (all.get(cell) ?? 0) + count)
}

/** Creates the error for a file without genes to store, whose cases would have no values in the matrix. */
const noGenes = (name: string) =>
  damaged(
    name,
    'has no protein-coding gene, according to the gene model of the release and the file itself; import a table of genes first',
  )

/** Returns a function that starts work on the next item. After the last item, its result is undefined. */
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
  { file, form: { lineEnd } }: Table,
  options: Pick<ReadingContext, 'signal' | 'onRead'>,
  use: (blocks: AsyncGenerator<LineBlock>) => Promise<void>,
): Promise<void> {
  let source: OpenSource | undefined
  try {
    source = await openSource(file, options)
    const { chunks } = source
    await use(lineBlocks(lineEnd === '\r' ? withLineFeeds(chunks) : chunks))
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
