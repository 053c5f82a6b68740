import { Field, FixedSizeList, Float64, Schema, Uint32, Utf8 } from 'apache-arrow'

/**
 * Description of an expression matrix, stored as JSON in the metadata of the Arrow schema under METADATA_KEY.
 * The matrix is the file `expression.arrow` in the folder of a release, in the Arrow IPC format. It has one row
 * per gene, ascending by `gene_id` (UTF-8 byte order). `values` is a list with one value per case, ascending by
 * case id. Values with at most four decimals and up to 429,496.7294 are stored as integers in ten-thousandths
 * (`fixed`). Any other value makes the whole matrix `double` (data-commons.md 11.20).
 */
export interface MatrixFacts {
  readonly format: 1
  readonly kind: MatrixKind
  readonly genes: number
  /** Cases in column order, ascending by `caseId`. */
  readonly cases: readonly MatrixCase[]
}

export type MatrixKind = 'fixed' | 'double'

/** Case of one column, and the source of its values. */
export interface MatrixCase {
  readonly caseId: string
  /** Sample or aliquot that was measured, as named in the source. */
  readonly sample: string | null
  /** Id of the file from which the values were imported. Its access rules apply to the values. */
  readonly fileId: string | null
  /** Reading `controlled` values requires an access token (data-commons.md 11.1). */
  readonly access: 'open' | 'controlled'
}

/** Values of one gene for all cases. Missing values are ABSENT in a fixed matrix, NaN in a double matrix. */
export interface MatrixRow {
  readonly geneId: string
  readonly symbol: string | null
  readonly values: MatrixValues
}

export type MatrixValues = Uint32Array | Float64Array

export const METADATA_KEY = 'casemill'
/** Values of a fixed matrix are stored multiplied by this factor. Published files have four decimals. */
export const FIXED_SCALE = 10_000
/** Value that stands for a missing value in a fixed matrix. */
export const ABSENT = 0xffff_ffff

/** Approximate size of the values of one record batch in bytes. */
export const BATCH_BYTES = 4 << 20

/** Returns the Arrow schema of a matrix file: a row per gene with a list of one value per case. */
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
