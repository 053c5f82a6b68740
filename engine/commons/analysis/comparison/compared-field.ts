/** Strength of a difference, with a 95 % confidence interval. A limit that cannot be computed is null. */
export interface Effect {
  readonly name:
    | 'odds_ratio'
    | 'cramers_v'
    | 'probability_of_superiority'
    | 'epsilon_squared'
    | 'hazard_ratio'
  readonly value: number
  readonly lower_95: number | null
  readonly upper_95: number | null
}

/** A test of a difference between groups. */
export interface GroupTest {
  readonly method:
    | 'fisher'
    | 'chi-square'
    | 'mann-whitney'
    | 'mann-whitney-exact'
    | 'kruskal-wallis'
    | 'log-rank'
  /** Test statistic. Null for Fisher's exact test, which has none. */
  readonly statistic: number | null
  readonly degrees_of_freedom: number | null
  readonly p_value: number
  readonly effect: Effect | null
}

/** Cases of a group by what is known of a field. The rest of its cases lack the field. */
export interface FieldGroup {
  /** Number of cases with one value, which are counted and tested. */
  readonly cases: number
  /** Number of cases with several different values, which are neither counted nor tested. */
  readonly several: number
}

interface NumbersOfGroup extends FieldGroup {
  readonly median: number | null
  readonly lower_quartile: number | null
  readonly upper_quartile: number | null
}

interface ValueCounts {
  readonly value: string
  /** Number of cases with the value, by group. */
  readonly counts: readonly number[]
  /** `counts` divided by the number of cases with one value. Null for groups without such cases. */
  readonly shares: readonly (number | null)[]
}

/** A field compared between groups, with the field names of the response. */
export type ComparedField =
  | {
      readonly field: string
      readonly kind: 'categories'
      readonly groups: readonly FieldGroup[]
      readonly values: readonly ValueCounts[]
      readonly test: GroupTest | null
    }
  | {
      readonly field: string
      readonly kind: 'numbers'
      readonly groups: readonly NumbersOfGroup[]
      readonly test: GroupTest | null
    }

/** A field that cannot be compared. */
export interface LeftOutField {
  readonly field: string
  readonly reason: 'too many values'
  readonly values: number
}
