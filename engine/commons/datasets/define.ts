/**
 * Type of a field, which also determines how values are compared (data-commons.md 1.4): `keyword` and `text`
 * ignore case, `exact` does not, numbers compare as numbers, `boolean` is `true` or `false`.
 */
export type FieldType = 'keyword' | 'exact' | 'long' | 'double' | 'float' | 'boolean' | 'text'

/** Fields by name, with nested objects as groups. Names are those of the interface (data-commons.md, Names). */
export interface FieldTree {
  readonly [name: string]: FieldType | FieldTree
}

/** The searchable datasets, named like their endpoints. index.ts has an entry for each. */
export const DATASET_NAMES = [
  'projects',
  'cases',
  'files',
  'annotations',
  'genes',
  'ssms',
  'ssm_occurrences',
  'cnvs',
  'cnv_occurrences',
  'segment_cnvs',
  'segment_cnv_occurrences',
] as const

export type DatasetName = (typeof DATASET_NAMES)[number]

/**
 * Tables that a release derives from its datasets. They have rows, levels and links, but no documents, and
 * cannot be searched directly (release/associations.ts).
 */
export const ASSOCIATION_NAMES = ['case_genes', 'gene_effects'] as const

export type AssociationName = (typeof ASSOCIATION_NAMES)[number]

/** Name of a table that has rows in a release. */
export type TableName = DatasetName | AssociationName

/**
 * A part of a record that is a record of another dataset, referred to by its id. Examples are the elements of a
 * file's `cases`, and the `project` of a case. The record is stored only in the other dataset. This record's
 * document contains its id and the members listed in `own`.
 */
export interface LinkMount {
  readonly kind: 'link'
  /** Path of the part, such as `cases`, `project` or `case`. */
  readonly at: string
  readonly dataset: DatasetName
  /** Name, below `at`, of the member that holds the other record's id, such as `case_id`. */
  readonly by: string
  /** Path of that member if it is not below `at`. */
  readonly idAt?: string
  /** Members below `at` that belong to this record. For example, a file lists only the samples that it is from. */
  readonly own: readonly string[]
}

/** A part of a record that consists of all records of another dataset that link to this record. */
export interface ReverseMount {
  readonly kind: 'reverse'
  readonly at: string
  readonly dataset: DatasetName
  /** Path `at` of the link in the other dataset. */
  readonly through: string
  /** Members that have another name here, as in `{ occurrence_id: 'ssm_occurrence_id' }`. */
  readonly names: Readonly<Record<string, string>>
}

export type Mount = LinkMount | ReverseMount

/** Datasets whose fields can be used to find and count records of other datasets. */
export type RelatedName = 'cases' | 'files' | 'genes' | 'ssms' | 'cnvs'

/** Paths of the parts of a record that are records of other datasets. */
export type RelatedPaths = Readonly<Partial<Record<RelatedName, string>>>

/**
 * Path from a record to its cases, for manifests and cohorts. `self`: the record is a case. `link`: the record
 * refers to its case at `at`. `linked`: cases refer to the record at `at`. `occurrences`: records of `dataset`
 * refer to the record at `at`, and to their case at `case`.
 */
export type CasePath =
  | { readonly kind: 'self' }
  | { readonly kind: 'link'; readonly at: string }
  | { readonly kind: 'linked'; readonly at: string }
  | { readonly kind: 'occurrences'; readonly dataset: DatasetName; readonly at: string }

/** Presentation of a record among those of several datasets (data-commons.md 4). */
export interface QuickSearch {
  /** Prefix of a hit's id before encoding. */
  readonly label: string
  readonly fields: readonly string[]
  /** Members that have the same value as another, with that member's name: `{ project_quicksearch: 'name' }`. */
  readonly repeats?: Readonly<Record<string, string>>
}

/** Definition of a searchable dataset, the single source for search, mapping, routes, import and fixtures. */
export interface Dataset {
  readonly name: DatasetName
  /** Index name that `_mapping` shows. */
  readonly docType: string
  readonly idField: string
  /** Word for one record in messages, such as `file`. */
  readonly noun: string
  /** Advertised fields as clients see them, including those of mounts. */
  readonly fields: FieldTree
  /** Stored fields that requests may name but that are not advertised (data-commons.md 1.2.5). */
  readonly hidden: FieldTree
  /** Paths of arrays. All conditions on such an array must hold for the same element (data-commons.md 1.3). */
  readonly nested: readonly string[]
  readonly mounts: readonly Mount[]
  /** Mounts that filters and facets follow but no response shows (data-commons.md 1.2.6). */
  readonly joins: readonly Mount[]
  /** Paths at which the fields of other datasets are. */
  readonly related: RelatedPaths
  /** Groups that the `expand` parameter accepts. */
  readonly expand: readonly string[]
  /** Fields that `/{dataset}/ids?query=` searches. */
  readonly autocomplete: readonly string[]
  /** Path of the case that cohort filters apply to. Empty for the record itself (data-commons.md 2.1). */
  readonly caseAt: string
  /** Path to the cases of a record. If absent, the dataset's endpoint offers no manifests. */
  readonly casePath?: CasePath
  /** How `/all` shows records. If absent, `/all` does not search the dataset. */
  readonly quickSearch?: QuickSearch
  /** Top-level members that only this dataset has. Imports use them to recognise records without an id. */
  readonly recognisedBy: readonly string[]
}
