/** Test of the difference between groups, with its effect. */
export interface GroupTest {
  readonly method: string
  readonly p_value: number
  readonly q_value: number
  readonly effect: {
    readonly name: string
    readonly value: number | null
    readonly lower_95: number | null
    readonly upper_95: number | null
  } | null
}

const EFFECTS: Readonly<Record<string, string>> = {
  odds_ratio: 'odds ratio',
  cramers_v: 'Cramér’s V',
  epsilon_squared: 'ε²',
  hazard_ratio: 'hazard ratio',
}

/** Formats the effect of a test with its interval: `odds ratio 1.85 (1.17 to 2.92)`. */
export function effectOf({ effect }: Pick<GroupTest, 'effect'>): string {
  if (!effect || effect.value === null) return '–'
  const { name, value, lower_95: low, upper_95: high } = effect
  const interval =
    low === null || high === null ? '' : ` (${low.toPrecision(3)} to ${high.toPrecision(3)})`
  return `${EFFECTS[name] ?? name.replaceAll('_', ' ')} ${value.toPrecision(3)}${interval}`
}
