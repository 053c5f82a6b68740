import { EngineError } from '../../shared/errors.ts'
import type { Job } from '../../shared/executor.ts'
import { SEARCH_GRAPH_LIMITS } from './limits.ts'

/** A member that an answer takes of an object, as plain data. Members are in the order of the document. */
export interface PickedMember {
  /** The name in the answer. */
  readonly as: string
  /** The name of the member. It means nothing where there is a `text`. */
  readonly from: string
  /** A value that is the same in every answer, as JSON. */
  readonly text?: string
  /** Members that are taken of the member's objects. */
  readonly picks?: readonly PickedMember[]
}

type Members = Readonly<Record<string, unknown>>

/** A value, the members to take of it, and the maximum length of their JSON. */
interface PickInput {
  readonly value: unknown
  readonly picks: readonly PickedMember[]
  readonly characters: number
}

/** Formats the members taken of a value as JSON bytes. */
export const pickJob: Job<PickInput, Uint8Array<ArrayBuffer>> = {
  name: 'search-graph.pick',
  run: ({ value, picks, characters }) =>
    new TextEncoder().encode(picked(value, picks, new Room(characters))),
  transfer: ({ buffer }) => [buffer],
}

/** Counts down the characters that may still be written. Aliases repeat a member for each element of a list. */
export class Room {
  #left: number

  constructor(characters: number) {
    this.#left = characters
  }

  /** @throws EngineError too_many if fewer characters are left */
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
 * Formats the members taken of a value as JSON: of an object, of each element of a list, or the single value.
 * @throws EngineError too_many if there is not enough room
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

/** Estimates how much is written per element: about 1 for each name. */
export const weightOf = (picks: readonly PickedMember[]): number =>
  picks.reduce((sum, { as, picks: below = [] }) => sum + 1 + as.length / 32 + weightOf(below), 0)
