import type { Job, Scratch } from '../executor.ts'
import { arraysOf } from '../release/arrays.ts'
import type { LoadedArrays } from '../release/loaded.ts'
import { type Curve, type Estimate, estimateOf } from './curve-members.ts'
import type { DonorTable } from './donor-table.ts'
import { indentJson } from './indent-json.ts'
import { logInterval } from './kaplan-meier.ts'

/** Some donors of a curve, and the text around them. */
export interface Stretch {
  readonly curve: Curve
  readonly before: string
  /** The first of them, and the one after the last, counted from 0. */
  readonly from: number
  readonly to: number
  readonly after: string
}

export interface DonorStyle {
  /** Whether donors tell how many were at risk, and the interval around the estimate. */
  readonly intervals: boolean
  /** JSON with two blanks per level. */
  readonly pretty: boolean
}

export interface WriteDonorsInput extends DonorStyle {
  readonly loaded: LoadedArrays
  readonly table: DonorTable
  readonly stretches: readonly Stretch[]
  /** Arrays and objects that are open where the text begins. */
  readonly depth: number
}

/** Writes a piece of an answer. */
export const writeDonorsJob: Job<WriteDonorsInput, Uint8Array<ArrayBuffer>> = {
  name: 'survival.write',
  run(input, scratch) {
    const { loaded, table, stretches, depth, pretty, intervals } = input
    const arrays = arraysOf(loaded)
    const estimates = stretches.map(({ curve }) => estimateOf(curve, table, { arrays, scratch }))
    const room = roomFor(stretches, estimates, table, scratch)
    let at = 0
    for (const [i, stretch] of stretches.entries()) {
      at += room.write(stretch.before, at, 'latin1')
      const estimate = estimates[i]
      if (estimate) at = writeDonors(room, at, { ...stretch, estimate, table, intervals })
      at += room.write(stretch.after, at, 'latin1')
    }
    const text = room.subarray(0, at)
    return pretty ? indentJson(text, depth) : new Uint8Array(text)
  },
  transfer: (bytes) => [bytes.buffer],
}

/** What a donor takes at most besides its text: names of members, and five numbers. */
const MOST_AROUND = 256

function roomFor(
  stretches: readonly Stretch[],
  estimates: readonly Estimate[],
  { starts }: DonorTable,
  scratch: Scratch,
): Buffer {
  let bytes = 0
  for (const [i, { before, from, to, after }] of stretches.entries()) {
    bytes += before.length + after.length
    const members = estimates[i]?.members.subarray(from, to) ?? []
    for (const donor of members) {
      bytes += MOST_AROUND + (starts[donor + 1] as number) - (starts[donor] as number)
    }
  }
  return scratch.bytes('survival.write', bytes)
}

interface Writing extends Pick<Stretch, 'from' | 'to'> {
  readonly estimate: Estimate
  readonly table: DonorTable
  readonly intervals: boolean
}

/** Writes donors with commas between them, and before the first unless the curve begins there. */
function writeDonors(into: Buffer, start: number, writing: Writing): number {
  const { from, to, estimate, table, intervals } = writing
  const { members, ends } = estimate
  const { times, deaths, texts, starts } = table
  const bytes = Buffer.from(texts.buffer, texts.byteOffset, texts.byteLength)
  let at = start
  let step = placeOf(from, ends)
  // Of a step and a fate; donors of one day are many.
  let head = ''
  let headOf = -1
  let more = ''
  for (let i = from; i < to; i++) {
    const donor = members[i] as number
    const isNext = i >= (ends[step] as number)
    if (isNext) step++
    const death = deaths[donor] as number
    if (isNext || death !== headOf || i === from) {
      headOf = death
      head = headText(times[donor] as number, death === 1, estimate.survival[step] as number)
      if (intervals) more = intervalText(estimate, step)
    }
    at += into.write(i === 0 ? head.slice(1) : head, at, 'latin1')
    at += bytes.copy(into, at, starts[donor], starts[donor + 1])
    // In place of the brace that the text ends with.
    if (intervals) at += into.write(more, at - 1, 'latin1') - 1
  }
  return at
}

/** The step that a member belongs to. */
function placeOf(member: number, ends: Uint32Array): number {
  let [low, high] = [0, ends.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ends[middle] as number) <= member) low = middle + 1
    else high = middle
  }
  return low
}

function headText(time: number, isDead: boolean, survival: number): string {
  return `,{"time":${timeText(time, isDead)},"censored":${!isDead},"survivalEstimate":${survival}`
}

/** Days to death are a whole number in the interface, all others a double (contract 6.8). */
function timeText(time: number, isDead: boolean): string {
  const text = String(time)
  return isDead || !/^-?\d+$/.test(text) ? text : `${text}.0`
}

function intervalText({ members, ends, survival, variance }: Estimate, step: number): string {
  const atRisk = members.length - (step === 0 ? 0 : (ends[step - 1] as number))
  const interval = logInterval(survival[step] as number, variance[step] as number)
  const lower = interval?.lower ?? null
  const upper = interval?.upper ?? null
  return `,"n_at_risk":${atRisk},"lower_95":${lower},"upper_95":${upper}}`
}
