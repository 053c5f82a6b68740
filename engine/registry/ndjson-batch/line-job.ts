import { isUtf8 } from 'node:buffer'
import { EngineError } from '../../shared/errors.ts'
import type { Job, Scratch } from '../../shared/executor.ts'
import { checkJsonBounds } from '../../shared/input/json-bounds.ts'
import { type Counted, Counts, type Found } from './counts.ts'
import { LONGEST_LINE } from './limits.ts'
import type { LineChunk } from './line-chunks.ts'

/**
 * Answers the JSON value of a line by JSON without line breaks.
 * @throws EngineError for a line that is not accepted
 */
export type AnswerLine = (line: unknown) => string

/** For lines that were made of something else, which errors tell of. */
export interface LineAnswerer {
  /** As AnswerLine; what is counted is summed up over all lines. */
  readonly answer: (line: unknown, count: (found: Found) => void) => string
  /** What errors give as the number of a line, by how its text begins; else its place among the lines. */
  readonly numberOf: (start: string) => number | undefined
  /** Answers a line that is not accepted, in the place of an object with its number and the error. */
  readonly fail?: ((place: LinePlace, error: LineError) => string) | undefined
}

export interface LinePlace extends OfFile {
  readonly line: number
}

/**
 * A job that answers each line of a chunk by a line: one that is not accepted by
 * `{"line": number, "file"?, "error": {"code", "message", "at"?}}`, a blank one by an empty line.
 */
export function lineJob<Given extends object>(
  name: string,
  answererOf: (given: Given, scratch: Scratch) => AnswerLine | LineAnswerer,
): LineJob<Given> {
  return {
    name,
    run: (chunk, scratch) => answerLines(chunk, answererOf(chunk, scratch)),
    transfer: ({ rest }) => (rest ? [rest.buffer] : []),
  }
}

export type LineJob<Given extends object> = Job<LineChunk & OfFile & Given, LineAnswers>

interface OfFile {
  /** What errors name beside their line. */
  readonly file?: string | undefined
}

/** Answers to a chunk, each with its end. */
export interface LineAnswers {
  /** Bytes of those that are in the chunk's memory, from its start. */
  readonly length: number
  /** How many lines were answered. */
  readonly lines: number
  /** How many of them by an error. */
  readonly errors: number
  /** What the job found in them; of lines that were not accepted, the codes of their errors. */
  readonly counts: readonly Counted[]
  /** Answers for which there was no space. */
  readonly rest?: Uint8Array<ArrayBuffer>
}

/** Of counts: lines that are answered by an error. */
export const REFUSED = 'refused'

const LINE_END = 10
/** What JSON skips. */
const BLANK_LINE = /^[\t\r ]*$/
/** A shorter line has no space for more names than are read in some milliseconds. */
const LONG_LINE = 64 << 10
/** Of UTF-8, for each unit of a text. */
const MAX_UNIT_BYTES = 3

/** Text in, text out: what a thread does with a chunk. */
export function answerLines(
  chunk: LineChunk & OfFile,
  answerer: AnswerLine | LineAnswerer,
): LineAnswers {
  const memory = Buffer.from(chunk.memory.buffer, chunk.memory.byteOffset, chunk.memory.length)
  const rest: string[] = []
  let length = 0
  let { number } = chunk
  let errors = 0
  const counts = new Counts()
  const count = (found: Found) => counts.add(found)
  const {
    answer,
    numberOf,
    fail = errorLine,
  } = typeof answerer === 'function' ? { answer: answerer, numberOf: () => undefined } : answerer
  for (const line of linesIn(memory.subarray(chunk.start))) {
    const text = answerTo(
      line,
      (value) => answer(value, count),
      (error) => {
        errors++
        const place = numberOf(startOf(line)) ?? number
        counts.add({ kind: REFUSED, code: error.code, line: place })
        return fail({ line: place, file: chunk.file }, error)
      },
    )
    number++
    // What was made of a line is garbage at once: held until the end, it would be moved about in the
    // small heaps of threads.
    if (rest.length > 0 || length + MAX_UNIT_BYTES * text.length >= chunk.start) rest.push(text)
    else {
      length += memory.write(text, length)
      memory[length++] = LINE_END
    }
  }
  const lines = number - chunk.number
  const answers = { length, lines, errors, counts: counts.list() }
  if (rest.length === 0) return answers
  return { ...answers, rest: new TextEncoder().encode(`${rest.join('\n')}\n`) }
}

/** Lines as texts; as bytes where one is too long or no text. */
function linesIn(bytes: Buffer): (string | Buffer)[] {
  const lines =
    bytes.length <= LONGEST_LINE && isUtf8(bytes) ? bytes.toString().split('\n') : cut(bytes)
  // What follows the last line's end is none.
  if (bytes.at(-1) === LINE_END) lines.pop()
  return lines
}

function cut(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  let start = 0
  for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END, start)) {
    lines.push(bytes.subarray(start, end))
    start = end + 1
  }
  lines.push(bytes.subarray(start))
  return lines
}

const MAX_START = 64

/** The first characters of a line, whatever it is. */
const startOf = (line: string | Buffer): string =>
  typeof line === 'string'
    ? line.slice(0, MAX_START)
    : line.subarray(0, MAX_START).toString('latin1')

function answerTo(
  line: string | Buffer,
  answer: (line: unknown) => string,
  fail: (error: LineError) => string,
): string {
  try {
    const text = typeof line === 'string' ? line : textOf(line)
    // An error would be a hundred times as long.
    if (BLANK_LINE.test(text)) return ''
    if (text.length > LONG_LINE) checkJsonBounds(Buffer.from(text), 'the line')
    const parsed = parseLine(text)
    return parsed ? answer(parsed.value) : fail(NO_JSON)
  } catch (error) {
    if (error instanceof EngineError) return fail(error)
    throw error
  }
}

export type LineError = Pick<EngineError, 'code' | 'message' | 'at'>

function textOf(line: Buffer): string {
  if (line.length > LONGEST_LINE) {
    throw new EngineError('too_large', `the line is longer than ${LONGEST_LINE} bytes`)
  }
  if (!isUtf8(line)) throw new EngineError('bad_input', 'the line is not UTF-8')
  return line.toString()
}

/** The parser's own message quotes the text, which holds health data. */
const NO_JSON: LineError = {
  code: 'bad_input',
  message: 'the line is not valid JSON',
  at: undefined,
}

/** Undefined for what is no JSON. */
function parseLine(text: string): { readonly value: unknown } | undefined {
  const { stackTraceLimit } = Error
  // A megabyte may be half a million such lines, and where the parser failed is of no use.
  Error.stackTraceLimit = 0
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** `line` is the member by which it differs from every answer. */
function errorLine(place: LinePlace, error: LineError): string {
  const { code, message, at } = error
  return JSON.stringify({ ...place, error: { code, message, ...(at ? { at } : {}) } })
}
