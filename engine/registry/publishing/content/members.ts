import type { OutputType } from '../definition.ts'
import type { MembersOf, ObjectShape, Shape } from './shape.ts'

/** A member of a record's content with all of its properties. */
export interface Member {
  readonly shape: Shape
  readonly needed?: true
  /** Alternative name that requests may use. Responses use the member's own name. */
  readonly alias?: string
  /** The smallest output type that includes the member. */
  readonly shown: OutputType
  /** Search weight of the member's words. If undefined, the member is not searched. */
  readonly weight?: number
  /** Whether glossary terms are looked up in the member. */
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

/** Combines members into the shape of one object. */
export function shapeOfMembers(name: string, members: Members): ObjectShape {
  const entries = Object.entries(members)
  return {
    is: 'object',
    name,
    members: Object.fromEntries(entries.map(([member, { shape }]) => [member, shape])),
    needed: entries.flatMap(([member, { needed }]) => (needed ? [member] : [])),
  }
}
