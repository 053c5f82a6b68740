import type { Scratch } from '../../../shared/executor.ts'
import { DECIMALS_BYTES, DIGITS, FOUR_DIGITS, THREE_AND_TAB, TWO_DECIMALS } from './digits.ts'
import { fiveDecimals } from './exact-decimals.ts'
import { exactLog, fastLog, LOG_SCALE, MAX_FAST } from './log-table.ts'
import { ABSENT, FIXED_SCALE, type MatrixKind, type MatrixValues } from './matrix-format.ts'
import { middleValues } from './middle-values.ts'
import { type ExpressionUnit, unitValues } from './unit-values.ts'

/** Number format: `printed` like the public service, or `whole`, which parses to the same double. */
export type CellForm = 'printed' | 'whole'

/** Maximum length in bytes of a number and a tab: `429496.7294`, `-18.71234`, `-0.0000012345678901234567`. */
const CELL_BYTES = { uqfpkm: 12, median_centered_log2_uqfpkm: 10, any: 26 } as const

/** Returns the maximum length of a line in bytes, without the gene name at its start. */
export function mostLineBytes(
  cells: number,
  { kind, unit, form }: { readonly kind: MatrixKind; unit: ExpressionUnit; form: CellForm },
): number {
  const bytes = CELL_BYTES[kind === 'fixed' && form === 'printed' ? unit : 'any']
  // One byte for the tab after the name, and 8 bytes that the last number may write beyond its end.
  return 1 + cells * bytes + 8
}

const TAB = 0x09
const NEW_LINE = 0x0a
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30

/** The number 1 in ten-thousandths. */
const ONE = FIXED_SCALE
/** Smallest number with more than four digits before the decimal point, in ten-thousandths. */
const MAX_GROUPED = 10_000 * ONE

/** Printed logarithms have five decimals. */
const DECIMALS = 100_000
/**
 * If a number is closer than this to a rounding boundary, in hundred-thousandths, the exact method is used. This
 * is two hundred times the maximum error of the fast method.
 */
export const UNSURE = 1e-6

/** Writes rows as tab-separated lines into a buffer that must be large enough. */
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

  /** Writes a line: the gene's name, its numbers with empty cells for missing values, and a line break. */
  row(name: string, values: MatrixValues, unit: ExpressionUnit, form: CellForm = 'printed'): void {
    this.#name(name)
    if (form === 'printed' && values instanceof Uint32Array) {
      if (unit === 'uqfpkm') this.#plainFixed(values)
      else this.#centredFixed(values)
    } else {
      const isShort = form === 'printed' && unit !== 'uqfpkm'
      this.#texts(unitValues(values, unit, this.#scratch), isShort ? fiveDecimals : String)
    }
    // The tab after the last number becomes the line break.
    this.#bytes[this.length - 1] = NEW_LINE
  }

  #name(name: string): void {
    const { buffer, byteOffset, byteLength } = this.#bytes
    this.length += Buffer.from(buffer, byteOffset, byteLength).write(name, this.length)
    this.#bytes[this.length++] = TAB
  }

  /** Writes numbers given in ten-thousandths, without trailing zeros. */
  #plainFixed(values: Uint32Array): void {
    const bytes = this.#bytes
    const view = this.#view
    // The values are copied to local constants, because imported ones are looked up at each use.
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
      // The point is always written, and overwritten if there are no decimals, because a branch would often be
      // mispredicted.
      bytes[at] = POINT
      view.setUint32(at + 1, groups[decimals]!, true)
      at += decimalsBytes[decimals]!
      bytes[at++] = TAB
    }
    this.length = at
  }

  /** Writes a missing value as an empty cell, or a number of ten thousand or more. */
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
      // The exact method also writes zero, because it uses the sign of the number before rounding.
      if (rounded === 0 || rest < UNSURE || rest > 1 - UNSURE) {
        this.length = at
        this.#exact(value, middle)
        at = this.length
        continue
      }
      // The minus sign is always written, and overwritten if the number is positive: a branch would be
      // mispredicted half of the time.
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
