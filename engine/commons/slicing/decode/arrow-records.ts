import { Field, Schema } from 'apache-arrow'
import type { Job } from '../../../shared/executor.ts'
import { eachTag, tagsStart } from '../../../shared/formats/bam-tags.ts'
import { type RecordSpan, TextBuffer, writeTag } from '../../../shared/formats/sam-text.ts'
import { batchChunk } from '../../render/arrow.ts'
import { type ArrowColumn, arrowColumn, arrowType } from '../../render/arrow-columns.ts'
import { type RecordFields, readFields } from './json-text.ts'
import type { TextInput, TextOutput } from './text-job.ts'
import { walkRecords } from './walk.ts'

type Row = Omit<RecordFields, 'tags'> & { readonly tags: string }

const COLUMNS = {
  qname: 'text',
  flag: 'integer',
  rname: 'text',
  pos: 'integer',
  end: 'integer',
  mapq: 'integer',
  cigar: 'text',
  rnext: 'text',
  pnext: 'integer',
  tlen: 'integer',
  seq: 'text',
  qual: 'text',
  tags: 'text',
} as const satisfies Record<keyof Row, 'text' | 'integer'>

const NAMES = Object.keys(COLUMNS) as (keyof Row)[]

type ArrowRecordsInput = Omit<TextInput, 'form' | 'around'> & { readonly isFirst: boolean }

/**
 * Converts the records in some blocks to a chunk of an Arrow stream. The first chunk contains the schema. The
 * fields are the same as in JSON, except that `tags` is a single text as in SAM, separated by tabs.
 */
export const arrowRecordsJob: Job<ArrowRecordsInput, TextOutput> = {
  name: 'slicing.arrow-records',
  transfer: ({ text, rest }) => [text.buffer, rest.buffer],
  async run({ names, skip, take, isFirst, ...bytes }) {
    const rows: Row[] = []
    let seen = 0
    let isMore = false
    const rest = await walkRecords(bytes, names.starts.length - 1, (record) => {
      if (seen++ < skip) return true
      if (rows.length === take) {
        isMore = true
        return false
      }
      rows.push({ ...readFields(record, names), tags: tagsText(record) })
      return true
    })
    return { text: chunkOf(rows, isFirst), rest, seen, written: rows.length, isMore }
  },
}

function tagsText(record: RecordSpan): string {
  const { bytes, view, at, end } = record
  const out = new TextBuffer(end - at)
  for (const tag of eachTag(bytes, tagsStart(view, at), end)) {
    if (out.length > 0) out.ascii('\t')
    writeTag(record, tag, out)
  }
  return Buffer.from(out.take()).toString()
}

/** Builds a chunk of rows. Without rows, the chunk has only the schema, or is empty if it is not the first. */
export function chunkOf(rows: readonly Row[], first: boolean): Uint8Array<ArrayBuffer> {
  const schema = new Schema(NAMES.map((name) => new Field(name, arrowType(COLUMNS[name]), true)))
  const columns = NAMES.map((name) => filled(arrowColumn(COLUMNS[name], rows.length), rows, name))
  return batchChunk(schema, columns, { rows: rows.length, first })
}

function filled(column: ArrowColumn, rows: readonly Row[], name: keyof Row) {
  for (const [i, row] of rows.entries()) {
    const value = row[name]
    if (value !== null) column.put(i, value)
  }
  return column.finish()
}
