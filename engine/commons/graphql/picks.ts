import { EngineError } from '../../shared/errors.ts'
import type { Job } from '../../shared/executor.ts'
import { SEARCH_GRAPH_LIMITS } from './limits.ts'

/** A field to copy from an object to the response, as plain data in document order. */
export interface PickedMember {
  /** Name of the member in the response. */
  readonly as: string
  /** Name in the object. Ignored if `text` is set. */
  readonly from: string
  /** Constant JSON to use as the value. */
  readonly text?: string
  /** Fields to copy from the value, if it is an object or a list of objects. */
  readonly picks?: readonly PickedMember[]
}

type Members = Readonly<Record<string, unknown>>

/** A value, the fields to copy from it, and the maximum length of the output. */
interface PickInput {
  readonly value: unknown
  readonly picks: readonly PickedMember[]
  readonly characters: number
}

/** Renders the selected fields of a value as JSON bytes. */
export const pickJob: Job<PickInput, Uint8Array<ArrayBuffer>> = {
  name: 'search-graph.pick',
  run: ({ value, picks, characters }) =>
    new TextEncoder().encode(picked(value, picks, new Room(characters))),
  transfer: ({ buffer }) => [buffer],
}

/** Remaining length of the output. It is limited, because aliases can repeat a field for each element of a list. */
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
  const message = `the answer is longer than the limit of ${SEARCH_GRAPH_LIMITS.bytes} bytes; request less in one document`
  return new EngineError('too_many', message)
}

/**
 * Renders the selected fields of a value as JSON: of an object, of each element of a list, or a scalar.
 * @throws EngineError too_many if the output is too long
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

/** Estimates the output per element: about 1 for each name. */
export const weightOf = (picks: readonly PickedMember[]): number =>
  picks.reduce((sum, { as, picks: below = [] }) => sum + 1 + as.length / 32 + weightOf(below), 0)
