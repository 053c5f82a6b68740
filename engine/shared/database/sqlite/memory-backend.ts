import { Gate } from '../../concurrency/gate.ts'
import type { Session } from '../session.ts'
import type { Backend } from '../session-database.ts'
import { CallingSession } from './calling-backend.ts'
import { type Lane, openLane } from './lane.ts'

const WAITING = 1000
const SUBJECT = 'database in memory'
const BUSY = `the ${SUBJECT} has too much to do; try again in a moment`

/** Backend for a database in memory. It has a single connection, so sessions run one after another. */
export class MemoryBackend implements Backend {
  readonly dialect = 'sqlite'
  readonly #lane: Lane = openLane({ path: ':memory:', role: 'writer' })
  readonly #gate = new Gate(1, WAITING, BUSY)

  async session(kind: 'read' | 'write'): Promise<Session> {
    const leave = await this.#gate.enter()
    const mode = kind === 'write' ? 'IMMEDIATE' : 'DEFERRED'
    return new CallingSession(this.#lane, mode, SUBJECT, leave)
  }

  async close(): Promise<void> {
    this.#lane.close()
  }
}
