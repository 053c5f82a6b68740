import type { Kept } from '../executor.ts'
import { type AnswerLine, lineJob } from '../line-batch/line-job.ts'
import { CompiledVersion } from '../staging/compiled-version.ts'
import { parseInputMap } from '../staging/parse.ts'
import { type StageOptions, stage } from '../staging/stage.ts'
import { readVersion, type VersionText } from './version-text.ts'
import { withoutNulls } from './without-nulls.ts'

/** By what the cases of a batch are staged. */
export interface StageLines extends StageOptions {
  readonly version: VersionText
  /** The current year in four digits. */
  readonly year: string
}

/** Stages the case of each line. */
export const stageLinesJob = lineJob<StageLines>('staging.lines', (by, scratch) => {
  const kept = scratch.kept('staging versions', () => new KeptVersions())
  return stageLine(kept.of(by), by)
})

/** As many as are published; each takes some ten megabytes of a thread. */
const KEPT_VERSIONS = 4

/** Versions as one thread has compiled them; the one that was not asked for longest goes first. */
class KeptVersions implements Kept {
  /** Bounded by its own number: were it counted beside buffers, none could be kept. */
  readonly bytes = 0
  readonly #kept = new Map<string, CompiledVersion>()

  of({ version, year }: StageLines): CompiledVersion {
    const key = `${version.key} ${year}`
    const made =
      this.#kept.get(key) ?? new CompiledVersion(readVersion(version), { yearNow: () => year })
    this.#kept.delete(key)
    this.#kept.set(key, made)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT_VERSIONS) break
      this.#kept.delete(oldest)
    }
    return made
  }
}

/** What a thread does with each line. */
export function stageLine(version: CompiledVersion, options: StageOptions): AnswerLine {
  return (line) => {
    const staged = stage(version, parseInputMap(line), options)
    const input = withoutNulls(staged.input)
    return JSON.stringify(input === staged.input ? staged : { ...staged, input })
  }
}
