import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { answerOf, type Door, submit } from './client.ts'
import {
  AMOUNTS,
  aliquotsOf,
  digestOfRows,
  type InputName,
  projectCode,
  STORED,
  type StoredRow,
  tableOf,
} from './input.ts'
import { type Peer, rowsOf } from './peers.ts'
import { PINS } from './pins.ts'

/** A service and a peer of which nobody has aliquots yet. */
interface Checked {
  readonly door: Door
  readonly peer: Peer
  /** For tables. */
  readonly folder: string
  /** What the service keeps of aliquots. */
  stored(): Promise<readonly StoredRow[]>
}

/**
 * Has both store the aliquots of a turn.
 * @throws Error when the service answers otherwise than is pinned, or somebody stores other rows
 */
export async function checkAnswers(
  { door, peer, folder, stored }: Checked,
  name: InputName,
  turn: number,
): Promise<void> {
  const aliquots = aliquotsOf(AMOUNTS[name], turn)
  const path = join(folder, 'first.tsv')
  await writeFile(path, tableOf(aliquots))
  await submit(door, { path, code: projectCode(0) })
  await peer.insert(rowsOf(aliquots, turn))
  const answer = await answerOf(path)
  const told = {
    entities: answer.created_entity_count,
    cases: answer.cases_related_to_created_entities_count,
  }
  for (const all of [await stored(), await peer.stored()]) {
    const found = { ...told, rows: digestOfRows(all) }
    if (isDeepStrictEqual(found, PINS[name])) continue
    throw new Error(`there are other rows than are pinned: ${JSON.stringify(found)}`)
  }
}

/** Aliquots in the database of a data folder. */
export function storedIn(path: string): readonly StoredRow[] {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return database.prepare(STORED).all() as unknown as StoredRow[]
  } finally {
    database.close()
  }
}
