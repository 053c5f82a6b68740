import type { Rows, Transaction } from '../../../shared/database/database.ts'

/** A server as recorded for the other servers. It is alive while its counter grows. */
interface ServerRow {
  readonly id: string
  readonly beats: number
}

/** Sends the heartbeat of a server. Adds the server if it is new or was removed as dead. */
export async function beatServer(transaction: Transaction, id: string): Promise<void> {
  await transaction.run(
    `INSERT INTO submission_servers (id, beats) VALUES (?, 0)
     ON CONFLICT (id) DO UPDATE SET beats = submission_servers.beats + 1`,
    [id],
  )
}

export function allServers(rows: Rows): Promise<ServerRow[]> {
  return rows.all<ServerRow>('SELECT id, beats FROM submission_servers')
}

export async function removeServers(
  transaction: Transaction,
  ids: readonly string[],
): Promise<void> {
  await transaction.runEach(
    'DELETE FROM submission_servers WHERE id = ?',
    ids.map((id) => [id]),
  )
}
