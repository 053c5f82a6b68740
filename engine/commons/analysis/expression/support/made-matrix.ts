import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { inlineExecutor } from '../../../../shared/executor.ts'
import { ABSENT, type MatrixKind, type MatrixRow } from '../matrix-format.ts'
import { type Matrix, type MatrixInMemory, matrixIn } from '../open-matrix.ts'
import type { ExpressionUnit } from '../unit-values.ts'
import { ValuesTables } from '../values-table.ts'
import { writeMatrix } from '../write-matrix.ts'

/** Stored values, indexed by gene, then by case. */
export type Values = readonly (readonly number[])[]

export const geneId = (row: number) => `ENSG${String(row).padStart(11, '0')}`
export const caseId = (column: number) =>
  `0e000000-0000-4000-8000-${String(column).padStart(12, '0')}`

function rowsOf(kind: MatrixKind, values: Values): MatrixRow[] {
  return values.map((row, i) => ({
    geneId: geneId(i),
    symbol: `S${i}`,
    values: kind === 'fixed' ? Uint32Array.from(row) : Float64Array.from(row),
  }))
}

/** Returns the bytes of a matrix file. */
export async function matrixBytes(kind: MatrixKind, values: Values): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-matrix-'))
  try {
    const cases = Array.from(values[0] ?? [], (_, column) => ({
      caseId: caseId(column),
      sample: null,
      fileId: null,
      access: 'open' as const,
    }))
    const path = join(folder, 'm.arrow')
    await writeMatrix(path, { format: 1, kind, genes: values.length, cases }, rowsOf(kind, values))
    return await readFile(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export async function madeMatrix(kind: MatrixKind, values: Values): Promise<MatrixInMemory> {
  const bytes = await matrixBytes(kind, values)
  const memory = new SharedArrayBuffer(bytes.length)
  new Uint8Array(memory).set(bytes)
  return matrixIn(memory)
}

/** Returns the distinct numbers, sorted, in shared memory. */
export function placesOf(numbers: Iterable<number>): Uint32Array {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b)
  const places = new Uint32Array(new SharedArrayBuffer(4 * sorted.length))
  places.set(sorted)
  return places
}

/** Returns the response table of some rows and columns, by default of all. */
export function tableOf(
  matrix: Matrix,
  unit: ExpressionUnit,
  {
    rows = matrix.geneIds.keys(),
    columns = matrix.cases.keys(),
  }: { readonly rows?: Iterable<number>; readonly columns?: Iterable<number> } = {},
): Promise<string> {
  const requested = { matrix, rows: placesOf(rows), columns: placesOf(columns), unit }
  const run = { executor: inlineExecutor, signal: new AbortController().signal }
  return text(copied(new ValuesTables().chunks(requested, run)))
}

/** Copies each chunk, because its memory is reused for the next chunk. */
async function* copied(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk)
}

/** Returns a random stored value: a power of two, zero, small, medium, large, or missing. */
export function someFixed(random: () => number): number {
  const kind = random()
  if (kind < 0.15) return 0
  if (kind < 0.2) return ABSENT
  // The value is one less than a power of two, so that log2(value + 1) is an integer, or next to such a value.
  if (kind < 0.3) return (2 ** Math.floor(random() * 18) - 1) * 10_000 + Math.floor(random() * 2)
  if (kind < 0.32) return ABSENT - 1 - Math.floor(random() * 20_000)
  if (kind < 0.4) return Math.floor(random() * 100)
  return Math.floor(2 ** (random() * 31.9))
}
