import type { Group } from '../../groups/group.ts'
import type { GroupTest } from '../../groups/group-test.ts'
import type { CaseVariable } from './case-variable.ts'

type Test = Pick<GroupTest, 'method' | 'p_value' | 'effect'> | null

interface Box {
  readonly value: string
  readonly cases: number
  readonly least: number | null
  readonly lower_quartile: number | null
  readonly median: number | null
  readonly upper_quartile: number | null
  readonly most: number | null
}

/** Response of `/analysis/variables`. */
export type VariablesAnswer = { readonly total: number; readonly known: number } & (
  | {
      readonly kind: 'scatter'
      readonly points: readonly {
        readonly case_id: string
        readonly x: number
        readonly y: number
      }[]
      readonly pearson: {
        readonly coefficient: number
        readonly lower_95: number | null
        readonly upper_95: number | null
        readonly p_value: number
      } | null
      readonly spearman: { readonly coefficient: number; readonly p_value: number } | null
    }
  | {
      readonly kind: 'boxes'
      readonly categories: 'x' | 'y'
      readonly boxes: readonly Box[]
      readonly test: Test
    }
  | {
      readonly kind: 'table'
      readonly x_values: readonly string[]
      readonly y_values: readonly string[]
      readonly counts: readonly (readonly number[])[]
      readonly test: Test
    }
)

/** A variable with the name by which the service knows it. */
export interface AskedVariable {
  readonly variable: CaseVariable
  readonly asked: string
}

/** Answer of one kind for a group. */
export interface Of<Kind extends VariablesAnswer['kind']> {
  readonly group: Group
  readonly answer: Extract<VariablesAnswer, { readonly kind: Kind }>
}
