import type { OutputType } from '../definition.ts'
import type { MembersOf, ObjectShape, Shape } from './shape.ts'

/** One member of a record's content, and all that is done with it. */
export interface Member {
  readonly shape: Shape
  readonly needed?: true
  /** Another name under which it is read, too; it is answered by its own. */
  readonly alias?: string
  /** The least that shows it. */
  readonly shown: OutputType
  /** How much a word counts that a search finds in it; left out, it is not searched. */
  readonly weight?: number
  /** Whether terms of the glossary are looked for in it. */
  readonly explained?: true
  readonly filters?: true
  readonly orders?: true
}

export type Members = Readonly<Record<string, Member>>

type NeededOf<M> = {
  [K in keyof M]: M[K] extends { readonly needed: true } ? K : never
}[keyof M]
type ShapesOf<M> = { [K in keyof M]: M[K] extends { readonly shape: infer S } ? S : never }

/** The content that members make. */
export type ContentOf<M> = MembersOf<ShapesOf<M>, NeededOf<M>>

/** The members as the shape of one object. */
export function shapeOfMembers(name: string, members: Members): ObjectShape {
  const entries = Object.entries(members)
  return {
    ...{ is: 'object', name },
    members: Object.fromEntries(entries.map(([member, { shape }]) => [member, shape])),
    needed: entries.flatMap(([member, { needed }]) => (needed ? [member] : [])),
  }
}
