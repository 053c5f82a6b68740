import { EngineError } from '../../../shared/errors.ts'
import {
  type HistoryPageRequest,
  readDirection,
  readPage,
} from '../../../shared/input/read-page.ts'
import { MAX_HISTORY_CHARACTERS } from '../../history-size.ts'
import type { EntityOf, SchemaOrTable, VersionName } from './entities.ts'
import type { StagingSources } from './sources.ts'
import type { StoredHistory } from './stored.ts'

export interface HistoryEntry<Entity> extends VersionName {
  /** Number of the entry within the version, starting at 1. It identifies the entry to restore. */
  readonly number: number
  readonly type: 'ADD' | 'MOD' | 'DEL'
  readonly id: string
  readonly date: string
  readonly user: string
  readonly comment?: string
  readonly old?: Entity
  readonly new?: Entity
}

export interface HistoryRequest extends HistoryPageRequest {
  /** Defaults to all schemas or tables. */
  readonly id?: string | undefined
}

/**
 * Returns a page of a history (registry.md 1.5).
 * @throws EngineError `bad_input` for an invalid page or order; `too_many` if the states of the page have more than
 *   MAX_HISTORY_CHARACTERS, with the `per_page` that fits in the message
 */
export async function historyPage<K extends SchemaOrTable>(
  { repository, turns }: Pick<StagingSources, 'repository' | 'turns'>,
  name: VersionName,
  kind: K,
  request: HistoryRequest,
): Promise<HistoryEntry<EntityOf[K]>[]> {
  const { offset, count: limit } = readPage(request)
  const span = { kind, id: request.id, order: readDirection(request.order), limit, offset }
  return repository.snapshot(async (snapshot) => {
    const entries: HistoryEntry<EntityOf[K]>[] = []
    let characters = 0
    for await (const stored of snapshot.history(name, span)) {
      characters += (stored.old?.length ?? 0) + (stored.new?.length ?? 0)
      // A single entry is returned however large it is.
      if (characters > MAX_HISTORY_CHARACTERS && entries.length > 0) {
        const message = `the page is too large; request a "per_page" of up to ${entries.length}`
        throw new EngineError('too_many', message, { at: 'per_page' })
      }
      await turns.pause()
      entries.push(entryOf(name, stored))
    }
    return entries
  })
}

function entryOf<Entity>(
  { algorithm, version }: VersionName,
  stored: StoredHistory,
): HistoryEntry<Entity> {
  const { number, type, id, date, user, comment } = stored
  return {
    number,
    type,
    algorithm,
    version,
    id,
    date,
    user,
    ...(comment !== null && { comment }),
    ...(stored.old !== null && { old: JSON.parse(stored.old) as Entity }),
    ...(stored.new !== null && { new: JSON.parse(stored.new) as Entity }),
  }
}
