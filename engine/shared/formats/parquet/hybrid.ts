import type { ByteSink } from '../byte-sink.ts'
import { writeVarint } from './thrift.ts'

/** Values of a bit-packed group. */
const GROUP = 8
/** Minimum length of a run of equal values that is written as a run. */
const MIN_RUN = 3 * GROUP

/**
 * Writes values as Parquet's hybrid of runs and bit-packed groups.
 * @param width bits of each value, 1 to 24
 */
export function writeHybrid(
  sink: ByteSink,
  values: ArrayLike<number>,
  { count, width }: { readonly count: number; readonly width: number },
): void {
  // Start of the values that are not written yet. They are bit-packed in front of the next run.
  let start = 0
  let at = 0
  while (at < count) {
    const value = values[at]!
    let end = at + 1
    while (end < count && values[end] === value) end++
    if (end - at < MIN_RUN) {
      at += GROUP
      continue
    }
    writePacked(sink, values, { start, end: at, width })
    writeVarint(sink, (end - at) << 1)
    for (let bits = 0; bits < width; bits += 8) sink.byte((value >>> bits) & 0xff)
    start = end
    at = end
  }
  writePacked(sink, values, { start, end: count, width })
}

/** Writes values in groups of eight. Only the last values of all may end within a group. */
function writePacked(
  sink: ByteSink,
  values: ArrayLike<number>,
  { start, end, width }: { readonly start: number; readonly end: number; readonly width: number },
): void {
  if (end === start) return
  const groups = Math.ceil((end - start) / GROUP)
  writeVarint(sink, (groups << 1) | 1)
  let to = sink.skip(groups * width)
  const { view } = sink
  let bits = 0
  let length = 0
  for (let at = start; at < start + groups * GROUP; at++) {
    if (at < end) bits |= values[at]! << length
    length += width
    while (length >= 8) {
      view.setInt8(to++, bits)
      bits >>>= 8
      length -= 8
    }
  }
}

/** Returns the number of bits of the largest value, at least 1. */
export const widthOf = (largest: number) => Math.max(32 - Math.clz32(largest), 1)
