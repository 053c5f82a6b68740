/**
 * What a field holds, and with it how values are compared (data-commons.md 1.4): `keyword` in lower case,
 * `exact` as written, numbers as numbers, `boolean` as `true` and `false`, `text` like `keyword`.
 */
export type FieldType = 'keyword' | 'exact' | 'long' | 'double' | 'float' | 'boolean' | 'text'

/** Fields by name; inner objects are groups. Names are those of the interface (data-commons.md, Names). */
export interface FieldTree {
  readonly [name: string]: FieldType | FieldTree
}

/** The searchable datasets, named as their endpoints; index.ts has an entry for each. */
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
 * Tables that a release derives from its datasets. They have rows, levels and links as these do, but
 * no documents, and nobody can search them (release/associations.ts).
 */
export const ASSOCIATION_NAMES = ['case_genes', 'gene_effects'] as const

export type AssociationName = (typeof ASSOCIATION_NAMES)[number]

/** What has rows in a release. */
export type TableName = DatasetName | AssociationName

/**
 * A part of a record that is another dataset's record, named by its id: the elements of a file's
 * `cases`, the `project` of a case. Stored once, with the other dataset; this record's own document
 * keeps the id and what is listed in `own`.
 */
export interface LinkMount {
  readonly kind: 'link'
  /** Path of the part: `cases`, `project`, `case`. */
  readonly at: string
  readonly dataset: DatasetName
  /** Name, below `at`, of the member that holds the other record's id: `case_id`. */
  readonly by: string
  /** Path of that member where it is not below `at`. */
  readonly idAt?: string
  /** Members below `at` that belong to this record: a file lists only the samples it came from. */
  readonly own: readonly string[]
}

/** A part of a record that is made of all records of another dataset that link to it. */
export interface ReverseMount {
  readonly kind: 'reverse'
  readonly at: string
  readonly dataset: DatasetName
  /** `at` of the other dataset's link that leads here. */
  readonly through: string
  /** Members that bear another name here: `{ occurrence_id: 'ssm_occurrence_id' }`. */
  readonly names: Readonly<Record<string, string>>
}

export type Mount = LinkMount | ReverseMount

/** Datasets by whose fields the records of others are found and counted. */
export type RelatedName = 'cases' | 'files' | 'genes' | 'ssms' | 'cnvs'

/** Paths of the parts of a record that are records of other datasets. */
export type RelatedPaths = Readonly<Partial<Record<RelatedName, string>>>

/**
 * How a record leads to its cases, which is what manifests and cohorts follow. `self`: it is one.
 * `link`: it names its case at `at`. `linked`: cases name it at `at`. `occurrences`: records of `dataset`
 * name it at `at`, and their case at `case`.
 */
export type CasePath =
  | { readonly kind: 'self' }
  | { readonly kind: 'link'; readonly at: string }
  | { readonly kind: 'linked'; readonly at: string }
  | { readonly kind: 'occurrences'; readonly dataset: DatasetName; readonly at: string }

/** How a record is shown among those of several datasets (data-commons.md 4). */
export interface QuickSearch {
  /** What a hit's id starts with before it is encoded. */
  readonly label: string
  readonly fields: readonly string[]
  /** Members that repeat another one, by their name: `{ project_quicksearch: 'name' }`. */
  readonly repeats?: Readonly<Record<string, string>>
}

/** One searchable dataset: all that search, mapping, routes, import and fixtures know of it. */
export interface Dataset {
  readonly name: DatasetName
  /** The index name that `_mapping` shows. */
  readonly docType: string
  readonly idField: string
  /** What one record is called in texts for people: `file`. */
  readonly noun: string
  /** Advertised fields, the mounted ones included, as a client sees them. */
  readonly fields: FieldTree
  /** Fields that are stored and can be named, but are not advertised (data-commons.md 1.2.5). */
  readonly hidden: FieldTree
  /** Paths of arrays of objects whose conditions are bound to one element (data-commons.md 1.3). */
  readonly nested: readonly string[]
  readonly mounts: readonly Mount[]
  /** Mounts that filters and facets follow; no answer shows them (data-commons.md 1.2.6). */
  readonly joins: readonly Mount[]
  /** Where the fields of other datasets are found that a request names by these. */
  readonly related: RelatedPaths
  /** Groups that `expand` takes. */
  readonly expand: readonly string[]
  /** Fields that `/{dataset}/ids?query=` looks into. */
  readonly autocomplete: readonly string[]
  /** Path of the case that a filter on a cohort speaks of, `''` for the record itself (data-commons.md 2.1). */
  readonly caseAt: string
  /** Absent: manifests of its files cannot be asked for on its endpoint. */
  readonly casePath?: CasePath
  /** Absent: `/all` does not look into it. */
  readonly quickSearch?: QuickSearch
  /**
   * Members that only this dataset's records have at their top: an import recognises records by them
   * that do not bear the dataset's id.
   */
  readonly recognisedBy: readonly string[]
}
