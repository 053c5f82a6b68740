/** A text that must look like something. */
export interface TextForm {
  readonly pattern: RegExp
  /** What would be accepted, to follow "give". */
  readonly wanted: string
}

/** What a member may hold, as data: types, readers and the API document follow from it. */
export type Shape =
  | { readonly is: 'text'; readonly form?: TextForm }
  | { readonly is: 'whole'; readonly from: number; readonly to: number }
  | { readonly is: 'word'; readonly words: readonly string[] }
  | { readonly is: 'list'; readonly of: Shape }
  | ObjectShape

export interface ObjectShape {
  readonly is: 'object'
  /** As the interface calls it (registry.md 3). */
  readonly name: string
  readonly members: Readonly<Record<string, Shape>>
  readonly needed: readonly string[]
  /** Two members of which the first must not be beyond the second. */
  readonly ordered?: readonly [from: string, to: string]
}

/** What a shape lets through. */
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

/**
 * An object with the members that are needed, and others that may be left out.
 * @inline
 */
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
