import type { CompiledVersion } from '../../../engine/registry/staging/algorithm/compiled-version.ts'
import { parseInputMap } from '../../../engine/registry/staging/algorithm/parse.ts'
import { stage } from '../../../engine/registry/staging/algorithm/stage.ts'

// Text in, text out with as little around it as can be: no line is suspected of being anything but
// a case, and nothing is carried from or to another thread.

const CHUNK_BYTES = 1 << 16
const LINE_END = 10

/** Whole lines, about 64 KiB of them each. */
export function piecesOf(text: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf(LINE_END, start + CHUNK_BYTES)
    const end = found < 0 ? text.length : found + 1
    pieces.push(text.subarray(start, end))
    start = end
  }
  return pieces
}

/** A line for each line, as UTF-8. */
export function stageText(piece: Uint8Array, version: CompiledVersion): Uint8Array {
  const lines = Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString().split('\n')
  // What follows the last line's end is none.
  lines.pop()
  const answers = lines.map((line) =>
    JSON.stringify(stage(version, parseInputMap(JSON.parse(line)))),
  )
  answers.push('')
  return Buffer.from(answers.join('\n'))
}
