import { Field, FixedSizeList, Float64, Schema, Uint32, Utf8 } from 'apache-arrow'

/**
 * Expression of a release: `expression.arrow` in its folder, an Arrow IPC file that any Arrow reader
 * opens. One row per gene in ascending order of `gene_id` (by UTF-8 bytes); `values` holds one value
 * per case, the cases in ascending order of their ids. FPKM-UQ values of at most four decimals up to
 * 429,496.7294 are kept as whole ten-thousandths (`fixed`), all others widen the matrix to `double`
 * (data-commons.md 11.20). What the matrix is of stands in the schema's metadata under METADATA_KEY.
 */
export interface MatrixFacts {
  readonly format: 1
  readonly kind: MatrixKind
  readonly genes: number
  /** By column, ascending by `caseId`. */
  readonly cases: readonly MatrixCase[]
}

export type MatrixKind = 'fixed' | 'double'

/** Where the values of one case come from. */
export interface MatrixCase {
  /** In lower case. */
  readonly caseId: string
  /** The sample or aliquot whose values these are, as the source named it. */
  readonly sample: string | null
  /** The file of the release that they were read from; its record guards them. */
  readonly fileId: string | null
  /** `controlled` values need a token (data-commons.md 11.1). */
  readonly access: 'open' | 'controlled'
}

/** Values of all cases for one gene; absent ones are ABSENT in a fixed matrix, NaN in a double one. */
export interface MatrixRow {
  readonly geneId: string
  readonly symbol: string | null
  readonly values: MatrixValues
}

export type MatrixValues = Uint32Array | Float64Array

export const METADATA_KEY = 'casemill'
/** Ten-thousandths are stored: as many decimals as published files carry. */
export const FIXED_SCALE = 10_000
/** Stands for no value in a fixed matrix. */
export const ABSENT = 0xffff_ffff

/** Bytes of values in one record batch, about. */
export const BATCH_BYTES = 4 << 20

export function matrixSchema(facts: MatrixFacts): Schema {
  const value = new Field('value', facts.kind === 'fixed' ? new Uint32() : new Float64(), false)
  return new Schema(
    [
      new Field('gene_id', new Utf8(), false),
      new Field('symbol', new Utf8(), true),
      new Field('values', new FixedSizeList(facts.cases.length, value), false),
    ],
    new Map([[METADATA_KEY, JSON.stringify(facts)]]),
  )
}
