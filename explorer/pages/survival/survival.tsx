import { activeCohort } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import type { SearchAnswer } from '../../cohort/count.ts'
import { fieldName } from '../../cohort/words.ts'
import { bothOf, seenByOwnField } from '../../filter/filter.ts'
import { ErrorNote, LoadingNote } from '../../parts/notes.tsx'
import { useAnswer } from '../../service/use-answer.ts'
import { type Group, GroupSurvival } from './group-survival.tsx'

/** Fields by which a cohort can be split. */
const SPLITS = [
  'demographic.gender',
  'primary_site',
  'disease_type',
  'diagnoses.ajcc_pathologic_stage',
  'diagnoses.tumor_grade',
  'demographic.race',
  'project.project_id',
] as const
/** Maximum number of curves with distinguishable colours. */
const MAX_GROUPS = 6

/** Page for survival curves of cohorts, or of groups of one cohort, with a test of their difference. */
export function SurvivalPage() {
  const { address, change } = usePlace()
  const { cohorts } = address
  const active = activeCohort(address)
  const field = address.query.get('by')
  const split = useAnswer<SearchAnswer>(
    field === undefined
      ? undefined
      : {
          path: '/cases',
          query: { size: 0, facets: field },
          filters: seenByOwnField(active.filter, field),
        },
  )
  const buckets = Object.values(split.data?.data.aggregations ?? {})[0]?.buckets
  const groups: readonly Group[] | undefined =
    field === undefined
      ? cohorts
      : split.isLoading
        ? undefined
        : buckets
            ?.filter(({ key }) => key !== '_missing')
            .slice(0, MAX_GROUPS)
            .map(({ key }) => ({
              name: key,
              filter: bothOf(active.filter, { op: 'in', content: { field, value: [key] } }),
            }))
  return (
    <>
      <form class="controls">
        <label>
          Groups
          <select
            value={field ?? ''}
            onChange={(event) => change({ by: event.currentTarget.value })}
          >
            <option value="">
              {cohorts.length > 1 ? `the ${cohorts.length} cohorts` : 'the cohort as a whole'}
            </option>
            {SPLITS.map((name) => (
              <option key={name} value={name}>
                {active.name} by {fieldName(name).toLowerCase()}
              </option>
            ))}
          </select>
        </label>
      </form>
      {split.error && <ErrorNote text={split.error.message} />}
      {split.isLoading && <LoadingNote />}
      {groups && <GroupSurvival groups={groups} />}
    </>
  )
}
