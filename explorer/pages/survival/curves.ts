/** Response of `/analysis/survival` with `intervals=true` and `comparison=true`. */
export interface SurvivalAnswer {
  readonly results: readonly {
    readonly meta: { readonly id: number }
    readonly donors: readonly Donor[]
  }[]
  /** The log-rank test, as in R's `survdiff`. Null if a donor has several curves. */
  readonly overallStats: {
    readonly logRankChiSquared?: number | null
    readonly logRankDegreesFreedom?: number | null
    readonly logRankPValue?: number | null
  }
  readonly comparison: { readonly groups: readonly GroupStatistics[] }
}

/** Statistics of a curve. Null if they do not exist, such as a median that was not reached. */
export interface GroupStatistics {
  readonly donors: number
  readonly deaths: number
  readonly median_days: number | null
  readonly median_lower_95: number | null
  readonly median_upper_95: number | null
  /** Hazard relative to the first curve. */
  readonly hazard_ratio: number | null
  readonly hazard_ratio_lower_95: number | null
  readonly hazard_ratio_upper_95: number | null
  readonly hazard_ratio_p_value: number | null
}

interface Donor {
  readonly id: string
  /** Time in days. */
  readonly time: number
  readonly censored: boolean
  readonly survivalEstimate: number
  readonly n_at_risk: number
  readonly lower_95: number | null
  readonly upper_95: number | null
}

/** Survival estimate of a group, with a step for each day of a death or censoring. */
export interface Curve {
  readonly group: string
  /** Index of the group, which decides its colour. */
  readonly index: number
  readonly donors: number
  readonly steps: readonly Step[]
}

interface Step {
  readonly day: number
  readonly atRisk: number
  readonly deaths: number
  readonly censored: number
  /** Estimate of the survival after this day. */
  readonly survival: number
  readonly lower: number | undefined
  readonly upper: number | undefined
}

export interface StepRow extends Step {
  readonly group: string
}

/** Returns the curves that have donors, in the order of the groups and with their names. */
export function curvesOf(answer: SurvivalAnswer, names: readonly string[]): readonly Curve[] {
  return answer.results
    .filter(({ donors }) => donors.length > 0)
    .map(({ meta, donors }) => ({
      group: names[meta.id - 1] ?? `Group ${meta.id}`,
      index: meta.id - 1,
      donors: donors.length,
      steps: stepsOf(donors),
    }))
}

/** Returns the steps of a curve. Donors are sorted by time. */
function stepsOf(donors: readonly Donor[]): readonly Step[] {
  const days = new Map<number, Donor[]>()
  for (const donor of donors) {
    const same = days.get(donor.time)
    if (same) same.push(donor)
    else days.set(donor.time, [donor])
  }
  return [...days].map(([day, same]) => {
    const censored = same.filter((donor) => donor.censored).length
    const last = same.at(-1)
    return {
      day,
      atRisk: Math.max(...same.map(({ n_at_risk }) => n_at_risk)),
      deaths: same.length - censored,
      censored,
      survival: last?.survivalEstimate ?? 1,
      lower: last?.lower_95 ?? undefined,
      upper: last?.upper_95 ?? undefined,
    }
  })
}

/** Returns all steps of all curves as table rows. */
export const stepRows = (curves: readonly Curve[]): readonly StepRow[] =>
  curves.flatMap(({ group, steps }) => steps.map((step) => ({ group, ...step })))

/** Returns the number at risk just before a day: cases that died or were censored on that day or later. */
export function atRiskOn({ donors, steps }: Curve, day: number): number {
  let gone = 0
  for (const step of steps) {
    if (step.day >= day) break
    gone += step.deaths + step.censored
  }
  return donors - gone
}
