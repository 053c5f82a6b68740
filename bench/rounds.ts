import type { Comparison, Contest, ContestOutcome, Row, Series } from './bench.ts'

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** The value below which that share of the values lies, between neighbours by proportion. */
export function quantile(values: readonly number[], share: number): number {
  if (values.length === 0) return Number.NaN
  const sorted = values.toSorted((a, b) => a - b)
  const place = (sorted.length - 1) * share
  const below = Math.floor(place)
  const above = Math.min(below + 1, sorted.length - 1)
  return sorted[below]! + (sorted[above]! - sorted[below]!) * (place - below)
}

/**
 * Lets the contenders take turns, round after round, so that whatever else the machine does hits
 * all of them. Ratios are formed within a round and never across runs.
 */
export async function holdContest(
  { workload, unit, rounds, contenders, comparisons }: Contest,
  note: (text: string) => void,
): Promise<ContestOutcome> {
  const series: Record<string, number[]> = {}
  for (let round = 0; round < rounds; round++) {
    const told: string[] = []
    for (const contender of contenders) {
      for (const [name, value] of Object.entries(await contender.turn())) {
        series[name] ??= []
        series[name].push(value)
        told.push(`${name} ${value.toPrecision(3)}`)
      }
    }
    note(`${workload} ${round + 1}/${rounds}: ${told.join(', ')} ${unit}`)
  }
  const rows = comparisons
    .filter(({ ours, peer }) => series[ours] && (peer === undefined || series[peer]))
    .map((comparison) => rowOf(workload, unit, series, comparison))
  return { workload, unit, series, rows }
}

function rowOf(
  workload: string,
  unit: Contest['unit'],
  series: Series,
  { ours, peer, as = 'times as fast', target }: Comparison,
): Row {
  const own = series[ours]!
  const other = peer === undefined ? undefined : series[peer]!
  const ratios =
    other?.map((value, i) => (as === 'times as fast' ? value / own[i]! : own[i]! / value)) ?? []
  const figure = median(other ? ratios : own)
  return {
    workload,
    unit,
    ours,
    oursMedian: median(own),
    peer,
    peerMedian: other && median(other),
    as: other && as,
    figure,
    ratios,
    target,
    met: target && meets(figure, target),
  }
}

function meets(figure: number, target: NonNullable<Comparison['target']>): boolean {
  if ('within' in target) return Math.abs(figure - 1) <= target.within
  return 'atLeast' in target ? figure >= target.atLeast : figure <= target.atMost
}
