import { Field, FixedSizeList, Float64, Schema, Uint32, Utf8 } from 'apache-arrow'

/**
 * Expression of a release: `expression.arrow` in its folder, an Arrow IPC file for any Arrow reader. It has
 * one row per gene in ascending order of `gene_id` (by UTF-8 bytes). `values` has one value per case, with
 * cases in ascending order of their ids. FPKM-UQ values with at most four decimals up to 429,496.7294 are
 * stored as whole ten-thousandths (`fixed`); any other value makes the whole matrix `double` (data-commons.md
 * 11.20). These facts are in the schema's metadata under METADATA_KEY.
 */
export interface MatrixFacts {
  readonly format: 1
  readonly kind: MatrixKind
  readonly genes: number
  /** Cases by column, ascending by `caseId`. */
  readonly cases: readonly MatrixCase[]
}

export type MatrixKind = 'fixed' | 'double'

/** Source of one case's values. */
export interface MatrixCase {
  /** Case id in lower case. */
  readonly caseId: string
  /** Sample or aliquot that was measured, as named in the source. */
  readonly sample: string | null
  /** File of the release that the values were read from. Its record guards them. */
  readonly fileId: string | null
  /** Reading `controlled` values requires a token (data-commons.md 11.1). */
  readonly access: 'open' | 'controlled'
}

/** Values of all cases for one gene. Missing ones are ABSENT in a fixed matrix, NaN in a double one. */
export interface MatrixRow {
  readonly geneId: string
  readonly symbol: string | null
  readonly values: MatrixValues
}

export type MatrixValues = Uint32Array | Float64Array

export const METADATA_KEY = 'casemill'
/** Factor of stored values: as many decimals as published files have. */
export const FIXED_SCALE = 10_000
/** Marks a missing value in a fixed matrix. */
export const ABSENT = 0xffff_ffff

/** Approximate bytes of values per record batch. */
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
