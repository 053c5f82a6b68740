import type { MadeTable } from '../../../../../fixtures/tables/made-table.ts'
import type { GivenSource } from '../../support/documents.ts'
import { codeTables, readCodes } from './codes.ts'
import { type Imported, imported } from './imported.ts'
import { readSubmission, submissionTables } from './submission.ts'
import { COHORT, isMatrix, ROWS, TABLES } from './tables.ts'

/** Tables that are imported together, and how. */
interface Way {
  readonly name: string
  readonly tables: readonly MadeTable[]
  /** Sources that are imported with the tables. */
  readonly beside: readonly GivenSource[]
  read(sources: readonly GivenSource[]): Promise<Imported>
  /** Whether the rows of a table may be split into several files. */
  isCut(table: MadeTable): boolean
}

export const WAYS: readonly Way[] = [
  {
    name: 'tables of the commons',
    tables: TABLES,
    beside: [COHORT],
    read: imported,
    isCut: (table) => !isMatrix(table),
  },
  {
    name: 'tables of a submission',
    tables: submissionTables(ROWS),
    beside: [],
    read: readSubmission,
    isCut: () => true,
  },
  {
    name: 'tables of codes',
    tables: codeTables(ROWS),
    beside: [],
    read: readCodes,
    // A table must have all codes of its kind.
    isCut: () => false,
  },
]
