import type { VersionStep } from './step.ts'

/** The known files, and what replaced them. Ids are lower case. */
export interface KnownFiles {
  /** Returns whether the release has a record of the file. A file with a record has not been replaced. */
  isRecord(id: string): boolean
  step(id: string): VersionStep | undefined
  before(id: string): readonly VersionStep[]
}

export interface VersionChain {
  /** The requested file and the replaced files after it, in order. */
  readonly passed: readonly string[]
  /** Latest version, at the end of the chain. Undefined if files replace each other in a cycle. */
  readonly end?: string
}

/** Maximum number of versions of a file. Cycles and other errors in the data end there. */
const MAX_VERSIONS = 10_000

/** Follows a file to its latest version. Returns undefined for an unknown id. */
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

/** Returns all versions of the file that a chain leads to, oldest first, latest last. */
export function versionsOn({ passed, end }: VersionChain, known: KnownFiles): readonly string[] {
  const found = new Set(end === undefined ? passed : [end])
  // The set grows during the iteration. Versions next to the latest are visited first.
  for (const id of found) {
    for (const { id: earlier } of known.before(id)) {
      if (found.size >= MAX_VERSIONS) break
      const key = earlier.toLowerCase()
      // A file with a record has not been replaced, even if a step says so.
      if (!known.isRecord(key)) found.add(key)
    }
  }
  for (const id of passed) found.add(id)
  return [...found].reverse()
}
