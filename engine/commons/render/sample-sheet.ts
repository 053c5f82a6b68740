import type { ByteSink } from '../../shared/formats/byte-sink.ts'
import { writeLine } from '../../shared/formats/table-cells.ts'
import { joinList } from '../../shared/input/cell-list.ts'
import { isObject, member, type Unknowns } from '../../shared/input/unknowns.ts'
import type { Hit } from './hit.ts'

/** Columns of the file, followed by columns with one value per sample. Each has a title and a field. */
const OF_FILES = [
  ['File ID', 'file_id'],
  ['File Name', 'file_name'],
  ['Data Category', 'data_category'],
  ['Data Type', 'data_type'],
] as const
const OF_SAMPLES = [
  ['Sample ID', 'submitter_id'],
  ['Sample Type', 'sample_type'],
  ['Tissue Type', 'tissue_type'],
  ['Tumor Descriptor', 'tumor_descriptor'],
  ['Specimen Type', 'specimen_type'],
  ['Preservation Method', 'preservation_method'],
] as const

/** Fields that a sample sheet shows of files. */
export const SHEET_FIELDS: readonly string[] = [
  ...OF_FILES.map(([, field]) => field),
  'cases.project.project_id',
  'cases.submitter_id',
  ...OF_SAMPLES.map(([, field]) => `cases.samples.${field}`),
]

/** Writes the header of the portal's sample sheet, which imports recognise. */
export function writeSheetHeader(sink: ByteSink): void {
  const names = ([name]: readonly [string, string]) => name
  writeLine(sink, [...OF_FILES.map(names), 'Project ID', 'Case ID', ...OF_SAMPLES.map(names)])
}

/** Writes one line per file (data-commons.md 3.5). Cases and samples are listed in parallel and joined by `, `. */
export function writeSheetLines(files: Iterable<Hit>, sink: ByteSink): void {
  for (const file of files) {
    const rows = listAt(file, 'cases').flatMap((one) => {
      const samples = listAt(one, 'samples')
      // A case without samples has an empty entry, so that the lists stay parallel.
      return (samples.length > 0 ? samples : [undefined]).map((sample) => [
        textAt(member(one, 'project'), 'project_id'),
        textAt(one, 'submitter_id'),
        ...OF_SAMPLES.map(([, field]) => textAt(sample, field)),
      ])
    })
    const names = [0, 1, 2].map((i) => namesIn(rows.map((row) => row[i] ?? '')))
    const facts = OF_SAMPLES.slice(1).map((_, i) => factsIn(rows.map((row) => row[i + 3] ?? '')))
    writeLine(sink, [...OF_FILES.map(([, field]) => textAt(file, field)), ...names, ...facts])
  }
}

const listAt = (value: unknown, name: string): readonly Unknowns[] => {
  const found = isObject(value) ? member(value, name) : undefined
  return Array.isArray(found) ? found.filter(isObject) : []
}

function textAt(value: unknown, name: string): string {
  const found = isObject(value) ? member(value, name) : undefined
  return found === undefined || found === null ? '' : String(found)
}

const namesIn = (values: readonly string[]): string =>
  values.every((value) => value === '') ? '' : joinList(values)

/** Joins the values of samples. A single value is not quoted, as in the portal's sheets. */
const factsIn = (values: readonly string[]): string =>
  values.length === 1 ? (values[0] ?? '') : namesIn(values)
