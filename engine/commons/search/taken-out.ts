import { setImmediate } from 'node:timers/promises'
import { DATASET_NAMES, type DatasetName } from '../datasets/define.ts'
import type { Dictionary } from '../release/dictionary.ts'
import { columnKey } from '../release/layout.ts'
import type { Release } from '../release/release.ts'

/** Entries compared between two yields to the event loop. */
const AT_ONCE = 1 << 16
/** Matches fields that identify records or their parts: `case_id`, `samples.sample_id`. */
const ID_FIELD = /(^|\.)[^.]*_id$/

/**
 * Returns the first field of which an id of the earlier release is missing in the later one, or undefined if
 * nothing was removed. Both releases must stay open meanwhile.
 * @throws EngineError corrupt_source if a release is damaged
 */
export async function takenOut(earlier: Release, later: Release): Promise<string | undefined> {
  for (const dataset of DATASET_NAMES) {
    for (const path of Object.keys(earlier.manifest.datasets[dataset].columns)) {
      if (!ID_FIELD.test(path)) continue
      if (!(await keepsAll({ dataset, path }, earlier, later))) return `${dataset}.${path}`
    }
  }
  return undefined
}

async function keepsAll(
  { dataset, path }: { readonly dataset: DatasetName; readonly path: string },
  earlier: Release,
  later: Release,
): Promise<boolean> {
  const key = columnKey(dataset, path)
  if (earlier.hasSameArrays(key, later)) return true
  const before = await earlier.dictionary(key)
  const now = await later.dictionary(key)
  return before === undefined || (now !== undefined && (await isWithin(before, now)))
}

/** Returns whether all entries of one dictionary are in another. Both are ascending. */
async function isWithin(some: Dictionary, all: Dictionary): Promise<boolean> {
  if (some.kind !== all.kind || some.size > all.size) return false
  let code = 1
  for (let wanted = 1; wanted <= some.size; wanted++) {
    while (code <= all.size && all.compareTo(code, some, wanted) < 0) code++
    if (code > all.size || all.compareTo(code, some, wanted) !== 0) return false
    if (wanted % AT_ONCE === 0) await setImmediate()
  }
  return true
}
