import type { OutputType } from '../definition.ts'
import type { MembersOf, ObjectShape, Shape } from './shape.ts'

/** A member of a record's content with all of its properties. */
export interface Member {
  readonly shape: Shape
  readonly needed?: true
  /** Another name that is accepted in requests. Responses use the member's own name. */
  readonly alias?: string
  /** The smallest output type that includes it. */
  readonly shown: OutputType
  /** Search weight of its words. The member is not searched if this is left out. */
  readonly weight?: number
  /** Whether glossary terms are looked up in it. */
  readonly explained?: true
  readonly filters?: true
  readonly orders?: true
}

export type Members = Readonly<Record<string, Member>>

type NeededOf<M> = {
  [K in keyof M]: M[K] extends { readonly needed: true } ? K : never
}[keyof M]
type ShapesOf<M> = { [K in keyof M]: M[K] extends { readonly shape: infer S } ? S : never }

/** The content type that follows from the members. */
export type ContentOf<M> = MembersOf<ShapesOf<M>, NeededOf<M>>

/** Combines the members into one object shape. */
export function shapeOfMembers(name: string, members: Members): ObjectShape {
  const entries = Object.entries(members)
  return {
    is: 'object',
    name,
    members: Object.fromEntries(entries.map(([member, { shape }]) => [member, shape])),
    needed: entries.flatMap(([member, { needed }]) => (needed ? [member] : [])),
  }
}
