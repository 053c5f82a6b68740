/** The answer of `/analysis/survival?intervals=true`. */
export interface SurvivalAnswer {
  readonly results: readonly {
    readonly meta: { readonly id: number }
    readonly donors: readonly Donor[]
  }[]
  readonly overallStats: { readonly pValue?: number }
}

interface Donor {
  /** In days. */
  readonly time: number
  readonly censored: boolean
  readonly survivalEstimate: number
  readonly n_at_risk: number
  readonly lower_95: number | null
  readonly upper_95: number | null
}

/** One group's estimate: a step for each day on which somebody died or was last seen. */
export interface Curve {
  readonly group: string
  readonly donors: number
  readonly steps: readonly Step[]
}

export interface Step {
  readonly day: number
  readonly atRisk: number
  readonly deaths: number
  readonly censored: number
  /** After the day. */
  readonly survival: number
  readonly lower: number | undefined
  readonly upper: number | undefined
}

export interface StepRow extends Step {
  readonly group: string
}

/** The curves that have donors, under the names of the groups asked for, in their order. */
export function curvesOf(answer: SurvivalAnswer, names: readonly string[]): readonly Curve[] {
  return answer.results
    .filter(({ donors }) => donors.length > 0)
    .map(({ meta, donors }) => ({
      group: names[meta.id - 1] ?? `Group ${meta.id}`,
      donors: donors.length,
      steps: stepsOf(donors),
    }))
}

/** Donors come in the order of their times. */
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

/** All steps of all curves, as a table has them. */
export const stepRows = (curves: readonly Curve[]): readonly StepRow[] =>
  curves.flatMap(({ group, steps }) => steps.map((step) => ({ group, ...step })))

/** How many are at risk just before the day: who died or was last seen on it or later. */
export function atRiskOn({ donors, steps }: Curve, day: number): number {
  let gone = 0
  for (const step of steps) {
    if (step.day >= day) break
    gone += step.deaths + step.censored
  }
  return donors - gone
}
