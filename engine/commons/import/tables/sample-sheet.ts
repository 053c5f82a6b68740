import type { JsonObject } from '../../../shared/input/json-value.ts'
import { id, inStepWith, listOf, name, type RowOf, text } from '../columns.ts'
import { defined } from '../defined.ts'
import { RowError } from '../row-error.ts'
import { declareTable } from '../table-kind.ts'

const COLUMNS = {
  file: id('File ID'),
  fileName: name('File Name'),
  category: text('Data Category'),
  type: text('Data Type'),
  projects: listOf(text('Project ID')),
  cases: listOf(name('Case ID')),
  samples: listOf(name('Sample ID')),
  sample_type: inStepWith('samples', listOf(text('Sample Type'))),
  tissue_type: inStepWith('samples', listOf(text('Tissue Type'))),
  tumor_descriptor: inStepWith('samples', listOf(text('Tumor Descriptor'))),
  specimen_type: inStepWith('samples', listOf(text('Specimen Type'))),
  preservation_method: inStepWith('samples', listOf(text('Preservation Method'))),
}
type Row = RowOf<typeof COLUMNS>

/** Columns of samples, named like their fields. */
const SAMPLE_FIELDS = [
  ...(['sample_type', 'tissue_type', 'tumor_descriptor'] as const),
  ...(['specimen_type', 'preservation_method'] as const),
]

/** The portal's sample sheet: a row per file, with parallel lists of cases and samples. */
export const sampleSheet = declareTable({
  name: 'sample sheet',
  columns: COLUMNS,
  needs: ['file', 'fileName', 'cases', 'samples'],
  open:
    ({ intake }) =>
    (row) => {
      const cases = casesOf(row)
      intake.record(
        'files',
        defined({
          file_id: row.file,
          file_name: row.fileName,
          data_category: row.category,
          data_type: row.type,
          cases: cases.length > 0 ? cases : undefined,
        }),
      )
    },
})

/**
 * Returns the cases of a row with their samples. The lists are parallel, except that a single case has all
 * samples.
 * @throws RowError if the lists differ in length, have other separators, or name two projects of a case
 */
function casesOf(row: Row): readonly JsonObject[] {
  const names = row.cases ?? []
  refuseOtherSeparators(names, 'Case ID')
  refuseOtherSeparators(row.samples ?? [], 'Sample ID')
  const projects = row.projects ?? []
  const samples = samplesOf(row)
  const isSingle = new Set(names).size === 1
  if (!isSingle && samples.length > 0 && samples.length !== names.length) {
    throw new RowError(
      `the row has ${names.length} values in "Case ID" and ${samples.length} in "Sample ID"; give a case for each sample, and quote names with commas`,
    )
  }
  if (!isSingle && projects.length > 1 && projects.length !== names.length) {
    throw new RowError(
      `the row has ${names.length} values in "Case ID" and ${projects.length} in "Project ID"; give a project for each case`,
    )
  }
  return [...new Set(names)].flatMap((name) => {
    if (name === undefined) return []
    const places = names.flatMap((each, i) => (each === name ? [i] : []))
    const isForAll = isSingle || projects.length === 1
    const said = new Set(isForAll ? projects : places.map((place) => projects[place]))
    said.delete(undefined)
    const [project, other] = said
    if (other !== undefined) {
      throw new RowError(`"${name}" in "Case ID" has the projects "${project}" and "${other}"`)
    }
    const own = samples.filter((_, i) => isSingle || places.includes(i))
    const named = own.filter((sample) => sample !== undefined)
    return [
      defined({
        submitter_id: name,
        project: project === undefined ? undefined : { project_id: project },
        samples: named.length > 0 ? named : undefined,
      }),
    ]
  })
}

function samplesOf(row: Row): readonly (JsonObject | undefined)[] {
  return (row.samples ?? []).map((name, i) => {
    if (name === undefined) return undefined
    const fields = SAMPLE_FIELDS.map((field) => [field, row[field]?.[i]])
    return defined({ submitter_id: name, ...Object.fromEntries(fields) })
  })
}

/** Rejects names with a semicolon or bar, which are lists that another program has written. */
function refuseOtherSeparators(names: readonly (string | undefined)[], column: string): void {
  const name = names.find((each) => each !== undefined && /[;|]/.test(each))
  if (name === undefined) return
  throw new RowError(`"${name}" in "${column}" is no name; give several with commas between them`)
}
