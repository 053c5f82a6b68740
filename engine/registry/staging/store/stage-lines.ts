import { LruCache } from '../../../shared/concurrency/lru-cache.ts'
import type { Scratch } from '../../../shared/executor.ts'
import { type AnswerLine, lineJob } from '../../ndjson-batch/line-job.ts'
import { CompiledVersion } from '../algorithm/compiled-version.ts'
import { parseInputMap } from '../algorithm/parse.ts'
import { type StageOptions, stage } from '../algorithm/stage.ts'
import { readVersion, type VersionText } from './version-text.ts'
import { withoutNulls } from './without-nulls.ts'

/** The input for staging the cases of a batch. */
export interface StageLines extends StageOptions {
  readonly version: VersionText
  /** The current year in four digits. */
  readonly year: string
}

/** Stages the case in each line. */
export const stageLinesJob = lineJob<StageLines>('staging.lines', (by, scratch) =>
  stageLine(compiledFor(by, scratch), by),
)

/** Returns the thread's compiled version, which is cached across chunks. */
export function compiledFor({ version, year }: StageLines, scratch: Scratch): CompiledVersion {
  const cache = scratch.cached(
    'staging versions',
    () => new LruCache<CompiledVersion>(MAX_CACHED_VERSIONS),
  )
  return cache.of(
    `${version.key} ${year}`,
    () => new CompiledVersion(readVersion(version), { yearNow: () => year }),
  )
}

/** The number of published algorithms; each takes tens of megabytes per thread. */
const MAX_CACHED_VERSIONS = 4

/** Creates the function that a thread applies to each line. */
function stageLine(version: CompiledVersion, options: StageOptions): AnswerLine {
  return (line) => {
    const staged = stage(version, parseInputMap(line), options)
    const input = withoutNulls(staged.input)
    return JSON.stringify(input === staged.input ? staged : { ...staged, input })
  }
}
