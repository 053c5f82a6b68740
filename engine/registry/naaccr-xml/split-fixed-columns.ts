import { isAscii } from 'node:buffer'
import { type BeginPlace, FILE_BEGIN, lineEndsIn, type Splitter } from './split-file.ts'

const LF = 10
const CR = 13

/** The column by which lines belong to one patient, 0-based and half-open, in characters. */
interface PatientColumn {
  readonly start: number
  readonly end: number
}

/** Finds the ends of patients in lines of fixed columns: adjacent lines with the same id are one patient. */
export class FixedSplitter implements Splitter {
  patients: number
  readonly rootItems = 0
  readonly rootIds = []
  readonly isBroken = false
  readonly #column: PatientColumn | undefined
  /** Start of the line that is searched for its end. */
  #line = 0
  /** Offset up to which the bytes contain no line end. */
  #at = 0
  /** Id of the current patient: null before the first line, undefined if it has none. */
  #id: string | undefined | null = null

  /** @param begin of the bytes: of the file, or after a patient */
  constructor(column: PatientColumn | undefined, begin: BeginPlace = FILE_BEGIN) {
    this.patients = begin.patients
    this.#column = column
  }

  next(bytes: Buffer): number | undefined {
    for (;;) {
      const end = this.#lineEnd(bytes)
      if (end === undefined) return undefined
      const line = bytes.subarray(this.#line, end)
      const start = this.#line
      this.#line = this.#after(end, bytes)
      this.#at = this.#line
      if (line.length === 0) continue
      const id = this.#idOf(line)
      const isNext = this.#id !== null && (id === undefined || id !== this.#id)
      this.#id = id
      if (!isNext) continue
      this.patients++
      return start
    }
  }

  removed(bytes: number): void {
    this.#line -= bytes
    this.#at -= bytes
  }

  lineEnds(bytes: Buffer): number {
    return lineEndsIn(bytes)
  }

  /** Returns the offset of the next line end, or undefined for a CR at the end, which an LF may follow. */
  #lineEnd(bytes: Buffer): number | undefined {
    const ends = [bytes.indexOf(LF, this.#at), bytes.indexOf(CR, this.#at)].filter((at) => at >= 0)
    const end = Math.min(...ends)
    if (ends.length > 0 && (bytes[end] === LF || end + 1 < bytes.length)) return end
    this.#at = Math.min(end, bytes.length)
    return undefined
  }

  #after(end: number, bytes: Buffer): number {
    return bytes[end] === CR && bytes[end + 1] === LF ? end + 2 : end + 1
  }

  /** Ids are compared as they are read: without blanks, and never if they are empty. */
  #idOf(line: Buffer): string | undefined {
    if (!this.#column) return undefined
    const { start, end } = this.#column
    const before = line.subarray(0, end)
    const text = isAscii(before)
      ? before.toString('latin1', start)
      : line.toString().slice(start, end)
    if (text.length < end - start) return undefined
    return withoutBlanks(text) || undefined
  }
}

/** The characters that the reference library treats as blank. */
const BLANKS = /^[\0- ]+|[\0- ]+$/g

/** Returns a value without surrounding blanks. */
export const withoutBlanks = (value: string): string => value.replace(BLANKS, '')
