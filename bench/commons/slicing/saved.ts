import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { NamedInterval } from '../../../engine/shared/input/region.ts'
import { type Layout, requestsOf, type SliceSet } from './layout.ts'

/** Paths of slices as files, in the order of the set's requests. */
export type SavedSlices = ReadonlyMap<SliceSet, readonly string[]>

/** Makes the slices of some sets: to be counted, and to be served by what we are compared with. */
export async function saveSlices(
  layout: Layout,
  sets: ReadonlySet<SliceSet>,
  folder: string,
  save: (intervals: readonly NamedInterval[], path: string) => Promise<void>,
): Promise<SavedSlices> {
  await mkdir(folder, { recursive: true })
  const saved = new Map<SliceSet, string[]>()
  for (const set of sets) {
    const paths: string[] = []
    for (const intervals of requestsOf(layout, set)) {
      const path = join(folder, `${set}-${paths.length}.bam`)
      await save(intervals, path)
      paths.push(path)
    }
    saved.set(set, paths)
  }
  return saved
}
