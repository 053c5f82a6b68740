import type { Job, Scratch } from '../../shared/executor.ts'
import { ByteSink } from '../../shared/formats/byte-sink.ts'
import type { TableForm } from '../../shared/formats/table-cells.ts'
import { handlesFor, isSmall, type RenderContext } from './context.ts'
import { CopiedMembers } from './copied-members.ts'
import { type Projection, printedTypes } from './projection.ts'
import { Projector } from './projector.ts'
import { openRecords, type RecordHandles } from './records.ts'
import { jsonOf, tableOf, xmlOf } from './values.ts'

/** Size of the buffer for a record. It grows for a larger one. */
const RECORD_BYTES = 16 << 10

interface RecordRequest {
  readonly projection: Projection
  readonly row: number
  readonly format: TableForm | 'json' | 'xml'
  readonly pretty?: boolean
  readonly warnings: Readonly<Record<string, string>>
}

interface RecordInput extends RecordHandles, Pick<RecordRequest, 'row' | 'format' | 'warnings'> {
  readonly projection: Projection
  readonly pretty: boolean
}

/**
 * Renders the body for one record (data-commons.md 3.1), `{"data": {…}, "warnings": {}}`, or a header and
 * one line as a table. Runs on the calling thread unless the record may include many others.
 * @throws EngineError corrupt_source if a document is damaged; busy
 */
export async function renderRecord(
  request: RecordRequest,
  context: RenderContext,
): Promise<Uint8Array> {
  const { projection, row, format, warnings, pretty = false } = request
  const handles = await handlesFor(projection, context)
  const rows = Uint32Array.of(row)
  const handle = handles.documents[projection.dataset]
  if (handle && format === 'json' && !pretty && CopiedMembers.canCopy(projection, rows)) {
    const sink = new ByteSink(context.scratch.bytes('render', RECORD_BYTES))
    sink.text('{"data":')
    const { scratch, columns } = context
    columns.copiedOf(projection).write(rows, sink, { handle, scratch })
    sink.text(`,"warnings":${JSON.stringify(warnings)}}`)
    return sink.take()
  }
  const input = { ...handles, projection, row, format, warnings, pretty }
  if (isSmall(projection, [row], handles)) return recordBody(input, context.scratch)
  return context.executor.run(recordJob, input, { signal: context.signal })
}

function recordBody(input: RecordInput, scratch: Scratch): Uint8Array<ArrayBuffer> {
  const { projection, row, format, warnings, pretty } = input
  const projector = new Projector(openRecords(input, scratch))
  const [data = {}] = projector.hits(projection, Uint32Array.of(row))
  switch (format) {
    case 'tsv':
    case 'csv':
      return tableOf([data], { form: format, types: printedTypes(projection) })
    case 'xml':
      return xmlOf({ data, warnings }, { pretty })
    case 'json':
      return jsonOf({ data, warnings }, { pretty })
  }
}

export const recordJob: Job<RecordInput, Uint8Array<ArrayBuffer>> = {
  name: 'render.record',
  run: recordBody,
  transfer: (bytes) => [bytes.buffer],
}
