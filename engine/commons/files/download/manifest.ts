import type { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import { EngineError } from '../../../shared/errors.ts'
import type { Executor } from '../../../shared/executor.ts'
import { renderManifest } from '../../render/manifest.ts'
import { notBegun } from '../../search/body.ts'
import type { CurrentRelease } from '../../search/current-release.ts'
import { leasedAnswer, type SearchAnswer, type SearchRun } from '../../search/leased-answer.ts'
import { rowsOf } from '../records/described-files.ts'
import { normalised } from './downloads.ts'

interface ManifestContext extends Pick<SearchRun, 'signal' | 'release'> {
  readonly current: CurrentRelease
  readonly executor: Executor
  readonly turns?: LoopTurns | undefined
}

/**
 * Streams the download manifest of files by id, with the same bytes as a search for the same files
 * (data-commons.md 3.7).
 * @throws EngineError bad_input without an id, not_found naming the id, gone for a release that is not open,
 * unavailable, corrupt_source
 */
export async function manifestOf(
  given: readonly string[],
  { current, executor, turns, signal, release: named }: ManifestContext,
): Promise<SearchAnswer> {
  const ids = normalised(given)
  if (ids.length === 0) throw new EngineError('bad_input', 'no ids are given', { at: 'ids' })
  const run = { signal, release: named }
  return leasedAnswer(current, 'text/tab-separated-values', run, async (release, stop) => {
    const rows = await rowsOf('files', ids, release, {
      turns,
      missing(id) {
        throw new EngineError('not_found', `no file has the id "${id.slice(0, 80)}"`)
      },
    })
    const context = { release, executor, signal: stop }
    return notBegun(renderManifest(Uint32Array.from(rows.values()), context))
  })
}
