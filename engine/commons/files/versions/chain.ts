import type { VersionStep } from './step.ts'

/** What is known of files and of their replacement, by ids in lower case. */
export interface KnownFiles {
  /** The release serves a record of the file: nothing replaced it. */
  isRecord(id: string): boolean
  step(id: string): VersionStep | undefined
  before(id: string): readonly VersionStep[]
}

export interface VersionChain {
  /** Replaced files from the asked one on, each replaced by the next. */
  readonly passed: readonly string[]
  /** Where it ends: the latest version; absent where files replace each other in a ring. */
  readonly end?: string
}

/** Versions of one file, at most: rings and errors of the data end there. */
const MAX_VERSIONS = 10_000

/** Follows a file to its latest version; `undefined` for an id that nothing is known of. */
export function chainFrom(id: string, known: KnownFiles): VersionChain | undefined {
  const passed = new Set<string>()
  let at = id
  while (!known.isRecord(at)) {
    const next = known.step(at)?.next?.id.toLowerCase()
    if (next === undefined) {
      const isReported =
        passed.size > 0 || known.step(at) !== undefined || known.before(at).length > 0
      return isReported ? { passed: [...passed], end: at } : undefined
    }
    passed.add(at)
    if (passed.has(next) || passed.size >= MAX_VERSIONS) return { passed: [...passed] }
    at = next
  }
  return { passed: [...passed], end: at }
}

/**
 * All versions of the file that a way leads to, whichever of them it began with: the oldest first,
 * and the latest one last.
 */
export function versionsOn({ passed, end }: VersionChain, known: KnownFiles): readonly string[] {
  const found = new Set(end === undefined ? passed : [end])
  // The set grows while it is gone through: nearest to the end first.
  for (const id of found) {
    for (const { id: earlier } of known.before(id)) {
      if (found.size >= MAX_VERSIONS) break
      const key = earlier.toLowerCase()
      // What has a record of its own is current, whatever a step says.
      if (!known.isRecord(key)) found.add(key)
    }
  }
  for (const id of passed) found.add(id)
  return [...found].reverse()
}
