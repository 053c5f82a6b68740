import { isUtf8 } from 'node:buffer'
import { EngineError } from '../errors.ts'
import type { Job, Kept } from '../executor.ts'
import { CompiledVersion } from '../staging/compiled-version.ts'
import { parseInputMap } from '../staging/parse.ts'
import { type StageOptions, stage } from '../staging/stage.ts'
import { type LinePiece, LONGEST_LINE } from './line-pieces.ts'
import { readVersion, type VersionText } from './version-text.ts'
import { withoutNulls } from './without-nulls.ts'

export interface StageLines extends LinePiece {
  readonly version: VersionText
  /** The current year in four digits. */
  readonly year: string
  readonly explain: boolean
}

/** Stages the case of each line; one line is answered for each, in order. */
export const stageLinesJob: Job<StageLines, Uint8Array<ArrayBuffer>> = {
  name: 'staging.lines',
  run: (lines, scratch) => {
    const kept = scratch.kept('staging versions', () => new KeptVersions())
    return stageLines(lines, kept.of(lines))
  },
  transfer: ({ buffer }) => [buffer],
}

/** As many as are published; each takes some ten megabytes of a thread. */
const KEPT_VERSIONS = 4

/** Versions as one thread has compiled them; the one that was not asked for longest goes first. */
class KeptVersions implements Kept {
  /** Bounded by its own number: were it counted beside buffers, none could be kept. */
  readonly bytes = 0
  readonly #kept = new Map<string, CompiledVersion>()

  of({ version, year }: StageLines): CompiledVersion {
    const key = `${version.key} ${year}`
    const made =
      this.#kept.get(key) ?? new CompiledVersion(readVersion(version), { yearNow: () => year })
    this.#kept.delete(key)
    this.#kept.set(key, made)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT_VERSIONS) break
      this.#kept.delete(oldest)
    }
    return made
  }
}

/** Text in, text out: what a thread does with a piece. */
export function stageLines(
  { number, bytes, explain }: Omit<StageLines, 'version' | 'year'>,
  version: CompiledVersion,
): Uint8Array<ArrayBuffer> {
  const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const isText = isUtf8(piece)
  const answers: string[] = []
  for (let start = 0; start < piece.length; ) {
    const found = piece.indexOf(10, start)
    const end = found < 0 ? piece.length : found
    const line = piece.subarray(start, end)
    answers.push(answerTo(line, { version, explain, isText, number: number + answers.length }))
    start = end + 1
  }
  answers.push('')
  return new TextEncoder().encode(answers.join('\n'))
}

interface Asked extends StageOptions {
  readonly version: CompiledVersion
  readonly explain: boolean
  /** Whether all of the piece is UTF-8. */
  readonly isText: boolean
  readonly number: number
}

function answerTo(line: Buffer, { version, explain, isText, number }: Asked): string {
  try {
    if (line.length > LONGEST_LINE) {
      throw new EngineError('too_large', `the line is longer than ${LONGEST_LINE} bytes`)
    }
    if (!isText && !isUtf8(line)) throw new EngineError('bad_input', 'the line is not UTF-8')
    const staged = stage(version, parseInputMap(parseJson(line.toString())), { explain })
    return JSON.stringify({ ...staged, input: withoutNulls(staged.input) })
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    const { code, message, at } = error
    return JSON.stringify({ line: number, error: { code, message, ...(at ? { at } : {}) } })
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    // The parser's own message quotes the text, which holds health data.
    throw new EngineError('bad_input', 'the line is not valid JSON', { cause })
  }
}
