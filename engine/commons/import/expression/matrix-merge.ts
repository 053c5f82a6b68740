import { join } from 'node:path'
import type { Executor } from '../../../shared/executor.ts'
import { textIn } from '../../../shared/input/json-value.ts'
import type { MatrixFacts, MatrixRow } from '../../analysis/expression/matrix-format.ts'
import { EXPRESSION_NAME } from '../../release/layout.ts'
import type { Release } from '../../release/release.ts'
import { type Choice, type Chosen, choose, namesOf } from './choose.ts'
import { allGenes, gatherRows } from './gather.ts'
import { GeneBook, type KnownGene } from './gene-book.ts'
import { withoutVersion } from './gene-ids.ts'
import type { IssueTally } from './issue-tally.ts'
import { Owners } from './owners.ts'
import { type ReadingContext, readMatrix, readSamples } from './read-tables.ts'
import { eachDocument } from './release-records.ts'
import {
  lookThrough,
  proveMatrix,
  type StoredContents,
  StoredMatrix,
  StoredValues,
} from './stored-matrix.ts'
import type { Table } from './tables.ts'
import type { ValueSource } from './value-source.ts'
import { ValueSpool } from './value-spool.ts'

interface MatrixMergeOptions {
  /** Release whose cases and files own the samples, and whose matrix is extended. */
  readonly release: Release
  /** Folder of that release. */
  readonly releaseFolder: string
  /** Folder for temporary files until the matrix is written. */
  readonly workFolder: string
  readonly executor: Executor
  readonly issues: IssueTally
  /** Whether to drop the existing matrix. */
  readonly replace?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  /** Called with the number of bytes read so far, and with the bytes of all files. */
  readonly onRead?: ((done: number, total: number) => void) | undefined
}

/** A matrix that is ready to be written. */
interface MergedMatrix {
  readonly facts: MatrixFacts
  readonly book: GeneBook
  readonly rows: AsyncIterable<MatrixRow>
}

/** Merges samples of files with those in a release's matrix. Close it after the new matrix has been written. */
export class MatrixMerge {
  readonly #options: MatrixMergeOptions
  readonly #stored: StoredMatrix | undefined
  #spool: ValueSpool | undefined

  private constructor(options: MatrixMergeOptions, stored: StoredMatrix | undefined) {
    this.#options = options
    this.#stored = stored
  }

  /**
   * Opens the existing matrix.
   * @throws EngineError corrupt_source if it differs from the manifest
   */
  static async open(options: MatrixMergeOptions): Promise<MatrixMerge> {
    const { release, releaseFolder, replace, signal } = options
    const written = release.manifest.files[EXPRESSION_NAME]
    if (!written || replace) return new MatrixMerge(options, undefined)
    const path = join(releaseFolder, EXPRESSION_NAME)
    await proveMatrix(path, written, signal)
    return new MatrixMerge(options, await StoredMatrix.open(path))
  }

  /** Columns of the existing matrix. */
  get columns(): MatrixFacts['cases'] {
    return this.#stored?.facts.cases ?? []
  }

  /** Number of genes in the existing matrix. */
  get genes(): number {
    return this.#stored?.facts.genes ?? 0
  }

  /**
   * Chooses the samples of the new matrix.
   * @throws EngineError as `choose`
   */
  async choose(tables: readonly Table[]): Promise<Choice> {
    const matrices = tables.filter(({ form }) => form.kind === 'matrix')
    const owners = await Owners.find(this.#options.release, {
      files: tables.filter(({ form }) => form.kind === 'sample').map(namesOf),
      columns: matrices.flatMap(({ form }) => form.values.map(({ name }) => name)),
      stored: this.columns,
    })
    return choose(tables, this.columns, owners)
  }

  /**
   * Reads the chosen samples. May be called once.
   * @param cases cases of the new matrix, in order
   * @throws EngineError bad_input for a damaged file or too many bad rows
   */
  async read(
    tables: readonly Table[],
    { chosen, retained }: Choice,
    cases: MatrixFacts['cases'],
  ): Promise<MergedMatrix> {
    const { release, releaseFolder, workFolder } = this.#options
    const book = new GeneBook(await knownGenes(release))
    const columns = new Map(cases.map(({ caseId }, column) => [caseId, column]))
    const columnOf = (caseId: string) => columns.get(caseId) ?? -1
    const spool = new ValueSpool(join(workFolder, 'values.spool'))
    this.#spool = spool
    const sources: ValueSource[] = []
    const stored = this.#stored
    if (stored) {
      const from = new Map(stored.facts.cases.map(({ caseId }, column) => [caseId, column]))
      const stay = retained.map(({ caseId }) => {
        return { from: from.get(caseId) ?? -1, to: columnOf(caseId) }
      })
      const path = join(releaseFolder, EXPRESSION_NAME)
      const contents = await lookThrough(
        path,
        stay.map((each) => each.from),
      )
      noteSymbols(book, contents)
      sources.push(new StoredValues(stored, contents, stay))
    }
    sources.push(
      ...(await this.#readFiles(tables, [...chosen.values()], { book, spool, columnOf })),
    )
    const genes = allGenes(sources)
    const needsDouble = sources.some(({ kind }) => kind === 'double')
    const kind = needsDouble ? 'double' : 'fixed'
    const facts: MatrixFacts = { format: 1, kind, genes: genes.length, cases }
    const symbolOf = (gene: string) => book.symbolOf(gene)
    return { facts, book, rows: gatherRows(sources, facts, { genes, symbolOf }) }
  }

  async #readFiles(
    tables: readonly Table[],
    chosen: readonly Chosen[],
    to: Pick<ReadingContext, 'book' | 'spool' | 'columnOf'>,
  ): Promise<readonly ValueSource[]> {
    const { executor, issues, signal, onRead } = this.#options
    const samples = chosen.filter(({ table }) => table.form.kind === 'sample')
    const matrices = tables
      .filter(({ form }) => form.kind === 'matrix')
      .map((table) => ({ table, columns: chosen.filter((each) => each.table === table) }))
      .filter(({ columns }) => columns.length > 0)
    const files = [...samples.map(({ table }) => table.file), ...matrices.map((m) => m.table.file)]
    const total = files.reduce((bytes, { size }) => bytes + size, 0)
    let done = 0
    const what: ReadingContext = {
      ...to,
      executor,
      issues,
      signal,
      onRead: (bytes) => {
        done += bytes
        onRead?.(done, total)
      },
    }
    const sources = [...(await readSamples(samples, what))]
    for (const { table, columns } of matrices) {
      sources.push(await readMatrix(table, columns, what))
    }
    return sources
  }

  async close(): Promise<void> {
    this.#spool?.close()
    await this.#stored?.close()
  }
}

async function knownGenes(release: Release): Promise<Map<string, KnownGene>> {
  const known = new Map<string, KnownGene>()
  await eachDocument(release, 'genes', (gene) => {
    known.set(withoutVersion(String(gene.gene_id)), {
      biotype: textIn(gene.biotype),
      symbol: textIn(gene.symbol),
    })
  })
  return known
}

function noteSymbols(book: GeneBook, { genes, symbols }: StoredContents): void {
  for (const [i, gene] of genes.entries()) book.noteSymbol(gene, symbols[i])
}
