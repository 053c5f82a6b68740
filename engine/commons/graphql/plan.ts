import type { Query } from '../query/query.ts'
import type { CartQuery } from './cart.ts'
import type { CountsPlan } from './counts.ts'
import type { NodePlan, PageInfoMember } from './node-plan.ts'
import type { PickedMember } from './picks.ts'
import type { ScoredQuery } from './scored-page.ts'

/** A search that a document requires. All parts about the same records share one search. */
export type Request =
  | { readonly kind: 'list'; readonly query: Query }
  | { readonly kind: 'scored'; readonly query: ScoredQuery }
  | { readonly kind: 'cart'; readonly query: CartQuery }

/** A part of the response, in document order. `request` is the index of a search. */
export type Slot =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'object'; readonly members: readonly Member[] }
  | {
      readonly kind: 'hits'
      readonly request: number
      readonly offset: number
      readonly members: readonly HitsPart[]
    }
  | { readonly kind: 'counts'; readonly request: number; readonly plan: CountsPlan }
  | { readonly kind: 'cart'; readonly request: number; readonly picks: readonly PickedMember[] }

export interface Member {
  readonly as: string
  readonly slot: Slot
}

export type HitsPart =
  | { readonly kind: 'text'; readonly as: string; readonly text: string }
  | { readonly kind: 'total'; readonly as: string }
  | { readonly kind: 'edges'; readonly as: string; readonly plan: NodePlan }
  | { readonly kind: 'pageInfo'; readonly as: string; readonly members: readonly PageInfoMember[] }

/** A document compiled to searches. Independent of the release. */
export interface SearchPlan {
  readonly requests: readonly Request[]
  readonly root: Slot
  /** Whether a filter refers to a set, which may change before the plan is used again. */
  readonly refersToSets: boolean
  /** Warnings about the filters, by parameter. */
  readonly warnings: Readonly<Record<string, string>>
}
