import type { Job } from '../../../shared/executor.ts'
import { arraysOf } from '../../release/arrays.ts'
import type { LoadedArrays } from '../../release/loaded.ts'
import { type Curve, type Estimate, estimateOf } from './curve-members.ts'
import type { DonorTable } from './donor-table.ts'
import { indentJson } from './indent-json.ts'
import { logInterval } from './kaplan-meier.ts'

/** A range of donors of a curve, and the text before and after it. */
export interface Extent {
  readonly curve: Curve
  readonly before: string
  /** Range of the curve's donors, 0-based and half-open. */
  readonly from: number
  readonly to: number
  readonly after: string
}

export interface DonorStyle {
  /** Whether to include the number at risk and the confidence interval for each donor. */
  readonly intervals: boolean
  readonly pretty: boolean
}

interface WriteDonorsInput extends DonorStyle {
  readonly loaded: LoadedArrays
  readonly table: DonorTable
  readonly extents: readonly Extent[]
  /** Number of arrays and objects that are open at the start of the text, for indentation. */
  readonly depth: number
  /** Shared memory to write to. */
  readonly target: Uint8Array
}

/** Number of bytes written to `target`, or the text itself if `target` was too small. */
type WrittenDonors = number | Uint8Array<ArrayBuffer>

/** Writes one chunk of a response. */
export const writeDonorsJob: Job<WriteDonorsInput, WrittenDonors> = {
  name: 'survival.write',
  run({ loaded, table, extents, depth, pretty, intervals, target }, scratch) {
    const arrays = arraysOf(loaded)
    const parts = extents.map((extent) => {
      const estimate = estimateOf(extent.curve, table, { arrays, scratch })
      return { ...extent, estimate, table, intervals }
    })
    const most = parts.reduce((bytes, part) => bytes + mostBytes(part), 0)
    const isOwn = pretty || most > target.length
    const into = isOwn ? scratch.bytes('survival.write', most) : bufferOver(target)
    let at = 0
    for (const part of parts) {
      at += into.write(part.before, at, 'latin1')
      at = writeDonors(into, at, part)
      at += into.write(part.after, at, 'latin1')
    }
    if (!isOwn) return at
    const text = into.subarray(0, at)
    return pretty ? indentJson(text, depth) : new Uint8Array(text)
  },
  transfer: (written) => (typeof written === 'number' ? [] : [written.buffer]),
}

const bufferOver = ({ buffer, byteOffset, length }: Uint8Array) =>
  Buffer.from(buffer, byteOffset, length)

/** Maximum bytes of a donor in addition to its text: field names, and numbers of 25 bytes. */
const MAX_HEAD = 100
const MAX_INTERVAL = 100

interface Part extends Extent {
  readonly estimate: Estimate
  readonly table: DonorTable
  readonly intervals: boolean
}

function mostBytes({ before, from, to, after, estimate, table, intervals }: Part): number {
  const { starts } = table
  const { members } = estimate
  let bytes = before.length + after.length
  bytes += (to - from) * (MAX_HEAD + (intervals ? MAX_INTERVAL : 0))
  for (let i = from; i < to; i++) {
    const donor = members[i]!
    bytes += starts[donor + 1]! - starts[donor]!
  }
  return bytes
}

/**
 * Writes donors, with a comma before each except the first of a curve. Copies bytes directly, because strings
 * would fill the small heap of the worker thread with garbage.
 */
function writeDonors(into: Buffer, start: number, part: Part): number {
  const { from, to, estimate, table, intervals } = part
  const { members, ends, survival } = estimate
  const { times, deaths, starts } = table
  const texts = bufferOver(table.texts)
  let at = start
  let step = placeOf(from, ends)
  let survivalText = String(survival[step])
  let more = intervals ? intervalText(estimate, step) : ''
  // Donors with the same time and status have the same beginning, which is copied from the previous donor.
  let [headOf, headStart, headEnd] = [-1, 0, 0]
  for (let i = from; i < to; i++) {
    const donor = members[i]!
    const death = deaths[donor]!
    if (i === ends[step]) {
      step++
      headOf = -1
      if (survival[step] !== survival[step - 1]) survivalText = String(survival[step])
      if (intervals) more = intervalText(estimate, step)
    }
    if (i > 0) into[at++] = COMMA
    if (death === headOf) at += into.copy(into, at, headStart, headEnd)
    else {
      headOf = death
      headStart = at
      at += into.write(headText(times[donor]!, death), at, 'latin1')
      at += into.write(survivalText, at, 'latin1')
      headEnd = at
    }
    at += texts.copy(into, at, starts[donor], starts[donor + 1])
    if (intervals) at += into.write(more, at, 'latin1')
    into[at++] = CLOSING
  }
  return at
}

const COMMA = 0x2c
const CLOSING = 0x7d

/**
 * Returns the first part of a donor's JSON. As in the public interface, days to death are integers and other
 * times are doubles (data-commons.md 6.8).
 */
function headText(time: number, death: number): string {
  const isDouble = death === 0 && Number.isSafeInteger(time)
  return `{"time":${time}${isDouble ? '.0' : ''},"censored":${death === 0},"survivalEstimate":`
}

/** Returns the index of the step that a member belongs to. */
function placeOf(member: number, ends: Uint32Array): number {
  let [low, high] = [0, ends.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ends[middle]! <= member) low = middle + 1
    else high = middle
  }
  return low
}

function intervalText({ members, ends, survival, variance }: Estimate, step: number): string {
  const atRisk = members.length - (step === 0 ? 0 : ends[step - 1]!)
  const interval = logInterval(survival[step]!, variance[step]!)
  const lower = interval?.lower ?? null
  const upper = interval?.upper ?? null
  return `,"n_at_risk":${atRisk},"lower_95":${lower},"upper_95":${upper}`
}
