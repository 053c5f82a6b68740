/** Concatenated texts, numbered from 1. */
type Texts =
  /** Texts of varying length: text n is bytes[ends[n - 1] … ends[n] - 1]. */
  | { readonly bytes: Uint8Array; readonly ends: Uint32Array; readonly width?: undefined }
  /** Texts of equal length in bytes. */
  | { readonly bytes: Uint8Array; readonly count: number; readonly width: number }

/** Integers up to this number are exact in a double. */
const EXACT = 2 ** 53

/** Number of bytes that one sort looks at. */
const WINDOW = 16

/** If there are fewer texts than this, they are sorted by insertion. */
const FEW = 12

/**
 * Returns the numbers of texts in ascending order of their bytes. This is ten times as fast as a comparison
 * callback. The next few bytes of a text and its position form one number, numbers are sorted natively, and runs
 * of equal bytes are sorted by the bytes that follow.
 */
export function sortTexts(texts: Texts): Uint32Array {
  const count = texts.width === undefined ? texts.ends.length - 1 : texts.count
  const order = new Uint32Array(count)
  for (let i = 0; i < count; i++) order[i] = i + 1
  if (isAscending(texts, count)) return order
  const target = { keys: new Float64Array(count), copy: new Uint32Array(count) }
  const runs: Run[] = [{ from: 0, to: count, skip: 0 }]
  for (let run = runs.pop(); run; run = runs.pop()) {
    if (run.to - run.from <= FEW) insertEach(texts, order, run)
    else sortRun(texts, order, run, target, runs)
  }
  return order
}

const startOf = (texts: Texts, text: number): number =>
  texts.width === undefined ? texts.ends[text - 1]! : (text - 1) * texts.width

function isAscending(texts: Texts, count: number): boolean {
  for (let text = 2; text <= count; text++) if (isBefore(texts, text, text - 1, 0)) return false
  return true
}

/** Texts order[from] … order[to - 1], which share their first `skip` bytes. */
interface Run {
  readonly from: number
  readonly to: number
  readonly skip: number
}

interface TableSet {
  readonly keys: Float64Array
  readonly copy: Uint32Array
}

/** Sorts a run by the bytes of one window. Adds the runs that need further sorting to a list. */
function sortRun(
  texts: Texts,
  order: Uint32Array,
  { from, to, skip }: Run,
  { keys, copy }: TableSet,
  runs: Run[],
): void {
  const count = to - from
  const places = 2 ** Math.ceil(Math.log2(count))
  const digits = digitsOf(texts, order, { from, to, skip }, EXACT / places)
  // All texts of the run end here, so they are equal.
  if (digits[0]?.low === 0 && digits[0].radix === 1) return
  const { bytes } = texts
  for (let i = 0; i < count; i++) {
    const text = order[from + i]!
    copy[i] = text
    const start = startOf(texts, text) + skip
    const length = startOf(texts, text + 1) - start
    let key = 0
    for (let j = 0; j < digits.length; j++) {
      const { low, radix } = digits[j] as Digit
      key = key * radix + (j < length ? bytes[start + j]! + 1 : 0) - low
    }
    keys[i] = key * places + i
  }
  const sorted = keys.subarray(0, count).sort()
  let runStart = 0
  let last = -1
  for (let i = 0; i <= count; i++) {
    const value = sorted[i]!
    const key = i < count ? Math.floor(value / places) : -2
    if (key !== last) {
      if (i - runStart > 1) {
        runs.push({ from: from + runStart, to: from + i, skip: skip + digits.length })
      }
      runStart = i
      last = key
    }
    if (i < count) order[from + i] = copy[value - key * places]!
  }
}

/** How a byte contributes to a key: 0 for the end of the text, b + 1 for byte b. `low` is the lowest value. */
interface Digit {
  readonly low: number
  readonly radix: number
}

/** Returns how many bytes fit into a number below `most`. If few different bytes occur, as in dates, more fit. */
function digitsOf(texts: Texts, order: Uint32Array, { from, to, skip }: Run, most: number) {
  const { bytes } = texts
  const low = new Uint16Array(WINDOW).fill(257)
  const high = new Uint16Array(WINDOW)
  for (let i = from; i < to; i++) {
    const text = order[i]!
    const start = startOf(texts, text) + skip
    const length = startOf(texts, text + 1) - start
    for (let j = 0; j < WINDOW; j++) {
      const value = j < length ? bytes[start + j]! + 1 : 0
      if (value < low[j]!) low[j] = value
      if (value > high[j]!) high[j] = value
    }
  }
  const digits: Digit[] = []
  let product = 1
  for (let j = 0; j < WINDOW; j++) {
    const radix = high[j]! - low[j]! + 1
    product *= radix
    if (product > most) break
    digits.push({ low: low[j]!, radix })
  }
  return digits
}

function insertEach(texts: Texts, order: Uint32Array, { from, to, skip }: Run): void {
  for (let i = from + 1; i < to; i++) {
    const text = order[i]!
    let at = i
    for (; at > from && isBefore(texts, text, order[at - 1]!, skip); at--) {
      order[at] = order[at - 1]!
    }
    order[at] = text
  }
}

function isBefore(texts: Texts, a: number, b: number, skip: number): boolean {
  const { bytes } = texts
  const endA = startOf(texts, a + 1)
  const endB = startOf(texts, b + 1)
  let i = startOf(texts, a) + skip
  let j = startOf(texts, b) + skip
  for (; i < endA && j < endB; i++, j++) {
    const difference = bytes[i]! - bytes[j]!
    if (difference !== 0) return difference < 0
  }
  return i === endA && j < endB
}
