import { isUtf8 } from 'node:buffer'
import { EngineError } from '../errors.ts'
import type { Job, Scratch } from '../executor.ts'
import { LONGEST_LINE } from './limits.ts'
import type { LinePiece } from './line-pieces.ts'

/**
 * Answers the JSON value of a line by JSON without line breaks.
 * @throws EngineError for a line that is not accepted
 */
export type AnswerLine = (line: unknown) => string

/**
 * A job that answers each line of a piece by a line; one that is not accepted by
 * `{"line": number, "error": {"code", "message", "at"?}}`.
 */
export function lineJob<Given extends object>(
  name: string,
  answererOf: (given: Given, scratch: Scratch) => AnswerLine,
): LineJob<Given> {
  return {
    name,
    run: (piece, scratch) => answerLines(piece, answererOf(piece, scratch)),
    transfer: ({ rest }) => (rest ? [rest.buffer] : []),
  }
}

export type LineJob<Given extends object> = Job<LinePiece & Given, LineAnswers>

/** Answers to a piece, each with its end. */
export interface LineAnswers {
  /** Bytes of those that are in the piece's memory, from its start. */
  readonly length: number
  /** Lines that were not accepted. */
  readonly refused: number
  /** Answers for which there was no room. */
  readonly rest?: Uint8Array<ArrayBuffer>
}

const LINE_END = 10
/** Of UTF-8, for each unit of a text. */
const MOST_UNIT_BYTES = 3

/** Text in, text out: what a thread does with a piece. */
export function answerLines(piece: LinePiece, answer: AnswerLine): LineAnswers {
  const memory = Buffer.from(piece.memory.buffer, piece.memory.byteOffset, piece.memory.length)
  const rest: string[] = []
  let length = 0
  let { number } = piece
  let refused = 0
  const refuse = (error: unknown) => {
    refused++
    return refusal(number, error)
  }
  for (const line of linesIn(memory.subarray(piece.start))) {
    const text = answerTo(line, answer, refuse)
    number++
    // What was made of a line is garbage at once: kept until the end, it would be moved about in the
    // small heaps of threads.
    if (rest.length > 0 || length + MOST_UNIT_BYTES * text.length >= piece.start) rest.push(text)
    else {
      length += memory.write(text, length)
      memory[length++] = LINE_END
    }
  }
  if (rest.length === 0) return { length, refused }
  return { length, refused, rest: new TextEncoder().encode(`${rest.join('\n')}\n`) }
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

function answerTo(
  line: string | Buffer,
  answer: AnswerLine,
  refuse: (error: unknown) => string,
): string {
  try {
    return answer(parseLine(typeof line === 'string' ? line : textOf(line)))
  } catch (error) {
    return refuse(error)
  }
}

function textOf(line: Buffer): string {
  if (line.length > LONGEST_LINE) {
    throw new EngineError('too_large', `the line is longer than ${LONGEST_LINE} bytes`)
  }
  if (!isUtf8(line)) throw new EngineError('bad_input', 'the line is not UTF-8')
  return line.toString()
}

function parseLine(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    // The parser's own message quotes the text, which holds health data.
    throw new EngineError('bad_input', 'the line is not valid JSON', { cause })
  }
}

/** `line` is the member by which it is told from every answer. */
function refusal(line: number, error: unknown): string {
  if (!(error instanceof EngineError)) throw error
  const { code, message, at } = error
  return JSON.stringify({ line, error: { code, message, ...(at ? { at } : {}) } })
}
