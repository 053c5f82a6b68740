import { EngineError } from '../errors.ts'
import type { Executor } from '../executor.ts'
import { rowsOf } from '../file-records/spoken-files.ts'
import { renderManifest } from '../render/manifest.ts'
import { LeasedBody, notBegun } from '../search/body.ts'
import type { CurrentRelease } from '../search/current-release.ts'
import type { SearchAnswer } from '../search/search.ts'
import { normalised } from './downloads.ts'

export interface ManifestContext {
  readonly current: CurrentRelease
  readonly executor: Executor
  readonly signal?: AbortSignal | undefined
}

/**
 * The download manifest of files by their ids, made while it is taken: the same bytes as a search
 * that finds the same files (contract 3.7).
 * @throws EngineError bad_input without an id, not_found naming the id, unavailable, corrupt_source
 */
export async function manifestOf(
  given: readonly string[],
  { current, executor, signal }: ManifestContext,
): Promise<SearchAnswer> {
  const ids = normalised(given)
  if (ids.length === 0) throw new EngineError('bad_input', 'no ids are given', { at: 'ids' })
  const lease = current.lease()
  const { release } = lease
  const stop = new AbortController()
  try {
    const rows = await rowsOf('files', ids, release)
    const missing = ids.find((id) => !rows.has(id))
    if (missing !== undefined) {
      throw new EngineError('not_found', `no file has the id "${missing.slice(0, 80)}"`)
    }
    const stopping = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
    const context = { release, executor, signal: stopping }
    const body = new LeasedBody(
      notBegun(renderManifest(Uint32Array.from(rows.values()), context)),
      lease,
    )
    return {
      contentType: 'text/tab-separated-values',
      releaseId: release.id,
      body,
      close() {
        stop.abort()
        return body.close()
      },
    }
  } catch (error) {
    lease.end()
    throw error
  }
}
