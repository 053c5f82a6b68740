import type { Dataset, FieldType } from './define.ts'
import { defaultsOf } from './select.ts'
import { fieldsOf } from './tree.ts'

export interface MappingEntry {
  readonly description: string
  readonly doc_type: string
  readonly field: string
  readonly full: string
  readonly type: Exclude<FieldType, 'exact'>
}

export interface Mapping {
  /** Entries keyed by their `full` name. */
  readonly _mapping: Readonly<Record<string, MappingEntry>>
  readonly defaults: readonly string[]
  readonly expand: readonly string[]
  readonly fields: readonly string[]
  readonly multi: readonly string[]
  /** Nested paths, prefixed with the endpoint's name. */
  readonly nested: readonly string[]
}

/** Returns the response of `/{dataset}/_mapping` (data-commons.md 3.3), with fields in ascending order. */
export function mappingOf(dataset: Dataset): Mapping {
  const entries = [...fieldsOf(dataset.fields)]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([field, type]): MappingEntry => {
      const { docType } = dataset
      return {
        description: '',
        doc_type: docType,
        field,
        full: `${docType}.${field}`,
        // The real service does not show how values are compared, so `exact` is shown as `keyword`.
        type: type === 'exact' ? 'keyword' : type,
      }
    })
  return {
    _mapping: Object.fromEntries(entries.map((entry) => [entry.full, entry])),
    defaults: defaultsOf(dataset),
    expand: dataset.expand,
    fields: entries.map(({ field }) => field),
    multi: [],
    nested: dataset.nested.map((path) => `${dataset.name}.${path}`),
  }
}
