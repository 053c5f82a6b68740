import { setImmediate as pause } from 'node:timers/promises'
import type { JsonObject } from '../../shared/input/json-value.ts'
import { merge } from '../datasets/compose.ts'
import type { DatasetName } from '../datasets/define.ts'
import { datasetOf } from '../datasets/index.ts'
import { DocumentReader, type DocumentsHandle } from '../release/documents.ts'
import type { Release } from '../release/release.ts'
import { schemaOf, type TableContents, type TableFile } from './delta-log.ts'
import { conformed, leafCount, type StructType, sqlType, TEXTS } from './lake-type.ts'
import { LineSpool } from './line-spool.ts'
import type { ParquetParts, PartSource } from './parquet-parts.ts'
import { projectPathOf, projectsOfRows, type RowProjects } from './projects-of-rows.ts'
import { SeenFields } from './seen-fields.ts'

export interface TableRun {
  readonly release: Release
  readonly folder: string
  readonly workFolder: string
  readonly parts: ParquetParts
  readonly signal: AbortSignal
  readonly onRows: (rows: number) => void
}

/** Column with all project ids of a record, for datasets whose records may have several. */
const PROJECT_IDS = 'project_ids'

const BATCH_ROWS = 256
/** Bytes of NDJSON lines per Parquet file. */
const PART_BYTES = 256 << 20
/** Bytes of NDJSON lines in a row group, which DuckDB builds in memory. */
const GROUP_BYTES = 8 << 20
const MAX_GROUP_ROWS = 122_880

/**
 * Writes all records of a dataset as files of its table. A record has the fields of its own document, and ids in
 * place of records of other datasets. Documents are read twice, because the columns are known only after the
 * first pass.
 * @throws EngineError corrupt_source; unavailable
 */
export async function writeRecords(
  name: DatasetName,
  run: TableRun,
): Promise<TableContents | undefined> {
  const { release, signal } = run
  const lease = release.retain()
  try {
    const documents = await release.documents(name)
    if (documents.rows === 0) return undefined
    const path = projectPathOf(name)
    const projects = path && (await projectsOfRows(name, path, release))
    const listed = path?.isList ? projects : undefined
    const partitionColumns = path ? ['release', 'project_id'] : ['release']
    const columns = await columnsOf(name, documents, listed !== undefined, run)
    const every = Uint32Array.from({ length: projects ? 0 : documents.rows }, (_, row) => row)
    const files: TableFile[] = []
    for (const part of projects?.parts ?? [{ project: undefined, rows: every }]) {
      signal.throwIfAborted()
      const lines = linesOf(documents, part.rows, { columns, listed, run })
      for await (const file of writeParts(lines, columns, part.project, run)) files.push(file)
    }
    const schemaString = schemaOf(columns, partitionColumns)
    return { release: release.id, schemaString, partitionColumns, files }
  } finally {
    lease.release()
  }
}

async function columnsOf(
  name: DatasetName,
  documents: DocumentsHandle,
  hasProjects: boolean,
  run: TableRun,
): Promise<StructType> {
  const { fields, hidden } = datasetOf(name)
  const seen = new SeenFields(merge(fields, hidden))
  const every = { length: documents.rows, at: (i: number) => i }
  for await (const { records } of recordsOf(documents, every, run)) {
    for (const record of records) seen.note(record)
  }
  const members = seen.members()
  return {
    kind: 'struct',
    members: hasProjects ? [...members, { name: PROJECT_IDS, type: TEXTS }] : members,
  }
}

interface Batch {
  readonly rows: Uint32Array
  readonly records: readonly JsonObject[]
}

/** Yields parsed documents in batches, and yields to the event loop between batches. */
async function* recordsOf(
  documents: DocumentsHandle,
  rows: { readonly length: number; at(i: number): number | undefined },
  { signal, onRows }: Pick<TableRun, 'signal' | 'onRows'>,
): AsyncGenerator<Batch, undefined> {
  const reader = new DocumentReader(documents)
  for (let start = 0; start < rows.length; start += BATCH_ROWS) {
    signal.throwIfAborted()
    const count = Math.min(BATCH_ROWS, rows.length - start)
    const some = Uint32Array.from({ length: count }, (_, i) => rows.at(start + i) ?? 0)
    yield { rows: some, records: reader.read(some).map((text) => JSON.parse(text)) }
    onRows(count)
    await pause()
  }
}

interface LinesFrom {
  readonly columns: StructType
  readonly listed: RowProjects | undefined
  readonly run: TableRun
}

/** Yields batches of NDJSON lines in which every value has its column's type. */
async function* linesOf(
  documents: DocumentsHandle,
  rows: Uint32Array,
  { columns, listed, run }: LinesFrom,
): AsyncGenerator<readonly string[], undefined> {
  for await (const batch of recordsOf(documents, rows, run)) {
    yield batch.records.map((record, i) => {
      if (listed) record[PROJECT_IDS] = listed.idsOf(batch.rows[i] ?? 0)
      return `${JSON.stringify(conformed(record, columns))}\n`
    })
  }
}

async function* writeParts(
  lines: AsyncIterable<readonly string[]>,
  columns: StructType,
  project: string | null | undefined,
  { release, folder, workFolder, parts, signal }: TableRun,
): AsyncGenerator<TableFile, undefined> {
  await using spool = new LineSpool(workFolder)
  let number = 0
  const write = async () => {
    const place = { release: release.id, number: number++ }
    const divided = project === undefined ? place : { ...place, project }
    const file = await parts.write(folder, divided, sourceOf(spool, columns), signal)
    await spool.clear()
    return file
  }
  for await (const some of lines) {
    await spool.append(some)
    if (spool.bytes >= PART_BYTES) yield await write()
  }
  if (spool.rows > 0) yield await write()
}

function sourceOf(spool: LineSpool, columns: StructType): PartSource {
  const types = columns.members.map(({ name, type }) => [name, sqlType(type)] as const)
  const fitting = Math.ceil((GROUP_BYTES * spool.rows) / spool.bytes)
  return {
    select: `SELECT * FROM ${spool.from(types)}`,
    columns: leafCount(columns),
    groupRows: Math.min(fitting, MAX_GROUP_ROWS),
  }
}
