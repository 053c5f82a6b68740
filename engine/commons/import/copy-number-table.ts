import type { JsonObject } from '../../shared/input/json-value.ts'
import { name } from './columns.ts'
import type { Sample } from './copy-number-writer.ts'
import { defined } from './defined.ts'
import { RowError, TableError } from './row-error.ts'
import { SpecimenDoubts } from './specimen-doubts.ts'
import { observedAs, Specimens } from './specimens.ts'
import type { Table } from './table-kind.ts'

/** Name in reports of tables with copy numbers of genes or segments. */
export const COPY_NUMBER_TABLE = 'copy-number table'

/** The column with the sample of a row. */
export const SAMPLE_COLUMN = name(
  ...(['GDC_Aliquot', 'GDC_Aliquot_ID', 'gdc_aliquot', 'gdc_aliquot_id'] as const),
  ...['aliquot', 'Aliquot', 'aliquot_id', 'Aliquot_ID', 'aliquot_barcode', 'Aliquot_Barcode'],
  ...['Sample', 'sample', 'SAMPLE', 'sample_id', 'Sample_ID', 'SampleID', 'sampleID'],
  'Tumor_Sample_Barcode',
  'tumor_sample_barcode',
  'barcode',
  'Barcode',
  'ID',
  'id',
)

interface RowSamples {
  /** Name of the column with the samples. Undefined if there is none. */
  readonly column: string | undefined
  /**
   * Returns the sample of a row.
   * @throws RowError if the row names no sample, and the table's file does not have exactly one case; or like
   *   Specimens.of
   */
  of(name: string | undefined): Sample
}

/**
 * Finds the samples of a table's rows: from a column, or otherwise from the record of the table's file.
 * @throws TableError if there is neither
 */
export function samplesIn(table: Table): RowSamples {
  const { header, cases, fileName, intake } = table
  const column = header.find((each) => SAMPLE_COLUMN.names.includes(each))
  const specimens = new Specimens(cases, intake.joins)
  if (column === undefined && !cases?.ofFile) {
    throw new TableError(
      `it names no sample, and no record tells the one case that "${fileName}" is of; import the file's record before, or with it`,
    )
  }
  const doubts = new SpecimenDoubts(table)
  const known = new Map<string, Sample>()
  return {
    column,
    of(named) {
      const patient = named === undefined ? specimens.ofFile() : specimens.of(named)
      if (!patient) throw new RowError('the row names no sample')
      const key = named ?? ''
      const sample = known.get(key) ?? { ...patient, sample: observedAs(named) }
      known.set(key, sample)
      doubts.judge('tumor', named)
      return sample
    },
  }
}

/** The service's names of copy-number callers, keyed by parts of file names. */
const CALLERS: Readonly<Record<string, string>> = {
  ascat2: 'ASCAT2',
  ascat3: 'ASCAT3',
  ascatngs: 'AscatNGS',
  absolute_liftover: 'ABSOLUTE LiftOver',
}

/** Returns the members of an observation that describe its source. */
export function originOf({ fileName, cases }: Table): JsonObject {
  const parts = fileName.toLowerCase().split('.')
  const caller = Object.entries(CALLERS).find(([part]) => parts.includes(part))?.[1]
  return defined({
    src_file_id: cases?.fileId,
    variant_calling: caller === undefined ? undefined : { variant_caller: caller },
  })
}
