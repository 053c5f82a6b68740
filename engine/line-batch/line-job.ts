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
): Job<LinePiece & Given, Uint8Array<ArrayBuffer>> {
  return {
    name,
    run: (piece, scratch) => answerLines(piece, answererOf(piece, scratch)),
    transfer: ({ buffer }) => [buffer],
  }
}

/** Text in, text out: what a thread does with a piece. */
export function answerLines(
  { number, bytes }: LinePiece,
  answer: AnswerLine,
): Uint8Array<ArrayBuffer> {
  const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const isText = isUtf8(piece)
  const answers: string[] = []
  for (let start = 0; start < piece.length; ) {
    const found = piece.indexOf(10, start)
    const end = found < 0 ? piece.length : found
    const line = piece.subarray(start, end)
    try {
      answers.push(answer(parseLine(line, isText)))
    } catch (error) {
      answers.push(refusal(number + answers.length, error))
    }
    start = end + 1
  }
  answers.push('')
  return new TextEncoder().encode(answers.join('\n'))
}

function parseLine(line: Buffer, isText: boolean): unknown {
  if (line.length > LONGEST_LINE) {
    throw new EngineError('too_large', `the line is longer than ${LONGEST_LINE} bytes`)
  }
  if (!isText && !isUtf8(line)) throw new EngineError('bad_input', 'the line is not UTF-8')
  try {
    return JSON.parse(line.toString())
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
