import { writeFile } from 'node:fs/promises'
import { ABSENT } from '../../../../engine/commons/analysis/expression/matrix-format.ts'
import type { MadeExpression } from './expression-world.ts'

/**
 * Writes values as doubles by gene, with NaN for missing ones, for numpy and R.
 * @returns arguments of a script: the path, how many genes, how many cases
 */
export async function writeValues(
  path: string,
  { rows, cases }: MadeExpression,
): Promise<string[]> {
  const numbers = rows.flatMap(({ values }) =>
    values instanceof Uint32Array
      ? Array.from(values, (value) => (value === ABSENT ? Number.NaN : value / 10_000))
      : [...values],
  )
  await writeFile(path, Float64Array.from(numbers))
  return [path, String(rows.length), String(cases.length)]
}
