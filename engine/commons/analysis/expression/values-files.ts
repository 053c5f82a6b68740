import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { inOrder } from '../../../shared/concurrency/in-order.ts'
import type { ParquetRun } from '../../../shared/streams/parquet-file.ts'
import { ARROW_END } from '../../render/arrow-end.ts'
import {
  type AskedValues,
  caseIdsOf,
  priorityOf,
  type RowsPart,
  rowParts,
  type ValuesRun,
} from './asked-values.ts'
import { batchJob } from './batch-job.ts'
import { partOf } from './matrix-part.ts'
import type { ValuesTables } from './values-table.ts'

/** Approximate bytes of numbers per record batch. Each batch also describes every column. */
const BATCH_BYTES = 4 << 20

/** Streams an Arrow IPC stream: `gene_id`, then a column per case, with a record batch per chunk. */
export async function* arrowChunks(
  asked: AskedValues,
  { executor, signal }: ValuesRun,
): AsyncGenerator<Uint8Array, undefined> {
  const { unit } = asked
  const caseIds = caseIdsOf(asked)
  const most = Math.max(1, Math.floor(BATCH_BYTES / (8 * (1 + caseIds.length))))
  const parts = rowParts(asked, most)
  let isFirst = true
  const start = (stop: AbortSignal) => {
    const { value } = parts.next()
    // A stream without rows still has a schema.
    if (!value && !isFirst) return undefined
    const { names, start, use } = value ?? noRows(asked)
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

function noRows({ matrix, columns }: AskedValues): RowsPart {
  const nowhere = { memory: new SharedArrayBuffer(0), offsets: new Float64Array(0) }
  const part = partOf(matrix, columns, nowhere)
  return { names: [], start: 0, use: async (_, work) => work(part) }
}

/** Streams a Parquet file with the columns of the table. It is made from numbers that read back exactly. */
export async function* parquetChunks(
  asked: AskedValues,
  run: ValuesRun & Pick<ParquetRun, 'temporaryFolder' | 'space'>,
  tables: ValuesTables,
): AsyncGenerator<Uint8Array, undefined> {
  // DuckDB takes 0.2 seconds to load, so only requests for Parquet load it.
  const { noParquet, parquetFile, quoted } = await import('../../../shared/streams/parquet-file.ts')
  const { executor, signal, temporaryFolder, space } = run
  const caseIds = caseIdsOf(asked)
  const threads = caseIds.length > WIDE_COLUMNS ? 1 : executor.parallelism
  yield* parquetFile({ temporaryFolder, threads, signal, space }, async (folder, stop = signal) => {
    const table = join(folder, 'values.tsv')
    const file = await open(table, 'w').catch(noParquet)
    try {
      for await (const chunk of tables.chunks(asked, { ...run, signal: stop }, { form: 'whole' })) {
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

/**
 * Column count from which one thread is used: DuckDB takes some 16 KiB per column and thread of its 512 MiB.
 */
const WIDE_COLUMNS = 2000

/** Maximum number of cases per file. With more, DuckDB needs more than its 512 MiB even with one thread. */
export const MAX_PARQUET_CASES = 5000

/** Returns the longest line. DuckDB allocates sixteen times as much, and requires at least 2 MB. */
const lineBytes = (columns: number) => Math.max(2 << 20, columns * LONGEST_NAME)
const LONGEST_NAME = 64
