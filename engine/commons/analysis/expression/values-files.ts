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

/** Bytes of numbers in one record batch, about: each has a description of every column, too. */
const BATCH_BYTES = 4 << 20

/** An Arrow IPC stream: `gene_id`, then a column per case; a record batch per chunk. */
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
    // Without rows there is a schema still.
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

/** A Parquet file with the columns of the table: numbers that read back the same, made into it. */
export async function* parquetChunks(
  asked: AskedValues,
  run: ValuesRun & Pick<ParquetRun, 'temporaryFolder' | 'space'>,
  tables: ValuesTables,
): AsyncGenerator<Uint8Array, undefined> {
  // The library takes a fifth of a second to load: only who asks for the format waits for it.
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

/** DuckDB takes a few times 16 KiB for each column and thread, of the 512 MiB that it may take. */
const WIDE_COLUMNS = 2000

/** With more, that is not enough for one thread either. */
export const MAX_PARQUET_CASES = 5000

/** No line is longer; DuckDB takes sixteen times as much, and asks for 2 MB at least. */
const lineBytes = (columns: number) => Math.max(2 << 20, columns * LONGEST_NAME)
const LONGEST_NAME = 64
