import type { Dialect, Transaction } from './database.ts'

/** What nodes tell each other of: stored files and their owners, tokens with rights, keys. */
export type Topic = 'files' | 'tokens' | 'keys'

/** The channel of a PostgreSQL database that nodes listen to. */
export const NEWS_CHANNEL = 'casemill_state'

/** PostgreSQL takes less than 8,000 bytes; an id has 36. */
const MAX_IDS = 100

/** What was written; without ids, anything of the topic may have been. */
export interface News {
  readonly topic: Topic
  readonly ids: readonly string[] | undefined
}

/**
 * Tells all nodes, when and if the transaction is kept, that something was written which they may have
 * cached. An embedded database has nobody who caches.
 */
export async function tell(
  transaction: Transaction,
  dialect: Dialect,
  { topic, ids }: { readonly topic: Topic; readonly ids?: readonly string[] },
): Promise<void> {
  if (dialect === 'sqlite') return
  const named = ids && ids.length <= MAX_IDS ? ids : []
  await transaction.run('SELECT pg_notify(?, ?)', [NEWS_CHANNEL, [topic, ...named].join(' ')])
}

/** The news of a notification; undefined for a topic that only another version knows. */
export function newsOf(payload: string): News | undefined {
  const [topic, ...ids] = payload.split(' ')
  if (topic !== 'files' && topic !== 'tokens' && topic !== 'keys') return undefined
  return { topic, ids: ids.length > 0 ? ids : undefined }
}
