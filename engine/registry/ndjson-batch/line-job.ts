import { isUtf8 } from 'node:buffer'
import { EngineError } from '../../shared/errors.ts'
import type { Job, Scratch } from '../../shared/executor.ts'
import { checkJsonBounds } from '../../shared/input/json-bounds.ts'
import { type Counted, Counts } from './counts.ts'
import { LONGEST_LINE } from './limits.ts'
import type { LineChunk } from './line-chunks.ts'

/**
 * Answers the JSON value of a line with JSON without line breaks.
 * @throws EngineError if the line is not accepted
 */
export type AnswerLine = (line: unknown) => string

interface LinePlace extends OfFile {
  readonly line: number
}

/**
 * Creates a job that answers each line of a chunk with one line. A line that is rejected gets `{"line": number,
 * "file"?, "error": {"code", "message", "at"?}}`, and a blank line gets an empty one.
 */
export function lineJob<Given extends object>(
  name: string,
  answererOf: (given: Given, scratch: Scratch) => AnswerLine,
): LineJob<Given> {
  return {
    name,
    run: (chunk, scratch) => answerLines(chunk, answererOf(chunk, scratch)),
    transfer: ({ rest }) => (rest ? [rest.buffer] : []),
  }
}

export type LineJob<Given extends object> = Job<LineChunk & OfFile & Given, AnsweredChunk>

interface OfFile {
  /** File name that errors contain beside the line number. */
  readonly file?: string | undefined
}

/** Answers in the memory of a chunk. */
interface WrittenAnswers {
  /** Number of bytes of answers at the start of the chunk's memory. */
  readonly length: number
  /** Answers that did not fit into the chunk's memory. */
  readonly rest?: Uint8Array<ArrayBuffer>
}

/** The answers to a chunk, each with its line ending. */
export interface AnsweredChunk extends WrittenAnswers {
  /** Number of lines answered. */
  readonly lines: number
  /** Number of lines answered with an error. */
  readonly errors: number
  /** Findings of the job, including the error codes of lines that were not accepted. */
  readonly counts: readonly Counted[]
}

/** Counts lines that were answered with an error. */
export const REFUSED = 'refused'

const LINE_END = 10
/** Matches a line of JSON whitespace. */
const BLANK_LINE = /^[\t\r ]*$/
/** Lines up to this length are not checked, because they have too few names to keep a thread busy for long. */
const LONG_LINE = 64 << 10
/** Maximum number of UTF-8 bytes per UTF-16 code unit. */
const MAX_UNIT_BYTES = 3

/** Answers a chunk in a thread, from text to text. */
function answerLines(chunk: LineChunk & OfFile, answer: AnswerLine): AnsweredChunk {
  const memory = new AnswerMemory(chunk)
  let { number } = chunk
  let errors = 0
  const counts = new Counts()
  for (const line of linesIn(memory.chunk)) {
    const text = answerTo(line, answer, (error) => {
      errors++
      counts.add({ kind: REFUSED, code: error.code, line: number })
      return errorLine({ line: number, file: chunk.file }, error)
    })
    number++
    memory.write(`${text}\n`)
  }
  return { ...memory.answers(), lines: number - chunk.number, errors, counts: counts.list() }
}

/** Writes answers into the space before a chunk. */
export class AnswerMemory {
  readonly #memory: Buffer
  /** Offset of the chunk in the memory. */
  readonly #start: number
  /** Answers that do not fit before the chunk. */
  readonly #rest: string[] = []
  #length = 0

  constructor({ memory, start }: LineChunk) {
    this.#memory = Buffer.from(memory.buffer, memory.byteOffset, memory.length)
    this.#start = start
  }

  get chunk(): Buffer {
    return this.#memory.subarray(this.#start)
  }

  /** Each answer is written at once. Collected, they would be copied repeatedly in the small heaps of threads. */
  write(text: string): void {
    const isFull = this.#length + MAX_UNIT_BYTES * text.length > this.#start
    if (isFull || this.#rest.length > 0) this.#rest.push(text)
    else this.#length += this.#memory.write(text, this.#length)
  }

  answers(): WrittenAnswers {
    const answers = { length: this.#length }
    if (this.#rest.length === 0) return answers
    return { ...answers, rest: new TextEncoder().encode(this.#rest.join('')) }
  }
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

/** Formats an error answer, without a line end. The `line` member distinguishes it from all other answers. */
export function errorLine(place: LinePlace, error: LineError): string {
  const { code, message, at } = error
  return JSON.stringify({ ...place, error: { code, message, ...(at ? { at } : {}) } })
}
