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

/** The JSON of what is taken of a value: of an object, of each element of a list, or a single value. */
export function picked(value: unknown, picks: readonly PickedMember[] | undefined): string {
  if (value === undefined || value === null) return 'null'
  if (picks === undefined) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((one) => picked(one, picks)).join(',')}]`
  const members = picks.map(({ as, from, text, picks: below }) => {
    const member = text ?? picked((value as Members)[from], below)
    return `${JSON.stringify(as)}:${member}`
  })
  return `{${members.join(',')}}`
}
