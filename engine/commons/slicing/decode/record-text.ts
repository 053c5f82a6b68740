import { EngineError } from '../../../shared/errors.ts'
import type { Executor } from '../../../shared/executor.ts'
import { packNames } from '../../../shared/formats/sam-text.ts'
import { type ByteStream, generatedStream } from '../../../shared/streams/byte-stream.ts'
import type { Alignment } from '../alignment.ts'
import type { Selection } from '../cuts.ts'
import type { AlignmentParts } from '../parts.ts'
import type { RecordsOptions, SlicedRecords, Slicer, WHOLE } from '../slicer.ts'
import { walkBody } from './record-pieces.ts'
import { samHeaderJob } from './sam-header.ts'
import { type TextForm, textJob } from './text-job.ts'
import type { RecordBytes } from './walk.ts'

/** Records to write and their format. */
interface WrittenRecords {
  readonly select: typeof WHOLE | ((alignment: Alignment) => Promise<Selection>)
  readonly form: TextForm
}

/**
 * Streams the records of a slice as text, in the order in which the slice has them: SAM with its header, or one
 * JSON object per line.
 * @throws EngineError like Slicer.slice; the body throws corrupt_source
 */
export async function writeRecords(
  slicer: Slicer,
  executor: Executor,
  parts: AlignmentParts,
  { select, form }: WrittenRecords,
  options: RecordsOptions = {},
): Promise<ByteStream> {
  const { signal } = options
  const records = await bamRecords(slicer, parts, select, options)
  const { header } = records.alignment
  async function* lines(): AsyncGenerator<Uint8Array> {
    if (form === 'sam') {
      yield await executor.run(samHeaderJob, { packed: header.packed }, { signal })
    }
    const names = packNames(header.names)
    const given = { names, form, skip: 0, take: Number.POSITIVE_INFINITY, around: AROUND }
    const run = (bytes: RecordBytes) =>
      executor.run(textJob, { ...given, ...bytes }, { signal, priority: TEXT_PRIORITY })
    for await (const { text } of walkBody(records.body, run)) {
      if (text.length > 0) yield text
    }
  }
  return generatedStream({ rest: lines() }, { giveBack: () => records[Symbol.asyncDispose]() })
}

const AROUND = ['', '\n'] as const

/** Priority of text jobs, after edges and first chunks, like copies. */
const TEXT_PRIORITY = 1

/**
 * Returns the records of a slice of a BAM file.
 * @throws EngineError as Slicer.records; bad_input for a file of another format
 */
export async function bamRecords(
  slicer: Slicer,
  parts: AlignmentParts,
  select: WrittenRecords['select'],
  options: RecordsOptions,
): Promise<SlicedRecords> {
  const records = await slicer.records(parts, select, options)
  const { fileFormat } = records.alignment.header
  if (fileFormat === 'BAM') return records
  await records[Symbol.asyncDispose]()
  throw new EngineError('bad_input', `the file is ${fileFormat}; give a BAM file for this`)
}
