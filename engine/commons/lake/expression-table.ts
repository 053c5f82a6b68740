import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { inlineExecutor, Scratch } from '../../shared/executor.ts'
import { quoted } from '../../shared/streams/parquet-file.ts'
import { caseRowsOf, projectsAt } from '../analysis/expression/case-rows.ts'
import { closedColumns } from '../analysis/expression/column-guards.ts'
import { writeLines } from '../analysis/expression/lines-job.ts'
import { partOf } from '../analysis/expression/matrix-part.ts'
import { type Matrix, openMatrix } from '../analysis/expression/open-matrix.ts'
import { mostLineBytes } from '../analysis/expression/row-writer.ts'
import { schemaOf, type TableContents, type TableFile } from './delta-log.ts'
import { DOUBLE, type StructType, TEXT } from './lake-type.ts'
import type { TableRun } from './record-table.ts'

/** Whether a table has open-access or controlled-access values. */
export type ExpressionShare = 'open' | 'controlled'

interface ExpressionRun extends TableRun {
  readonly share: ExpressionShare
}

const COLUMNS: StructType = {
  kind: 'struct',
  members: [
    { name: 'gene_id', type: TEXT },
    { name: 'case_id', type: TEXT },
    { name: 'uqfpkm', type: DOUBLE },
  ],
}
const PARTITION_COLUMNS = ['release', 'project_id'] as const
/** Memory for the values of a matrix in bytes. A larger matrix is read in parts. */
const MATRIX_BYTES = 16 << 20
/** Number of values written to temporary text files at a time, about eight bytes each. */
const BLOCK_CELLS = 64 << 20
/** Bytes of lines per write. */
const WRITE_BYTES = 1 << 20
const GROUP_ROWS = 122_880
const UNIT = 'uqfpkm'

/** The cases of one project. */
interface ProjectColumns {
  readonly project: string | null
  /** Columns of the matrix, ascending. */
  readonly columns: Uint32Array
}

/**
 * Writes the expression values of a share as files of the table. A row is a gene and a case with a value, and
 * rows are ordered by gene, then case. The matrix is read once, a block of genes at a time.
 * @throws EngineError corrupt_source; unavailable
 */
export async function writeExpression(run: ExpressionRun): Promise<TableContents | undefined> {
  const { release, share } = run
  const extra = release.expression()
  if (!extra) return undefined
  const lease = release.retain()
  try {
    const matrix = await openMatrix(extra, inlineExecutor, MATRIX_BYTES)
    const closed = await closedColumns(matrix, release)
    const projects = await columnsByProject(matrix, run, (column) =>
      share === 'open' ? !closed.has(column) : closed.has(column),
    )
    if (projects.length === 0) return undefined
    const files: TableFile[] = []
    const genes = Math.max(1, Math.floor(BLOCK_CELLS / matrix.cases.length))
    for (let start = 0, number = 0; start < matrix.geneIds.length; start += genes, number++) {
      const count = Math.min(genes, matrix.geneIds.length - start)
      const rows = Uint32Array.from({ length: count }, (_, i) => start + i)
      const spools = await spoolRows(matrix, rows, projects, run)
      for (const [i, { project, columns }] of projects.entries()) {
        const place = { release: release.id, project, number }
        const source = sourceOf(spools[i] ?? '', matrix, columns)
        files.push(await run.parts.write(run.folder, place, source, run.signal))
      }
    }
    const partitionColumns = [...PARTITION_COLUMNS]
    const schemaString = schemaOf(COLUMNS, partitionColumns)
    return { release: release.id, schemaString, partitionColumns, files }
  } finally {
    lease.release()
  }
}

async function columnsByProject(
  matrix: Matrix,
  { release }: TableRun,
  isWanted: (column: number) => boolean,
): Promise<ProjectColumns[]> {
  const ids = await projectsAt([...(await caseRowsOf(matrix, release))], release)
  const wanted = ids.map((_, column) => column).filter(isWanted)
  const byProject = Map.groupBy(wanted, (column) => ids[column] ?? null)
  return [...byProject]
    .map(([project, columns]) => ({ project, columns: Uint32Array.from(columns) }))
    .sort((a, b) => Number((a.project ?? '') > (b.project ?? '')) * 2 - 1)
}

/** Writes one line per matrix row and project to temporary files. Returns the path of each project's file. */
async function spoolRows(
  matrix: Matrix,
  rows: Uint32Array,
  projects: readonly ProjectColumns[],
  { workFolder, signal, onRows }: TableRun,
): Promise<readonly string[]> {
  const { values, geneIds, kind } = matrix
  const scratch = new Scratch()
  const paths = projects.map((_, i) => join(workFolder, `lines-${i}.tsv`))
  for (const path of paths) await (await open(path, 'w')).close()
  for (let start = 0; start < rows.length; ) {
    signal.throwIfAborted()
    const next = rows.subarray(start, start + rowsAtOnce(matrix))
    const some = next.subarray(0, values.together(next))
    const names = Array.from(some, (row) => geneIds[row] ?? '')
    const nameBytes = names.reduce((sum, name) => sum + 3 * name.length, 0)
    await values.use(some, signal, async (placed) => {
      for (const [i, { columns }] of projects.entries()) {
        const line = mostLineBytes(columns.length, { kind, unit: UNIT, form: 'whole' })
        const target = new Uint8Array(some.length * line + nameBytes)
        const part = partOf(matrix, columns, placed)
        const style = { unit: UNIT, form: 'whole', table: 'tsv' } as const
        const length = writeLines({ part, names, ...style, target }, scratch)
        await appendTo(paths[i] ?? '', target.subarray(0, length))
      }
    })
    onRows(some.length)
    start += some.length
  }
  return paths
}

/** Returns the number of matrix rows whose lines for all projects take about WRITE_BYTES. */
const rowsAtOnce = ({ cases }: Matrix) => Math.max(1, Math.floor(WRITE_BYTES / (8 * cases.length)))

/** Appends bytes to a file, opening it each time: there may be more projects than files may be open. */
async function appendTo(path: string, bytes: Uint8Array): Promise<void> {
  const file: FileHandle = await open(path, 'a')
  await file.writeFile(bytes).finally(() => file.close())
}

/**
 * Returns the SQL that reads a table. With any number of cases, DuckDB first reads each line as a single text
 * and then splits it at the tabs.
 */
function sourceOf(path: string, { cases, kind }: Matrix, columns: Uint32Array) {
  const ids = Array.from(columns, (column) => quoted(cases[column]?.caseId ?? '', "'"))
  const longest = 1024 + mostLineBytes(columns.length, { kind, unit: UNIT, form: 'whole' })
  return {
    select:
      `SELECT gene_id, case_id, uqfpkm FROM (SELECT cells[1] AS gene_id, ` +
      `unnest([${ids.join(', ')}]) AS case_id, unnest(cells[2:])::DOUBLE AS uqfpkm ` +
      `FROM (SELECT [NULLIF(cell, '') FOR cell IN string_split(line, chr(9))] AS cells ` +
      `FROM read_csv(${quoted(path, "'")}, columns = {'line': 'VARCHAR'}, header = false, ` +
      `delim = '\\x01', quote = '', escape = '', auto_detect = false, nullstr = '', ` +
      `max_line_size = ${Math.max(2 << 20, longest)}))) WHERE uqfpkm IS NOT NULL`,
    columns: COLUMNS.members.length,
    groupRows: GROUP_ROWS,
  }
}
