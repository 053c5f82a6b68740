/** Bytes from `start` to before `end`. */
export interface Interval {
  readonly start: number
  readonly end: number
}

/** Files below this number of bytes are requested in one piece: a hundredth of a GiB. */
const PARALLEL_FROM = 0.01 * 2 ** 30

const sizeOf = (intervals: readonly Interval[]) =>
  intervals.reduce((sum, { start, end }) => sum + end - start, 0)

/** The parts of a file outside the given intervals, in ascending order. */
export function missingOf(size: number, done: readonly Interval[]): readonly Interval[] {
  const missing: Interval[] = []
  let at = 0
  for (const { start, end } of done.toSorted((one, other) => one.start - other.start)) {
    if (start > at) missing.push({ start: at, end: start })
    at = Math.max(at, end)
  }
  if (at < size) missing.push({ start: at, end: size })
  return missing
}

/**
 * The pieces that the transfer client requests: each gap is divided into pieces, whose size is an equal share of
 * all missing bytes. A fractional share leaves a small last piece.
 */
export function piecesOf(
  size: number,
  missing: readonly Interval[],
  processes: number,
): readonly Interval[] {
  const share = Math.floor(sizeOf(missing) / (size < PARALLEL_FROM ? 1 : processes))
  const pieces: Interval[] = []
  for (const { start, end } of missing) {
    for (let at = start; at < end; at += share) {
      pieces.push({ start: at, end: Math.min(end, at + share) })
    }
  }
  return pieces
}
