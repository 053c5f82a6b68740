import type { Dialect, Transaction } from './database.ts'

/** Subject of a notification between nodes: stored files and owners, tokens with rights, or registry keys. */
type Topic = 'files' | 'tokens' | 'keys'

/** NOTIFY channel that all nodes listen to. */
export const NEWS_CHANNEL = 'casemill_state'

/** Maximum ids per notification. PostgreSQL limits a payload to 8,000 bytes, and an id has 36. */
const MAX_IDS = 100

/** Rows that were written. Without ids, any row of the topic may have changed. */
export interface News {
  readonly topic: Topic
  readonly ids: readonly string[] | undefined
}

/**
 * Notifies all nodes about rows that they may have cached. The notification is sent when the transaction
 * commits. Does nothing for an embedded database, because it has no caches.
 */
export async function notify(
  transaction: Transaction,
  dialect: Dialect,
  { topic, ids }: { readonly topic: Topic; readonly ids?: readonly string[] },
): Promise<void> {
  if (dialect === 'sqlite') return
  const named = ids && ids.length <= MAX_IDS ? ids : []
  await transaction.run('SELECT pg_notify(?, ?)', [NEWS_CHANNEL, [topic, ...named].join(' ')])
}

/** Parses the payload of a notification. Returns undefined for a topic of a newer version. */
export function newsOf(payload: string): News | undefined {
  const [topic, ...ids] = payload.split(' ')
  if (topic !== 'files' && topic !== 'tokens' && topic !== 'keys') return undefined
  return { topic, ids: ids.length > 0 ? ids : undefined }
}
