import { callerOf } from '../../../shared/access/support/caller.ts'
import { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import type { Database } from '../../../shared/database/database.ts'
import {
  type Reader,
  readList,
  readMembers,
  readOneOf,
  readText,
} from '../../../shared/input/json-members.ts'
import { newState } from '../../../shared/support/new-state.ts'
import type { RecordDefinition } from '../definition.ts'
import { PublishingArea } from '../publishing-area.ts'

export { callerOf } from '../../../shared/access/support/caller.ts'
export { refusal } from '../../../shared/support/refusal.ts'

/** A small content with a member of each kind. */
export interface MadeContent {
  readonly name: string
  readonly type: MadeType
  readonly text?: string
  readonly tags?: readonly string[]
}

const MADE_TYPES = ['DRUG', 'REGIMEN'] as const
type MadeType = (typeof MADE_TYPES)[number]

const parse: Reader<MadeContent> = readMembers<MadeContent>(
  { name: readText, type: readOneOf(MADE_TYPES) },
  { text: readText, tags: readList(readText) },
)

export const MADE: RecordDefinition<MadeContent> = {
  area: 'rx',
  editor: 'RX_EDITOR',
  parse: (body) => parse(body, ''),
  filters: { type: MADE_TYPES, tags: undefined },
  orders: ['type'],
  indexed: ({ name, type, text = '', tags = [] }) => ({
    texts: [
      { text: name, weight: 3 },
      { text, weight: 1 },
    ],
    filters: { type: [type], tags },
    orders: { type },
  }),
  project: ({ name, type, ...more }, output) =>
    output === 'MIN' ? { name, type } : { name, type, ...more },
  glossaryTexts: ({ text }) => (text === undefined ? [] : [text]),
}

export const READER = callerOf()
export const EDITOR = callerOf('RX_EDITOR')

/** A clock that advances by one second each time it is read. */
class SteppingClock {
  #next = Date.parse('2026-03-01T12:00:00.000Z')
  readonly read = () => {
    this.#next += 1000
    return new Date(this.#next)
  }

  to(time: string): void {
    this.#next = Date.parse(time)
  }
}

/** Opens an area on the given database, or on a new one. Its ids are 1, 2, ... */
export async function openMade(
  given?: Database,
  clock = new SteppingClock(),
  turns = new LoopTurns(),
) {
  const state = given ?? (await newState())
  let ids = 0
  const newId = () => String(++ids)
  const area = new PublishingArea({ state, clock: clock.read, definition: MADE, newId, turns })
  return { area, clock, state }
}

export const DEV = 'development'

/** A body of an acceptable record. */
export function drug(id: string, name: string, more: object = {}) {
  return { id, name, type: 'DRUG', ...more }
}

/** Opens an area with this number of published drugs, named `Name 0`, `Name 1`, ... */
export async function publishedArea(count: number) {
  const made = await openMade()
  const bodies = Array.from({ length: count }, (_, i) => drug(`id-${i}`, `Name ${i}`))
  await made.area.load(bodies, { user: 'loader', description: 'Initial migration' })
  return made
}
