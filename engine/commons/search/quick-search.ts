import { DATASET_NAMES, type DatasetName } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'

export interface QuickSearchRequest {
  /** Prefix of an id or name, in any case. */
  readonly query: string
  readonly size: number
}

/** Response of `/all` (data-commons.md 4, vectors 27 and 28). */
export interface QuickSearchAnswer {
  readonly data: {
    readonly query: {
      readonly hits: readonly Readonly<Record<string, unknown>>[]
      readonly total: number
    }
  }
}

/** Datasets that are searched, in the order of their hits. */
export const QUICK_SEARCHED = DATASET_NAMES.filter((name) => DATASETS[name].quickSearch)

export const quickSearchFields = (name: DatasetName): readonly string[] =>
  DATASETS[name].quickSearch?.fields ?? []

/** Returns a record as a search hit. Its id includes the kind of record. */
export function quickSearchHit(
  name: DatasetName,
  id: string,
  record: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { label = name, repeats = {} } = DATASETS[name].quickSearch ?? {}
  const repeated = Object.entries(repeats).map(([as, member]) => [as, record[member]] as const)
  return {
    ...record,
    id: Buffer.from(`${label}:${id}`).toString('base64'),
    ...Object.fromEntries(repeated),
  }
}
