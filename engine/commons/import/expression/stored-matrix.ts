import { type FileHandle, open } from 'node:fs/promises'
import { AsyncRecordBatchFileReader, type RecordBatch, RecordBatchReader } from 'apache-arrow'
import type { WrittenFile } from '../../../shared/arrays/array-file.ts'
import {
  type MatrixFacts,
  type MatrixKind,
  METADATA_KEY,
} from '../../analysis/expression/matrix-format.ts'
import { EXPRESSION_NAME } from '../../release/layout.ts'
import { damage } from '../../release/manifest.ts'
import { checkFile } from '../../release/verify.ts'
import { isFixed } from './fixed.ts'
import { type Block, conversion, type ValueSource } from './value-source.ts'
import type { Values } from './value-spool.ts'

/** A gene of a stored matrix. `values` is valid until the next gene is requested. */
interface StoredGene {
  readonly geneId: string
  readonly symbol: string | null
  readonly values: Values
}

/** The matrix of a release, read from its first gene to its last. */
export class StoredMatrix {
  readonly facts: MatrixFacts
  readonly #file: FileHandle
  readonly #reader: AsyncRecordBatchFileReader

  private constructor(facts: MatrixFacts, file: FileHandle, reader: AsyncRecordBatchFileReader) {
    this.facts = facts
    this.#file = file
    this.#reader = reader
  }

  /**
   * Opens a matrix.
   * @throws EngineError corrupt_source if it cannot be read
   */
  static async open(path: string): Promise<StoredMatrix> {
    const file = await open(path, 'r')
    try {
      const reader = await RecordBatchReader.from(file)
      if (!(reader instanceof AsyncRecordBatchFileReader)) throw new Error('it is no Arrow file')
      await reader.open()
      const facts = JSON.parse(reader.schema.metadata.get(METADATA_KEY) ?? '') as MatrixFacts
      return new StoredMatrix(facts, file, reader)
    } catch (cause) {
      await file.close()
      throw damage(EXPRESSION_NAME, 'cannot be read', cause)
    }
  }

  /** Yields all genes in order. May be called once. */
  async *genes(): AsyncGenerator<StoredGene, void, undefined> {
    const { length } = this.facts.cases
    for await (const batch of this.#reader as AsyncIterable<RecordBatch>) {
      const [ids, symbols] = [batch.getChildAt(0), batch.getChildAt(1)]
      const values = batch.data.children[2]?.children[0]?.values as Values
      for (let row = 0; row < batch.numRows; row++) {
        yield {
          geneId: ids?.get(row) as string,
          symbol: (symbols?.get(row) ?? null) as string | null,
          values: values.subarray(row * length, (row + 1) * length),
        }
      }
    }
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}

/**
 * Verifies that a matrix is as written.
 * @throws EngineError corrupt_source if size or checksum differ
 */
export async function proveMatrix(
  path: string,
  written: WrittenFile,
  signal?: AbortSignal,
): Promise<void> {
  if (await checkFile(path, written, signal)) {
    throw damage(EXPRESSION_NAME, 'is not what was written')
  }
}

/** Results of a pass over all values of a stored matrix. */
export interface StoredContents {
  readonly genes: readonly string[]
  readonly symbols: readonly (string | null)[]
  /** Kind of matrix that the values of the remaining columns require. */
  readonly kind: MatrixKind
}

/**
 * Reads all values of a stored matrix once.
 * @param columns indices of the columns that are kept
 */
export async function lookThrough(
  path: string,
  columns: readonly number[],
): Promise<StoredContents> {
  const matrix = await StoredMatrix.open(path)
  try {
    const genes: string[] = []
    const symbols: (string | null)[] = []
    let needsDouble = false
    for await (const { geneId, symbol, values } of matrix.genes()) {
      genes.push(geneId)
      symbols.push(symbol)
      // A single value that needs a double decides.
      if (needsDouble || values instanceof Uint32Array) continue
      needsDouble = columns.some((column) => !isFixed(values[column]!))
    }
    return { genes, symbols, kind: needsDouble ? 'double' : 'fixed' }
  } finally {
    await matrix.close()
  }
}

/**
 * Remaining columns of the stored matrix as a source of values, each with the index of its case in the new
 * matrix.
 */
export class StoredValues implements ValueSource {
  readonly genes: readonly string[]
  readonly kind: MatrixKind
  readonly #rows: AsyncGenerator<StoredGene, void, undefined>
  readonly #columns: readonly { readonly from: number; readonly to: number }[]
  #at = 0

  constructor(
    matrix: StoredMatrix,
    { genes, kind }: StoredContents,
    columns: readonly { readonly from: number; readonly to: number }[],
  ) {
    this.genes = genes
    this.kind = kind
    this.#rows = matrix.genes()
    this.#columns = columns
  }

  async fill({ first, end, cases, values }: Block, placeOf: Int32Array): Promise<void> {
    for (; this.#at < placeOf.length && placeOf[this.#at]! < end; this.#at++) {
      const { value: row } = await this.#rows.next()
      if (!row) throw damage(EXPRESSION_NAME, 'became shorter')
      const convert = conversion(row.values, values)
      const start = (placeOf[this.#at]! - first) * cases
      for (const { from, to } of this.#columns) {
        values[start + to] = convert(row.values[from]!)
      }
    }
  }
}
