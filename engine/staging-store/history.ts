import { EngineError } from '../errors.ts'
import { readCount } from '../read-count.ts'
import type { EntityOf, SchemaOrTable, VersionName } from './entities.ts'
import type { StagingRepository, StoredHistory } from './repository.ts'

export interface HistoryEntry<Entity> extends VersionName {
  /** Counts the entries of the version, beginning at 1; what restoring names. */
  readonly number: number
  readonly type: 'ADD' | 'MOD' | 'DEL'
  readonly id: string
  readonly date: string
  readonly user: string
  readonly comment?: string
  readonly old?: Entity
  readonly new?: Entity
}

/** Numbers may be as the query has them. */
export interface HistoryWish {
  /** Left out, all schemas or tables. */
  readonly id?: string | undefined
  readonly page?: string | number | undefined
  readonly perPage?: string | number | undefined
  /** ASC or DESC; left out, DESC: newest first. */
  readonly order?: string | undefined
}

const PER_PAGE = { byDefault: 25, least: 1, most: 1000 }
const LAST_PAGE = 1e9
/** Characters of entities in one answer. */
const MOST_CHARACTERS = 64e6

/**
 * A page of a history (registry.md 1.5).
 * @throws EngineError bad_input for a page that cannot be; too_many
 */
export function historyPage<K extends SchemaOrTable>(
  repository: StagingRepository,
  name: VersionName,
  kind: K,
  wish: HistoryWish,
): HistoryEntry<EntityOf[K]>[] {
  const page = readCount(wish.page, 'page', { byDefault: 1, least: 1, most: LAST_PAGE })
  const perPage = readCount(wish.perPage, 'per_page', PER_PAGE)
  const { id, order = 'DESC' } = wish
  if (order !== 'ASC' && order !== 'DESC') {
    throw new EngineError('bad_input', '"order" is none of ASC, DESC', { at: 'order' })
  }
  const span = { kind, id, order, limit: perPage, offset: (page - 1) * perPage } as const
  const entries: HistoryEntry<EntityOf[K]>[] = []
  let characters = 0
  for (const stored of repository.history(name, span)) {
    characters += (stored.old?.length ?? 0) + (stored.new?.length ?? 0)
    if (characters > MOST_CHARACTERS && entries.length > 0) {
      const message = `the page is too large; ask for a "per_page" of up to ${entries.length}`
      throw new EngineError('too_many', message, { at: 'per_page' })
    }
    entries.push(entryOf(name, stored))
  }
  return entries
}

function entryOf<Entity>(
  { algorithm, version }: VersionName,
  stored: StoredHistory,
): HistoryEntry<Entity> {
  const { number, type, id, date, user, comment } = stored
  return {
    ...{ number, type, algorithm, version, id, date, user },
    ...(comment !== null && { comment }),
    ...(stored.old !== null && { old: JSON.parse(stored.old) as Entity }),
    ...(stored.new !== null && { new: JSON.parse(stored.new) as Entity }),
  }
}
