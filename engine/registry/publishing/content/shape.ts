/** A text that must match a pattern. */
interface TextForm {
  readonly pattern: RegExp
  /** Describes accepted texts. Follows "give" in error messages. */
  readonly wanted: string
}

/** Describes the values of a member as data, from which types, readers and the API document follow. */
export type Shape =
  | { readonly is: 'text'; readonly form?: TextForm }
  | { readonly is: 'whole'; readonly from: number; readonly to: number }
  | { readonly is: 'word'; readonly words: readonly string[] }
  | { readonly is: 'list'; readonly of: Shape }
  | ObjectShape

export interface ObjectShape {
  readonly is: 'object'
  /** The name in the API contract (registry.md 3). */
  readonly name: string
  readonly members: Readonly<Record<string, Shape>>
  readonly needed: readonly string[]
  /** Two members, the first of which must not exceed the second. */
  readonly ordered?: readonly [from: string, to: string]
}

/** The values that a shape accepts. */
export type ValueOf<S> = S extends { readonly is: 'text' }
  ? string
  : S extends { readonly is: 'whole' }
    ? number
    : S extends { readonly is: 'word'; readonly words: readonly (infer W)[] }
      ? W
      : S extends { readonly is: 'list'; readonly of: infer E }
        ? readonly ValueOf<E>[]
        : S extends { readonly members: infer M; readonly needed: readonly (infer N)[] }
          ? MembersOf<M, N>
          : never

/** An object with required and optional members. @inline */
export type MembersOf<M, Needed> = {
  readonly [K in keyof M as K extends Needed ? K : never]: ValueOf<M[K]>
} & { readonly [K in keyof M as K extends Needed ? never : K]?: ValueOf<M[K]> }

export const TEXT = { is: 'text' } as const

export function textLike<const F extends TextForm>(form: F) {
  return { is: 'text', form } as const
}

export function wordOf<const W extends readonly string[]>(words: W) {
  return { is: 'word', words } as const
}

export function listOf<const S extends Shape>(of: S) {
  return { is: 'list', of } as const
}

export const TEXTS = listOf(TEXT)
