import { DATASET_NAMES, type DatasetName } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'

export interface QuickSearchRequest {
  /** The start of an id or name, in any case. */
  readonly query: string
  readonly size: number
}

/** What `/all` answers (data-commons.md 4, vectors 27 and 28). */
export interface QuickSearchAnswer {
  readonly data: {
    readonly query: {
      readonly hits: readonly Readonly<Record<string, unknown>>[]
      readonly total: number
    }
  }
}

/** What is searched, in the order of the hits. */
export const QUICK_SEARCHED = DATASET_NAMES.filter((name) => DATASETS[name].quickSearch)

export const quickSearchFields = (name: DatasetName): readonly string[] =>
  DATASETS[name].quickSearch?.fields ?? []

/** A record as a hit: its id names the kind of record, too. */
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
