import type { Transaction } from '../../../engine/shared/database/database.ts'
import {
  changeRows,
  type GraphChanges,
} from '../../../engine/submission/transactions/store/entities.ts'

const NONE: GraphChanges = {
  created: [],
  updated: [],
  superseded: [],
  restored: [],
  deleted: [],
  linked: [],
}

/** Writes entities and links to the graph as a transaction with this id would. */
export async function applyChanges(
  transaction: Transaction,
  transactionId: number,
  changes: Partial<GraphChanges>,
): Promise<void> {
  for (const { sql, rows } of changeRows(transactionId, { ...NONE, ...changes })) {
    await transaction.runEach(sql, rows)
  }
}
