import { isUtf8 } from 'node:buffer'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { EngineError } from '../../shared/errors.ts'

const READ_BYTES = 1 << 20

/** Maximum bytes of a line. A record of this size is an error in the source, and must fit in memory. */
const LONGEST_LINE = 64 << 20

const NEWLINE = 10
const RETURN = 13

/**
 * Reads the lines of a UTF-8 file, inside jobs. Skips empty lines. A line is `bytes` from `start` (inclusive) to
 * `end` (exclusive), valid until the next call. A line break always follows it, even at the end of the file.
 */
export class LineReader {
  readonly #descriptor: number
  readonly #isOwn: boolean
  /** File offset at which `bytes` begins. */
  #position = 0
  #filled = 0
  #next = 0
  #checked = 0
  #ended = false
  /** Buffer. It has space for one more byte, because a line break is added after the last line. */
  bytes: Buffer
  start = 0
  end = 0
  /** Number of the line just read or rejected, counted from 1 including empty lines. */
  number = 0

  /** @param source path, or descriptor of an open file, which stays open */
  constructor(source: string | number) {
    this.#isOwn = typeof source === 'string'
    this.#descriptor = typeof source === 'string' ? openSync(source, 'r') : source
    const { size } = fstatSync(this.#descriptor)
    this.bytes = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, size) + 1)
  }

  /** File offset at which the line begins. */
  get byteOffset(): number {
    return this.#position + this.start
  }

  /**
   * Reads the next line. Returns false at the end.
   * @throws EngineError bad_input if the file is not UTF-8 or a line is longer than 64 MiB
   */
  next(): boolean {
    for (;;) {
      let newline = this.bytes.indexOf(NEWLINE, this.#next)
      if (newline < 0 || newline >= this.#filled) {
        if (this.#fill()) continue
        if (this.#next >= this.#filled) return false
        newline = this.#filled
      }
      this.start = this.#next
      this.end = newline
      this.#next = newline + 1
      this.number++
      if (this.bytes[this.end - 1] === RETURN && this.end > this.start) this.end--
      if (this.end > this.start) return true
    }
  }

  /** Reads more bytes after those that are not used yet. Returns false at the end of the file. */
  #fill(): boolean {
    if (this.#ended) return false
    const rest = this.#filled - Math.min(this.#next, this.#filled)
    if (rest > LONGEST_LINE) throw this.#refused(this.number + 1, 'is longer than 64 MiB')
    const target =
      rest > this.bytes.length / 2 ? Buffer.allocUnsafeSlow(2 * this.bytes.length) : this.bytes
    this.bytes.copy(target, 0, this.#filled - rest, this.#filled)
    this.bytes = target
    this.#checked -= this.#filled - rest
    this.#position += this.#filled - rest
    this.#next = 0
    const space = target.length - 1 - rest
    const read = readSync(this.#descriptor, target, rest, space, this.#position + rest)
    this.#filled = rest + read
    this.#ended = read === 0
    if (this.#ended) target[rest] = NEWLINE
    this.#check()
    return !this.#ended
  }

  /** Checks whole lines only, since the last character read may be incomplete. */
  #check(): void {
    const whole = this.#ended ? this.#filled : this.bytes.lastIndexOf(NEWLINE, this.#filled - 1) + 1
    if (whole <= this.#checked) return
    if (!isUtf8(this.bytes.subarray(this.#checked, whole))) throw this.#notUtf8(whole)
    this.#checked = whole
  }

  /** Finds the invalid line among the lines that are not checked yet. */
  #notUtf8(whole: number): EngineError {
    let number = this.number + 1
    for (let start = this.#checked; start < whole; number++) {
      const newline = this.bytes.indexOf(NEWLINE, start)
      const next = newline < 0 ? whole : newline + 1
      if (!isUtf8(this.bytes.subarray(start, next))) break
      start = next
    }
    return this.#refused(number, 'is not UTF-8')
  }

  #refused(number: number, why: string): EngineError {
    this.number = number
    return new EngineError('bad_input', `line ${number} ${why}`)
  }

  close(): void {
    if (this.#isOwn) closeSync(this.#descriptor)
  }
}
