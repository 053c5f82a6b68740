/** Response of `/analysis/survival?intervals=true`. */
export interface SurvivalAnswer {
  readonly results: readonly {
    readonly meta: { readonly id: number }
    readonly donors: readonly Donor[]
  }[]
  readonly overallStats: { readonly pValue?: number }
}

interface Donor {
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
