import { fields } from '../compose.ts'

export const program = fields({
  keyword: 'program_id registry_accession_number',
  exact: 'name',
})

/** A project as shown in other records. The dataset adds its summary. */
export const project = fields(
  {
    keyword: 'disease_type primary_site registry_accession_number releasable released state',
    exact: 'name project_id',
  },
  { program },
)

export const legacyProject = fields({
  keyword: 'intended_release_date',
})
