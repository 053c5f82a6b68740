import type { DatasetName, FieldType, TableName } from './define.ts'

/** A step from a dataset's records towards a stored field. `dataset` owns the records where it starts. */
export type Step =
  | {
      /**
       * Leads to the elements of a level: an array of objects in the record's own document, such as `diagnoses`
       * or `diagnoses.treatments`.
       */
      readonly kind: 'level'
      readonly dataset: TableName
      readonly level: string
      /**
       * Whether conditions must hold for one element (data-commons.md 1.3). Otherwise all elements form one
       * value set.
       */
      readonly nested: boolean
      /** Path of the step as seen from the requested dataset, such as `files.analysis.input_files` on cases. */
      readonly path: string
    }
  | {
      /** Leads to the record that this record, or this element, links to. */
      readonly kind: 'link'
      readonly dataset: TableName
      /** Path `at` of the link mount. */
      readonly at: string
      readonly target: TableName
      readonly path: string
    }
  | {
      /** Leads to all records of `target` whose link `through` names this record. */
      readonly kind: 'reverse'
      readonly dataset: TableName
      readonly target: TableName
      readonly through: string
      readonly nested: boolean
      readonly path: string
    }

/** A field of a dataset, resolved to where it is stored. */
export interface FieldPath {
  /** Canonical path, without the dataset's own prefix. */
  readonly path: string
  readonly type: FieldType
  /** Steps in order. Every level on the way has a `level` step; the field's own level comes last. */
  readonly steps: readonly Step[]
  readonly column: { readonly dataset: DatasetName; readonly path: string }
  /** Only for a genomic region: columns of the first and the last position. `column` has the chromosome. */
  readonly region?: { readonly start: string; readonly end: string }
}
