/** Counts of a table of two rows and two columns: [[a, b], [c, d]]. */
export type FourCounts = readonly [a: number, b: number, c: number, d: number]

/** Tables whose chance exceeds the observed one by less than this count as equally likely, as in R. */
const TIED = 1 + 1e-7

/**
 * Returns the two-sided p-value of Fisher's exact test, the sum of the chances of all tables with the same margins
 * that are at most as likely as the observed one, like R's `fisher.test`.
 */
export function fisherPValue([a, b, c, d]: FourCounts): number {
  const [row, column, all] = [a + b, a + c, a + b + c + d]
  const [least, most] = [Math.max(0, row + column - all), Math.min(row, column)]
  if (least === most) return 1
  const mode = Math.min(Math.max(Math.floor(((row + 1) * (column + 1)) / (all + 2)), least), most)
  // Chances relative to that of the most likely table. They fall on both sides of it.
  const up = (k: number) => ((row - k) * (column - k)) / ((k + 1) * (all - row - column + k + 1))
  let observed = 1
  for (let k = mode; k < a && observed > 0; k++) observed *= up(k)
  for (let k = mode; k > a && observed > 0; k--) observed /= up(k - 1)
  let [total, extreme] = [0, 0]
  const add = (chance: number) => {
    total += chance
    if (chance <= observed * TIED) extreme += chance
  }
  for (let k = mode, chance = 1; k <= most && chance > 0; k++) {
    add(chance)
    chance *= up(k)
  }
  for (let k = mode - 1, chance = 1; k >= least; k--) {
    chance /= up(k)
    if (chance === 0) break
    add(chance)
  }
  return Math.min(1, extreme / total)
}
