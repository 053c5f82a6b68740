import type { DatasetName, FieldType, TableName } from './define.ts'

/** A step from the records of a dataset towards a stored field. It starts at the records of `dataset`. */
export type Step =
  | {
      /**
       * Step to the elements of a level: an array of objects in the record's own document, such as `diagnoses`
       * or `diagnoses.treatments`.
       */
      readonly kind: 'level'
      readonly dataset: TableName
      readonly level: string
      /**
       * Whether all conditions must hold for the same element (data-commons.md 1.3). If false, the values of all
       * elements form one set.
       */
      readonly nested: boolean
      /** Path of the step as seen from the requested dataset, such as `files.analysis.input_files` on cases. */
      readonly path: string
    }
  | {
      /** Step to the record to which this record or element links. */
      readonly kind: 'link'
      readonly dataset: TableName
      /** Path `at` of the link mount. */
      readonly at: string
      readonly target: TableName
      readonly path: string
    }
  | {
      /** Step to all records of `target` whose link `through` refers to this record. */
      readonly kind: 'reverse'
      readonly dataset: TableName
      readonly target: TableName
      readonly through: string
      readonly nested: boolean
      readonly path: string
    }

/** A field of a dataset, with the place where it is stored. */
export interface FieldPath {
  /** Canonical path, without the dataset's own prefix. */
  readonly path: string
  readonly type: FieldType
  /** Steps in order. There is a `level` step for each level, including the field's own level, which comes last. */
  readonly steps: readonly Step[]
  readonly column: { readonly dataset: DatasetName; readonly path: string }
  /** For a genomic region: columns of the first and last position. `column` is the chromosome. */
  readonly region?: { readonly start: string; readonly end: string }
}
