import { readFile } from 'node:fs/promises'
import { tableFromIPC } from 'apache-arrow'
import type { MatrixFacts } from '../../../analysis/expression/matrix-format.ts'

interface MatrixFile {
  readonly facts: MatrixFacts
  readonly genes: readonly string[]
  readonly symbols: readonly (string | null)[]
  /** Values by gene, in the order of the cases. Null for a missing value. */
  readonly values: Readonly<Record<string, readonly (number | null)[]>>
}

/** Reads a matrix as any Arrow reader does, and converts ten-thousandths to numbers. */
export async function readMatrixFile(path: string): Promise<MatrixFile> {
  const table = tableFromIPC(await readFile(path))
  const facts = JSON.parse(table.schema.metadata.get('casemill') ?? '') as MatrixFacts
  const rows = table.toArray() as { gene_id: string; symbol: string | null; values: never }[]
  const numberOf = (value: number) => {
    if (facts.kind === 'fixed') return value === 0xffff_ffff ? null : value / 10_000
    return Number.isNaN(value) ? null : value
  }
  return {
    facts,
    genes: rows.map(({ gene_id }) => gene_id),
    symbols: rows.map(({ symbol }) => symbol),
    values: Object.fromEntries(
      rows.map(({ gene_id, values }) => [gene_id, Array.from(values, numberOf)]),
    ),
  }
}
