import type { JsonObject } from '../../shared/input/json-value.ts'
import type { Sample } from './copy-number-writer.ts'
import { sampleOf, sampleOfCase } from './copy-number-writer.ts'
import { RowError, TableError } from './row-error.ts'
import type { NamedCells, Table } from './table-kind.ts'
import { defined } from './tables/download-manifest.ts'

/** What reports call all tables of copy numbers, of genes and of segments. */
export const COPY_NUMBER_TABLE = 'copy-number table'

/** Columns that name the sample of a row, in any spelling. */
const SAMPLE_COLUMNS: ReadonlySet<string> = new Set([
  ...['gdc_aliquot', 'gdc_aliquot_id', 'aliquot', 'aliquot_id', 'aliquot_barcode'],
  ...['sample', 'sample_id', 'id', 'barcode', 'tumor_sample_barcode'],
])

export interface RowSamples {
  /** The column that names them, if there is one. */
  readonly column: string | undefined
  /** @throws RowError */
  of(cell: NamedCells): Sample
}

/**
 * Who the rows of a table are of: a column names it, else the file's own record.
 * @throws TableError when nothing does
 */
export function samplesIn({ header, cases, fileName }: Table): RowSamples {
  const column = header.find((name) => SAMPLE_COLUMNS.has(name.toLowerCase()))
  const ofFile = cases?.ofFile && sampleOfCase(cases.ofFile)
  if (column === undefined && !ofFile) {
    throw new TableError(
      `it names no sample, and no record tells the one case that "${fileName}" is of; import the file's record before, or with it`,
    )
  }
  const known = new Map<string, Sample>()
  return {
    column,
    of(cell) {
      const text = column === undefined ? undefined : cell(column)
      if (text === undefined) {
        if (ofFile) return ofFile
        throw new RowError('the row names no sample')
      }
      const sample = known.get(text) ?? sampleOf(text, cases)
      known.set(text, sample)
      return sample
    },
  }
}

/** The service's names of the programs whose copy numbers it publishes, by parts of file names. */
const CALLERS: Readonly<Record<string, string>> = {
  ascat2: 'ASCAT2',
  ascat3: 'ASCAT3',
  ascatngs: 'AscatNGS',
  absolute_liftover: 'ABSOLUTE LiftOver',
}

/** What an observation says of where it comes from. */
export function originOf({ fileName, cases }: Table): JsonObject {
  const parts = fileName.toLowerCase().split('.')
  const caller = Object.entries(CALLERS).find(([part]) => parts.includes(part))?.[1]
  return defined({
    src_file_id: cases?.fileId,
    variant_calling: caller === undefined ? undefined : { variant_caller: caller },
  })
}
