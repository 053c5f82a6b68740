/** Arguments below this are raised to it by the recurrence, as Stirling's series is accurate only above. */
const STIRLING_FROM = 20

/**
 * Returns the natural logarithm of the gamma function at half of a positive integer (Abramowitz and Stegun 6.1.15
 * and 6.1.41).
 */
export function logGammaOfHalf(twice: number): number {
  let x = twice / 2
  let product = 1
  for (; x < STIRLING_FROM; x++) product *= x
  const square = 1 / (x * x)
  const series = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / x
  return (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + series - Math.log(product)
}
