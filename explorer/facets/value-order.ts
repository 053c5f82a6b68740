/** Position of a value on its scale, such as [2, 1] for stage IIA. */
type Rank = readonly number[]

const ROMANS = ['0', 'i', 'ii', 'iii', 'iv', 'v']
/** Values that say nothing, or that the value could not be assessed. They stand at the end of a scale. */
const UNKNOWN =
  /^(unknown|not reported|not available|not applicable|not allowed to collect|[gtnm]x)$/i

/** Scales of staging and grading. The first group of each expression is the number, the others are parts of it. */
const SCALES: readonly RegExp[] = [
  /^stage (0|iv|v|i{1,3})([a-c])?(\d)?(is|s)?$/i,
  /^(?:grade|g) ?([1-4])$/i,
  /^t(is|a|\d)([a-e])?(\d)?$/i,
  /^n(\d)([a-c])?(.*)$/i,
  /^m(\d)([a-c])?(.*)$/i,
]

/**
 * Returns values in the order of their scale: stages, grades, and T, N and M. If fewer than two values are of a
 * scale, or some value is of none, the order stays, which is by count.
 */
export function inScaleOrder<Value>(
  values: readonly Value[],
  textOf: (value: Value) => string,
): readonly Value[] {
  const known = values.filter((value) => !UNKNOWN.test(textOf(value)))
  const scale = SCALES.find((one) => known.every((value) => one.test(textOf(value))))
  if (scale === undefined || known.length < 2) return values
  const ranks = new Map(known.map((value) => [value, rankOf(scale, textOf(value))]))
  const sorted = known.toSorted((one, other) =>
    compareRanks(ranks.get(one) ?? [], ranks.get(other) ?? []),
  )
  return [...sorted, ...values.filter((value) => !ranks.has(value))]
}

function rankOf(scale: RegExp, text: string): Rank {
  const [, first = '', ...parts] = scale.exec(text.toLowerCase()) ?? []
  const roman = ROMANS.indexOf(first)
  // Ta and Tis come before T1.
  const number = roman >= 0 ? roman : /^\d$/.test(first) ? Number(first) : 0
  return [number, ...(first === 'is' ? [1] : []), ...parts.map((part) => part?.charCodeAt(0) ?? 0)]
}

function compareRanks(one: Rank, other: Rank): number {
  for (let place = 0; place < Math.max(one.length, other.length); place++) {
    const difference = (one[place] ?? 0) - (other[place] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
