import type { Scratch } from '../../../shared/executor.ts'
import { DECIMALS_BYTES, DIGITS, FOUR_DIGITS, THREE_AND_TAB, TWO_DECIMALS } from './digits.ts'
import { fiveDecimals } from './exact-decimals.ts'
import { exactLog, fastLog, LOG_SCALE, MAX_FAST } from './log-table.ts'
import { ABSENT, FIXED_SCALE, type MatrixKind, type MatrixValues } from './matrix-format.ts'
import { middleValues } from './middle-values.ts'
import { type ExpressionUnit, unitValues } from './unit-values.ts'

/** Number format: as the interface specifies, or such that numbers read back exactly. */
export type CellForm = 'printed' | 'whole'

/** Maximum bytes of a cell and its tab: `429496.7294`, `-18.71234` and `-0.0000012345678901234567`. */
const CELL_BYTES = { uqfpkm: 12, median_centered_log2_uqfpkm: 10, any: 26 } as const

/** Returns the largest size in bytes that a line can have, without the name that begins it. */
export function mostLineBytes(
  cells: number,
  { kind, unit, form }: { readonly kind: MatrixKind; unit: ExpressionUnit; form: CellForm },
): number {
  const bytes = CELL_BYTES[kind === 'fixed' && form === 'printed' ? unit : 'any']
  // One tab after the name, and bytes written ahead at the end.
  return 1 + cells * bytes + 8
}

const TAB = 0x09
const NEW_LINE = 0x0a
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30

/** One in ten-thousandths. */
const ONE = FIXED_SCALE
/** Value from which a number has more than four digits before the decimal point. */
const MAX_GROUPED = 10_000 * ONE

/** Scale of printed numbers: hundred-thousandths. */
const DECIMALS = 100_000
/**
 * Distance to a rounding boundary, in hundred-thousandths, below which the exact method decides: two hundred
 * times the largest error.
 */
export const UNSURE = 1e-6

/** Writes lines of a table into a large enough buffer. */
export class RowWriter {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #scratch: Scratch
  length = 0

  constructor(target: Uint8Array, scratch: Scratch) {
    this.#bytes = target
    this.#view = new DataView(target.buffer, target.byteOffset, target.byteLength)
    this.#scratch = scratch
  }

  /** Writes a gene's name and its numbers, with missing ones as empty cells, and a line break. */
  row(name: string, values: MatrixValues, unit: ExpressionUnit, form: CellForm = 'printed'): void {
    this.#name(name)
    if (form === 'printed' && values instanceof Uint32Array) {
      if (unit === 'uqfpkm') this.#plainFixed(values)
      else this.#centredFixed(values)
    } else {
      const isShort = form === 'printed' && unit !== 'uqfpkm'
      this.#texts(unitValues(values, unit, this.#scratch), isShort ? fiveDecimals : String)
    }
    // Replaces the last tab.
    this.#bytes[this.length - 1] = NEW_LINE
  }

  #name(name: string): void {
    const { buffer, byteOffset, byteLength } = this.#bytes
    this.length += Buffer.from(buffer, byteOffset, byteLength).write(name, this.length)
    this.#bytes[this.length++] = TAB
  }

  /** Writes as few decimals as the stored ten-thousandths need. */
  #plainFixed(values: Uint32Array): void {
    const bytes = this.#bytes
    const view = this.#view
    // Local constants, because imported ones are looked up on each use.
    const [groups, digitsOf, decimalsBytes] = [FOUR_DIGITS, DIGITS, DECIMALS_BYTES] as const
    let at = this.length
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!
      if (value >= MAX_GROUPED) {
        this.length = at
        this.#large(value)
        at = this.length
        continue
      }
      const whole = (value / ONE) | 0
      const decimals = (value - whole * ONE) | 0
      const digits = digitsOf[whole]!
      view.setUint32(at, groups[whole]! >>> (32 - 8 * digits), true)
      at += digits
      // Written even if there are no decimals, and then overwritten: a branch would be unpredictable.
      bytes[at] = POINT
      view.setUint32(at + 1, groups[decimals]!, true)
      at += decimalsBytes[decimals]!
      bytes[at++] = TAB
    }
    this.length = at
  }

  /** Writes a missing value, or one from ten thousand on. */
  #large(value: number): void {
    if (value !== ABSENT) this.#text(String(value / FIXED_SCALE))
    this.#bytes[this.length++] = TAB
  }

  #centredFixed(values: Uint32Array): void {
    const { lower, upper } = middleValues(values, this.#scratch)
    const bytes = this.#bytes
    const view = this.#view
    const middle = (exactLog(lower) + exactLog(upper)) / 2
    const scaled = middle + LOG_SCALE
    const equal = lower === upper ? lower : ABSENT
    const [most, heads, tails] = [MAX_FAST, TWO_DECIMALS, THREE_AND_TAB] as const
    let at = this.length
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!
      if (value > most) {
        this.length = at
        if (value === ABSENT) bytes[this.length++] = TAB
        else this.#exact(value, middle)
        at = this.length
        continue
      }
      if (value === equal) {
        view.setUint32(at, heads[0]!, true)
        view.setUint32(at + 4, tails[0]!, true)
        at += 8
        continue
      }
      const difference = (fastLog(value) - scaled) * DECIMALS
      const magnitude = Math.abs(difference) + 0.5
      const rounded = Math.floor(magnitude)
      const rest = magnitude - rounded
      // Zero is handled here too, because of its sign.
      if (rounded === 0 || rest < UNSURE || rest > 1 - UNSURE) {
        this.length = at
        this.#exact(value, middle)
        at = this.length
        continue
      }
      // Written always, and overwritten if positive: a branch on the sign would be mispredicted half of the
      // time.
      bytes[at] = MINUS
      at += Number(difference < 0)
      let high = Math.floor(rounded / 1000)
      const low = rounded - high * 1000
      if (high >= 1000) {
        const tens = Math.floor(high / 1000)
        bytes[at++] = ZERO + tens
        high -= tens * 1000
      }
      view.setUint32(at, heads[high]!, true)
      view.setUint32(at + 4, tails[low]!, true)
      at += 8
    }
    this.length = at
  }

  #exact(value: number, middle: number): void {
    this.#text(fiveDecimals(exactLog(value) - middle))
    this.#bytes[this.length++] = TAB
  }

  #texts(values: Float64Array, textOf: (value: number) => string): void {
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!
      if (!Number.isNaN(value)) this.#text(textOf(value))
      this.#bytes[this.length++] = TAB
    }
  }

  #text(text: string): void {
    for (let i = 0; i < text.length; i++) this.#bytes[this.length++] = text.charCodeAt(i)
  }
}
