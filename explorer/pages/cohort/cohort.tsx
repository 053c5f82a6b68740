import { activeCohort, withFilter } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { FacetCards } from '../../facets/facet-cards.tsx'
import { CasesTable } from '../../records/cases-table.tsx'

const USUAL_FIELDS = [
  'primary_site',
  'project.project_id',
  'disease_type',
  'demographic.gender',
  'diagnoses.age_at_diagnosis',
  'demographic.vital_status',
  'diagnoses.ajcc_pathologic_stage',
  'demographic.race',
  'genes.symbol',
  'files.data_type',
  'files.experimental_strategy',
  'created_datetime',
]

/** Page with cards that define the cohort, and a table of its cases. */
export function CohortPage() {
  const { address, go } = usePlace()
  const { filter } = activeCohort(address)
  return (
    <>
      <FacetCards
        dataset="cases"
        usual={USUAL_FIELDS}
        filter={filter}
        change={(edit) => go((now) => withFilter(now, edit(activeCohort(now).filter)))}
      />
      <h2>Cases</h2>
      <CasesTable empty="No matching cases. Remove a condition from the cohort." />
    </>
  )
}
