import { Field, Schema } from 'apache-arrow'
import type { Job } from '../../../shared/executor.ts'
import { batchChunk } from '../../render/arrow.ts'
import { arrowColumn, arrowType } from '../../render/arrow-columns.ts'
import { type MatrixPart, rowValues } from './matrix-part.ts'
import { type ExpressionUnit, unitValues } from './unit-values.ts'

interface BatchToMake {
  readonly part: MatrixPart
  /** Gene id of each row. */
  readonly names: readonly string[]
  readonly caseIds: readonly string[]
  readonly unit: ExpressionUnit
  /** Whether this is the first record batch of the stream. It is written after the schema. */
  readonly first: boolean
}

/** Encodes a record batch of an Arrow stream: rows of a gene id and a double per case, null if missing. */
export const batchJob: Job<BatchToMake, Uint8Array<ArrayBuffer>> = {
  name: 'expression.batch',
  run({ part, names, caseIds, unit, first }, scratch) {
    const rows = names.length
    const schema = new Schema([
      new Field('gene_id', arrowType('text'), true),
      ...caseIds.map((caseId) => new Field(caseId, arrowType('double'), true)),
    ])
    const genes = arrowColumn('text', rows)
    const columns = caseIds.map(() => arrowColumn('double', rows))
    for (const [row, name] of names.entries()) {
      genes.put(row, name)
      const stored = rowValues(part, part.offsets[row]!, scratch)
      for (const [column, value] of unitValues(stored, unit, scratch).entries()) {
        if (!Number.isNaN(value)) columns[column]?.put(row, value)
      }
    }
    const children = [genes, ...columns].map((column) => column.finish())
    return batchChunk(schema, children, { rows, first })
  },
  transfer: ({ buffer }) => [buffer],
}
