import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { inOrder } from '../../../shared/concurrency/in-order.ts'
import type { ParquetRun } from '../../../shared/streams/parquet-file.ts'
import { ARROW_END } from '../../render/arrow-end.ts'
import { batchJob } from './batch-job.ts'
import { partOf } from './matrix-part.ts'
import {
  caseIdsOf,
  priorityOf,
  type RequestedValues,
  type RowsPart,
  rowParts,
  type ValuesRun,
} from './requested-values.ts'
import type { ValuesTables } from './values-table.ts'

/** Approximate bytes of numbers per record batch. Each batch has overhead for describing its columns. */
const BATCH_BYTES = 4 << 20

/** Yields an Arrow IPC stream with columns `gene_id` and one per case. Each chunk is a record batch. */
export async function* arrowChunks(
  requested: RequestedValues,
  { executor, signal }: ValuesRun,
): AsyncGenerator<Uint8Array, undefined> {
  const { unit } = requested
  const caseIds = caseIdsOf(requested)
  const most = Math.max(1, Math.floor(BATCH_BYTES / (8 * (1 + caseIds.length))))
  const parts = rowParts(requested, most)
  let isFirst = true
  const start = (stop: AbortSignal) => {
    const { value } = parts.next()
    // A stream without rows still contains the schema.
    if (!value && !isFirst) return undefined
    const { names, start, use } = value ?? noRows(requested)
    const first = isFirst
    isFirst = false
    const options = { signal: stop, priority: priorityOf(start) }
    return use(stop, (part) =>
      executor.run(batchJob, { part, names, caseIds, unit, first }, options),
    )
  }
  yield* inOrder(start, { ahead: executor.parallelism, signal })
  yield ARROW_END
}

function noRows({ matrix, columns }: RequestedValues): RowsPart {
  const nowhere = { memory: new SharedArrayBuffer(0), offsets: new Float64Array(0) }
  const part = partOf(matrix, columns, nowhere)
  return { names: [], start: 0, use: async (_, work) => work(part) }
}

/** Yields a Parquet file with the columns of the table, made by DuckDB from lossless text. */
export async function* parquetChunks(
  requested: RequestedValues,
  run: ValuesRun & Pick<ParquetRun, 'temporaryFolder' | 'space'>,
  tables: ValuesTables,
): AsyncGenerator<Uint8Array, undefined> {
  // Imported only when Parquet is requested, because loading DuckDB takes 0.2 seconds.
  const { noParquet, parquetFile, quoted } = await import('../../../shared/streams/parquet-file.ts')
  const { executor, signal, temporaryFolder, space } = run
  const caseIds = caseIdsOf(requested)
  const threads = caseIds.length > WIDE_COLUMNS ? 1 : executor.parallelism
  yield* parquetFile({ temporaryFolder, threads, signal, space }, async (folder, stop = signal) => {
    const table = join(folder, 'values.tsv')
    const file = await open(table, 'w').catch(noParquet)
    try {
      for await (const chunk of tables.chunks(
        requested,
        { ...run, signal: stop },
        { form: 'whole' },
      )) {
        await file.writeFile(chunk).catch(noParquet)
      }
    } finally {
      await file.close()
    }
    const types = ['gene_id', ...caseIds].map(
      (name, i) => `${quoted(name, "'")}: '${i === 0 ? 'VARCHAR' : 'DOUBLE'}'`,
    )
    const select =
      `SELECT * FROM read_csv(${quoted(table, "'")}, delim = '\\t', header = true, quote = '', ` +
      `escape = '', nullstr = '', auto_detect = false, max_line_size = ${lineBytes(types.length)}, ` +
      `columns = {${types.join(', ')}})`
    return { select, columns: types.length }
  })
}

/** Number of columns from which DuckDB uses one thread: each takes 16 KiB per column of its 512 MiB. */
const WIDE_COLUMNS = 2000

/** Maximum number of cases in a Parquet file. With more, DuckDB exceeds 512 MiB even on one thread. */
export const MAX_PARQUET_CASES = 5000

/** Returns the maximum line length in bytes for DuckDB, which allocates 16 times as much. It is at least 2 MB. */
const lineBytes = (columns: number) => Math.max(2 << 20, columns * LONGEST_NAME)
const LONGEST_NAME = 64
