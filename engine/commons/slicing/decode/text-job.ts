import type { Job } from '../../../shared/executor.ts'
import { MAX_BLOCK_BYTES } from '../../../shared/formats/bgzf.ts'
import { type PackedNames, TextBuffer, writeSam } from '../../../shared/formats/sam-text.ts'
import { writeJson } from './json-text.ts'
import { PIECE_BLOCKS } from './record-pieces.ts'
import { type RecordBytes, walkRecords } from './walk.ts'

/** How records are written: lines of SAM, or objects of JSON, each on its own line. */
export type TextForm = 'sam' | 'json'

export interface TextInput extends RecordBytes {
  readonly names: PackedNames
  readonly form: TextForm
  /** Records to pass over, and those to write behind them. */
  readonly skip: number
  readonly take: number
  /** Of JSON: what stands before each object, and behind it. */
  readonly around: readonly [before: string, behind: string]
}

export interface TextOutput {
  readonly text: Uint8Array<ArrayBuffer>
  readonly rest: Uint8Array<ArrayBuffer>
  /** Records that were seen, and how many of them were written. */
  readonly seen: number
  readonly written: number
  /** Whether there is a record behind those that were to be written. */
  readonly isMore: boolean
}

/** Twice what the blocks of a piece inflate to: seldom is more written of them. */
const TEXT_BYTES = 2 * PIECE_BLOCKS * MAX_BLOCK_BYTES

/** Writes records out of blocks, some milliseconds' worth. */
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
