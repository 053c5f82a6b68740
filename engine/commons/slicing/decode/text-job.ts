import type { Job } from '../../../shared/executor.ts'
import { type PackedNames, TextBuffer, writeSam } from '../../../shared/formats/sam-text.ts'
import { writeJson } from './json-text.ts'
import { PIECE_BYTES } from './record-pieces.ts'
import { type RecordBytes, walkRecords } from './walk.ts'

/** Text format of records: SAM, or one JSON object per line. */
export type TextForm = 'sam' | 'json'

export interface TextInput extends RecordBytes {
  readonly names: PackedNames
  readonly form: TextForm
  /** Number of records to skip. */
  readonly skip: number
  /** Maximum number of records to write after these. */
  readonly take: number
  /** For JSON: the text before and after each object. */
  readonly around: readonly [before: string, behind: string]
}

export interface TextOutput {
  readonly text: Uint8Array<ArrayBuffer>
  readonly rest: Uint8Array<ArrayBuffer>
  /** Number of records read. */
  readonly seen: number
  /** Number of records written. */
  readonly written: number
  /** Whether at least one more record follows those to write. */
  readonly isMore: boolean
}

/** Buffer size: twice the inflated bytes of a piece, which the text seldom exceeds. */
const TEXT_BYTES = 2 * PIECE_BYTES

/** Writes the records in some blocks as text. A job takes a few milliseconds. */
export const textJob: Job<TextInput, TextOutput> = {
  name: 'slicing.text',
  transfer: ({ text, rest }) => [text.buffer, rest.buffer],
  async run({ names, form, skip, take, around, ...bytes }, scratch) {
    const out = new TextBuffer(scratch.bytes('text', TEXT_BYTES))
    const referenceCount = names.starts.length - 1
    let seen = 0
    let written = 0
    let isMore = false
    const rest = await walkRecords(bytes, referenceCount, (record) => {
      if (seen++ < skip) return true
      if (written === take) {
        isMore = true
        return false
      }
      if (form === 'sam') writeSam(record, names, out)
      else {
        out.ascii(around[0])
        writeJson(record, names, out)
        out.ascii(around[1])
      }
      written++
      return true
    })
    return { text: out.take(), rest, seen, written, isMore }
  },
}
