import type { BlockReader } from '../block-reader.ts'
import { BamCursor } from './bam-cursor.ts'
import { BcfCursor } from './bcf-cursor.ts'
import { LineCursor } from './line-cursor.ts'
import type { RecordCursor } from './record-cursor.ts'
import type { RecordFormat } from './record-format.ts'

/** Creates a cursor over the records from a virtual offset on. */
export function cursorOver(
  format: RecordFormat,
  reader: BlockReader,
  { block, inner }: { readonly block: number; readonly inner: number },
): RecordCursor {
  if (format.kind === 'BAM') return new BamCursor(reader, block, inner)
  if (format.kind === 'BCF') return new BcfCursor(reader, block, inner, format)
  return new LineCursor(reader, block, inner, format)
}
