import type { JsonObject } from '../../../shared/input/json-value.ts'
import { listIn, type NamedCells, readByName, type TableKind } from '../table-kind.ts'
import { uuidIn } from '../uuid-cell.ts'
import { defined } from './download-manifest.ts'

/** The portal's sample sheet: a row per file, with the names of its cases and samples in step. */
export const sampleSheet: TableKind = {
  name: 'sample sheet',
  needs: ['File ID', 'File Name', 'Case ID', 'Sample ID'],
  open: (table) =>
    readByName(table, KNOWN, (cell) => {
      const cases = casesOf(cell)
      table.intake.record(
        'files',
        defined({
          file_id: uuidIn(cell('File ID'), 'File ID'),
          file_name: cell('File Name'),
          data_category: cell('Data Category'),
          data_type: cell('Data Type'),
          cases: cases.length > 0 ? cases : undefined,
        }),
      )
    }),
}

/** Cases with their samples: the lists of a row are in step; a single case has all samples. */
function casesOf(cell: NamedCells): readonly JsonObject[] {
  const names = listIn(cell('Case ID'))
  const projects = listIn(cell('Project ID'))
  const samples = samplesOf(cell)
  return [...new Set(names)].map((name) => {
    const project = projects[names.indexOf(name)] ?? projects[0]
    const own = samples.filter((_, i) => (names[i] ?? names[0]) === name)
    return defined({
      submitter_id: name,
      project: project === undefined ? undefined : { project_id: project },
      samples: own.length > 0 ? own : undefined,
    })
  })
}

function samplesOf(cell: NamedCells): readonly JsonObject[] {
  const columns = SAMPLE_FIELDS.map(([name, field]) => [field, listIn(cell(name))] as const)
  return listIn(cell('Sample ID')).map((name, i) => {
    const fields = columns.map(([field, values]) => [field, values[i]])
    return defined({ submitter_id: name, ...Object.fromEntries(fields) })
  })
}

const SAMPLE_FIELDS: readonly (readonly [string, string])[] = [
  ['Sample Type', 'sample_type'],
  ['Tissue Type', 'tissue_type'],
  ['Tumor Descriptor', 'tumor_descriptor'],
  ['Specimen Type', 'specimen_type'],
  ['Preservation Method', 'preservation_method'],
]

const KNOWN = [
  'File ID',
  'File Name',
  'Data Category',
  'Data Type',
  'Project ID',
  'Case ID',
  'Sample ID',
  ...SAMPLE_FIELDS.map(([name]) => name),
]
