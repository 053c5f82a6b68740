import { isUtf8 } from 'node:buffer'
import { EngineError } from '../../shared/errors.ts'
import type { Job, Scratch } from '../../shared/executor.ts'
import { checkJsonBounds } from '../../shared/input/json-bounds.ts'
import { type Counted, Counts, type Found } from './counts.ts'
import { LONGEST_LINE } from './limits.ts'
import type { LineChunk } from './line-chunks.ts'

/**
 * Answers the JSON value of a line with JSON without line breaks.
 * @throws EngineError if the line is not accepted
 */
export type AnswerLine = (line: unknown) => string

/** Answers lines that were made from another source, to which errors refer. */
export interface LineAnswerer {
  /** Like AnswerLine; findings are summed over all lines. */
  readonly answer: (line: unknown, count: (found: Found) => void) => string
  /**
   * Returns the line number for errors from the start of its text. Defaults to the position among the lines.
   */
  readonly numberOf: (start: string) => number | undefined
  /**
   * Formats the answer to a line that is not accepted. Defaults to an object with its number and the error.
   */
  readonly fail?: ((place: LinePlace, error: LineError) => string) | undefined
}

interface LinePlace extends OfFile {
  readonly line: number
}

/**
 * Creates a job that answers each line of a chunk with a line. A line that is not accepted gets `{"line":
 * number, "file"?, "error": {"code", "message", "at"?}}`, and a blank line gets an empty one.
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
  /** File name that errors give next to the line number. */
  readonly file?: string | undefined
}

/** The answers to a chunk, each with its line ending. */
export interface LineAnswers {
  /** Number of bytes of answers at the start of the chunk's memory. */
  readonly length: number
  /** Number of lines answered. */
  readonly lines: number
  /** Number of lines answered with an error. */
  readonly errors: number
  /** Findings of the job, including the error codes of lines that were not accepted. */
  readonly counts: readonly Counted[]
  /** Answers that did not fit into the chunk's memory. */
  readonly rest?: Uint8Array<ArrayBuffer>
}

/** Counts lines that were answered with an error. */
const REFUSED = 'refused'

const LINE_END = 10
/** JSON whitespace. */
const BLANK_LINE = /^[\t\r ]*$/
/** A shorter line has too few names to keep a thread busy for long, so it is not checked. */
const LONG_LINE = 64 << 10
/** UTF-8 bytes per UTF-16 code unit, at most. */
const MAX_UNIT_BYTES = 3

/** Answers a chunk in a thread, from text to text. */
function answerLines(chunk: LineChunk & OfFile, answerer: AnswerLine | LineAnswerer): LineAnswers {
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
    // Answers are written at once. Kept until the end, they would be copied repeatedly in the small heaps of
    // threads.
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

/** Splits a chunk into texts, or into bytes if a line is too long or not UTF-8. */
function linesIn(bytes: Buffer): (string | Buffer)[] {
  const lines =
    bytes.length <= LONGEST_LINE && isUtf8(bytes) ? bytes.toString().split('\n') : cut(bytes)
  // Nothing follows the last line ending.
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

/** Returns the first characters of a line, even if it is not valid UTF-8. */
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
    if (text.length > LONG_LINE) checkJsonBounds(Buffer.from(text), { source: 'the line' })
    const parsed = parseLine(text)
    return parsed ? answer(parsed.value) : fail(NO_JSON)
  } catch (error) {
    if (error instanceof EngineError) return fail(error)
    throw error
  }
}

type LineError = Pick<EngineError, 'code' | 'message' | 'at'>

function textOf(line: Buffer): string {
  if (line.length > LONGEST_LINE) {
    throw new EngineError('too_large', `the line is longer than ${LONGEST_LINE} bytes`)
  }
  if (!isUtf8(line)) throw new EngineError('bad_input', 'the line is not UTF-8')
  return line.toString()
}

/** The parser's own message quotes the text, which contains health data. */
const NO_JSON: LineError = {
  code: 'bad_input',
  message: 'the line is not valid JSON',
  at: undefined,
}

/** Parses a line, or returns undefined if it is not valid JSON. */
function parseLine(text: string): { readonly value: unknown } | undefined {
  const { stackTraceLimit } = Error
  // A megabyte may contain half a million invalid lines, and a stack trace of the parser is useless.
  Error.stackTraceLimit = 0
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** Formats an error answer. The `line` member distinguishes it from all other answers. */
function errorLine(place: LinePlace, error: LineError): string {
  const { code, message, at } = error
  return JSON.stringify({ ...place, error: { code, message, ...(at ? { at } : {}) } })
}
