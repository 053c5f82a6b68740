import { EngineError } from '../../shared/errors.ts'
import type { Job } from '../../shared/executor.ts'
import { SEARCH_GRAPH_LIMITS } from './limits.ts'

/** What is taken of an object for an answer, as plain data: members in the order of the document. */
export interface PickedMember {
  /** The name in the answer. */
  readonly as: string
  /** The member, or, with `text`, nothing. */
  readonly from: string
  /** A value that is the same in every answer, as JSON. */
  readonly text?: string
  /** What is taken of the member's objects. */
  readonly picks?: readonly PickedMember[]
}

type Members = Readonly<Record<string, unknown>>

/** What is taken of one value, and how long its JSON may become. */
export interface PickInput {
  readonly value: unknown
  readonly picks: readonly PickedMember[]
  readonly characters: number
}

/** The JSON of what is taken of one value, as bytes. */
export const pickJob: Job<PickInput, Uint8Array<ArrayBuffer>> = {
  name: 'search-graph.pick',
  run: ({ value, picks, characters }) =>
    new TextEncoder().encode(picked(value, picks, new Room(characters))),
  transfer: ({ buffer }) => [buffer],
}

/** Characters that may still be written: many names of one member are written for each element of a list. */
export class Room {
  #left: number

  constructor(characters: number) {
    this.#left = characters
  }

  /** @throws EngineError too_many */
  take(characters: number): void {
    this.#left -= characters
    if (this.#left < 0) throw tooLong()
  }
}

export function tooLong(): EngineError {
  const message = `the answer is longer than the limit of ${SEARCH_GRAPH_LIMITS.bytes} bytes; ask for less in one document`
  return new EngineError('too_many', message)
}

/**
 * The JSON of what is taken of a value: of an object, of each element of a list, or a single value.
 * @throws EngineError too_many without room
 */
export function picked(
  value: unknown,
  picks: readonly PickedMember[] | undefined,
  room: Room,
): string {
  if (value === undefined || value === null) return 'null'
  if (picks === undefined) {
    const text = JSON.stringify(value)
    room.take(text.length)
    return text
  }
  if (Array.isArray(value)) return `[${value.map((one) => picked(one, picks, room)).join(',')}]`
  const members = picks.map(({ as, from, text, picks: below }) => {
    room.take(as.length + (text?.length ?? 0))
    const member = text ?? picked((value as Members)[from], below, room)
    return `${JSON.stringify(as)}:${member}`
  })
  return `{${members.join(',')}}`
}

/** How much is written of each element: 1 for each name of usual length. */
export const weightOf = (picks: readonly PickedMember[]): number =>
  picks.reduce((sum, { as, picks: below = [] }) => sum + 1 + as.length / 32 + weightOf(below), 0)
