import { type HistoryPageRequest, readDirection, readPage } from '../../shared/input/read-page.ts'
import type { CodeRepository, StoredCode } from './repository.ts'

/** One change to a record. */
export interface CodeHistoryEntry<T> {
  /** The revision that this change created. */
  readonly revision: number
  readonly type: 'ADD' | 'MOD' | 'DEL'
  readonly date: string
  readonly user: string
  readonly comment?: string
  readonly old?: T
  readonly new?: T
}

/**
 * Returns a page of a code's history (registry.md 1.5 c). It is empty for a code that never existed.
 * @throws EngineError `bad_input` if the page request is invalid
 */
export async function codeHistory<T>(
  repository: CodeRepository,
  code: string,
  request: HistoryPageRequest,
  describe: (stored: StoredCode) => T,
): Promise<CodeHistoryEntry<T>[]> {
  const { offset, count: limit } = readPage(request)
  const order = readDirection(request.order)
  const { current, events } = await repository.snapshot(async (at) => ({
    current: await at.record(code),
    events: await at.events(code, { order, limit, offset }),
  }))
  return events.map((event) => {
    const { revision, type, date, user, comment, old, next } = event
    const after = next === undefined ? current && describe(current) : (JSON.parse(next) as T)
    return {
      revision,
      type,
      date,
      user,
      ...(comment !== undefined && { comment }),
      ...(old !== undefined && { old: JSON.parse(old) as T }),
      ...(type !== 'DEL' && after !== undefined && { new: after }),
    }
  })
}
