import type { DatasetName, FieldType, TableName } from './define.ts'

/**
 * One step from the records of a dataset to where a field is stored. `dataset` is whose own records
 * the step starts from.
 */
export type Step =
  | {
      /** Into the elements of a level of the own documents. */
      readonly kind: 'level'
      readonly dataset: TableName
      readonly level: string
      /** Conditions are bound to one element (data-commons.md 1.3); else all elements count as one value set. */
      readonly nested: boolean
      /** The step's path as the asking dataset sees it: `files.analysis.input_files` on cases. */
      readonly path: string
    }
  | {
      /** To the record that this one, or this element, names. */
      readonly kind: 'link'
      readonly dataset: TableName
      /** `at` of the link mount. */
      readonly at: string
      readonly target: TableName
      readonly path: string
    }
  | {
      /** To all records whose link (`through` of `target`) names this one. */
      readonly kind: 'reverse'
      readonly dataset: TableName
      readonly target: TableName
      readonly through: string
      readonly nested: boolean
      readonly path: string
    }

/** A field as a dataset sees it, resolved to where it is stored. */
export interface FieldPath {
  /** In the names of this project, without the dataset's own prefix. */
  readonly path: string
  readonly type: FieldType
  /** In order; a `level` step for every level on the way, the field's own level last. */
  readonly steps: readonly Step[]
  readonly column: { readonly dataset: DatasetName; readonly path: string }
  /** Of a place in the genome, whose `column` is the chromosome: columns of its first and last position. */
  readonly region?: { readonly start: string; readonly end: string }
}
