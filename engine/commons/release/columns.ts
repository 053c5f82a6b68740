import { EngineError } from '../../shared/errors.ts'
import type { Job } from '../../shared/executor.ts'
import { type BuildControl, reportRows } from './build-control.ts'
import type { BitmapLimits } from './column-encoder.ts'
import { DatasetEncoder, type EncodedDataset } from './dataset-encoder.ts'
import { DocumentScanner } from './document-scanner.ts'
import { LineReader } from './line-reader.ts'
import { ManifestLineWriter } from './manifest-line-writer.ts'
import { LINE_MEMBERS } from './manifest-lines.ts'
import type { Schema } from './schema.ts'
import type { WrittenFiles } from './written-files.ts'

interface ColumnsInput {
  readonly schema: Schema
  /** Path of the NDJSON file. */
  readonly source: string
  /** Folder of the release being built. */
  readonly folder: string
  readonly control?: BuildControl | undefined
  /** Which columns get bitmaps. By default those of large levels. */
  readonly bitmaps?: BitmapLimits | undefined
}

/** Reads a dataset's documents and writes its levels, columns, and the foreign ids of its links. */
export const columnsJob: Job<ColumnsInput, EncodedDataset> = {
  name: 'release.columns',
  run: encodeDataset,
}

/**
 * Encodes a dataset's documents.
 * @throws EngineError bad_input naming the line
 */
export async function encodeDataset(input: ColumnsInput): Promise<EncodedDataset> {
  const { schema, folder } = input
  const builder = new DatasetEncoder(schema, input.bitmaps)
  const lines = schema.dataset === 'files' ? new ManifestLineWriter(folder) : undefined
  try {
    readDocuments(input, builder, lines)
    const files: WrittenFiles = {}
    const encoded = await builder.write(folder, files)
    if (lines) Object.assign(files, await lines.finish())
    return { ...encoded, files }
  } finally {
    lines?.close()
  }
}

function readDocuments(
  { schema, source, control }: ColumnsInput,
  builder: DatasetEncoder,
  lines: ManifestLineWriter | undefined,
): void {
  const scanner = new DocumentScanner(builder.tree)
  const id = scanner.capture(schema.idField)
  const members = lines ? LINE_MEMBERS.map((name) => scanner.capture(name)) : []
  const reader = new LineReader(source)
  try {
    while (reader.next()) {
      builder.record.open()
      try {
        scanner.scan(reader.bytes, reader.start)
      } catch (cause) {
        if (!(cause instanceof SyntaxError)) throw cause
        const why = `line ${reader.number} is not a JSON object: ${cause.message}`
        throw new EngineError('bad_input', why, { cause })
      }
      builder.addId(id, reader.bytes, reader.number)
      lines?.add(members, reader.bytes)
      reportRows(control)
    }
  } finally {
    reader.close()
  }
}
