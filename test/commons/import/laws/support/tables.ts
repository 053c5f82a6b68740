import {
  annotationTable,
  biospecimenTable,
  clinicalTable,
  legacyCases,
  legacySamples,
  studyTable,
  survivalTable,
} from '../../../../../fixtures/tables/cases.ts'
import { caseRecords } from '../../../../../fixtures/tables/cohort.ts'
import {
  callMatrix,
  geneCopies,
  segmentTable,
} from '../../../../../fixtures/tables/copy-numbers.ts'
import { manifestTable, sampleSheet } from '../../../../../fixtures/tables/files.ts'
import { expressionMatrix, geneTable } from '../../../../../fixtures/tables/genes.ts'
import { headerOf, type MadeTable, rowsOf } from '../../../../../fixtures/tables/made-table.ts'
import { mutationTable } from '../../../../../fixtures/tables/mutations.ts'
import { depth } from '../../../../depth.ts'
import { type GivenSource, json } from '../../support/documents.ts'

/** The number of rows in each table. */
export const ROWS = depth(12, 300, 10_000)
/** The number of sample columns of a matrix. */
const SAMPLES = 4

/** A table of every kind, without contradictions between them. */
export const TABLES: readonly MadeTable[] = [
  mutationTable(ROWS, ROWS),
  segmentTable(ROWS, SAMPLES),
  callMatrix(ROWS, SAMPLES),
  geneCopies(ROWS, SAMPLES),
  manifestTable(ROWS),
  sampleSheet(ROWS, ROWS),
  clinicalTable(ROWS),
  biospecimenTable(ROWS),
  studyTable(ROWS, ROWS),
  survivalTable(ROWS, 2 * ROWS),
  legacyCases(ROWS, 3 * ROWS),
  legacySamples(ROWS, 3 * ROWS),
  annotationTable(ROWS, 3 * ROWS),
  geneTable(ROWS),
  expressionMatrix(ROWS, SAMPLES),
]

/** The cases to which the tables refer, as a search answer. */
export const COHORT = json(caseRecords(3 * ROWS), 'cases.json')

/** A file's cells, the header first. */
export interface Cells {
  readonly fileName: string
  readonly rows: readonly (readonly string[])[]
}

export const cellsOf = (table: MadeTable): Cells => ({
  fileName: table.fileName,
  rows: [headerOf(table), ...rowsOf(table)],
})

export const tabSeparated = ({ fileName, rows }: Cells): GivenSource => ({
  name: fileName,
  content: rows.map((cells) => `${cells.join('\t')}\n`).join(''),
})

/** Whether the last columns of a table are samples. */
export const isMatrix = ({ columns }: MadeTable) => columns.at(-1)?.name.startsWith('TCGA-')
