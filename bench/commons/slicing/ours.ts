import { open } from 'node:fs/promises'
import { type AlignmentPaths, localAlignment } from '../../../engine/commons/slicing/parts.ts'
import type { Slicer } from '../../../engine/commons/slicing/slicer.ts'
import { atOnce } from '../../../engine/shared/concurrency/at-once.ts'
import { mergeIntervals, type NamedInterval } from '../../../engine/shared/input/region.ts'

/**
 * `directory`: planned and proved by the block directory, as for every imported file. `index`: by
 * the BAI and by what earlier slices have proved, as long as a file has no directory.
 */
export type How = 'directory' | 'index'

/** Threads of everything that is ours; the goals are stated for two. */
export const THREADS = 2

export interface SliceTime {
  readonly milliseconds: number
  /** Until the first bytes of the body were there. */
  readonly firstByte: number
  readonly bytes: number
}

/** Makes a slice and drops its bytes. */
export async function timeSlice(
  slicer: Slicer,
  paths: AlignmentPaths,
  intervals: readonly NamedInterval[],
  how: How,
): Promise<SliceTime> {
  const start = performance.now()
  const { body } = await openSlice(slicer, paths, intervals, how)
  let bytes = 0
  let firstByte = 0
  for await (const chunk of body) {
    if (bytes === 0) firstByte = performance.now() - start
    bytes += chunk.length
  }
  return { milliseconds: performance.now() - start, firstByte, bytes }
}

/** Makes a slice as a file. */
export async function saveSlice(
  slicer: Slicer,
  paths: AlignmentPaths,
  intervals: readonly NamedInterval[],
  how: How,
  path: string,
): Promise<void> {
  const { body } = await openSlice(slicer, paths, intervals, how)
  const file = await open(path, 'w')
  try {
    for await (const chunk of body) await file.writeFile(chunk)
  } finally {
    await file.close()
  }
}

function openSlice(
  slicer: Slicer,
  paths: AlignmentPaths,
  intervals: readonly NamedInterval[],
  how: How,
) {
  const select = ({ numberOf }: { readonly numberOf: ReadonlyMap<string, number> }) => {
    return { intervals: atOnce(mergeIntervals(intervals, numberOf)), unplaced: false }
  }
  return slicer.slice(localAlignment(paths), select, { locate: how })
}
