import { fields } from '../compose.ts'

export const program = fields({
  keyword: 'program_id registry_accession_number',
  exact: 'name',
})

/** A project as other records show it. The dataset of projects adds its summary. */
export const project = fields(
  {
    keyword: 'disease_type primary_site registry_accession_number releasable released state',
    exact: 'name project_id',
  },
  { program },
)

/** Fields of a project that are shown on request alone. `consent` is not in the public service. */
export const hiddenProject = fields({
  exact: 'consent',
  keyword: 'intended_release_date',
})
