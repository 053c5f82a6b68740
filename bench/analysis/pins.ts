import type { InputName } from './layout.ts'
import type { WorkloadName } from './questions.ts'

/** MD5 of the matrix's values (matrix.ts), by `md5sum bench/data/analysis-*\/matrix-*\/values.u32`. */
export const MATRIX_PINS: Readonly<Record<InputName, string>> = {
  full: '',
  quick: '',
  test: '',
}

export type Pins = Readonly<Partial<Record<WorkloadName, readonly (readonly unknown[])[]>>>

/** What the questions select (pinnedOf in answers.ts), of the first questions of each workload. */
export const PINS: Readonly<Record<InputName, Pins>> = { full: {}, quick: {}, test: {} }
