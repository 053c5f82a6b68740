import type { Query } from '../address/address.ts'
import { usePlace } from '../address/context.ts'
import type { Filter } from '../filter/filter.ts'
import { FailedNote } from '../parts/failed-note.tsx'
import { statusOf } from '../service/service.ts'
import { AddField } from './add-field.tsx'
import { type ChangeFilter, FacetCard } from './facet-card.tsx'
import { useFacets } from './facets.ts'

interface FacetCardsProps {
  readonly dataset: string
  /** Fields whose cards are shown by default. */
  readonly usual: readonly string[]
  readonly filter: Filter | undefined
  /** Additional filter that the cards do not change. */
  readonly within?: Filter | undefined
  readonly change: ChangeFilter
}

/** Shows a card for each field, with counts for the filter. The URL names the fields. */
export function FacetCards({ dataset, usual, filter, within, change }: FacetCardsProps) {
  const { address, change: changeQuery } = usePlace()
  const fieldsOf = (query: Query) => query.get('fields')?.split(',') ?? usual
  const fields = fieldsOf(address.query)
  const facets = useFacets({ dataset, fields, filter, within })
  const show = (edit: (now: readonly string[]) => readonly string[]) =>
    changeQuery((now) => ({ fields: edit(fieldsOf(now)).join(',') }), { replaces: true })
  return (
    <>
      <AddField dataset={dataset} add={(field) => show((now) => [...new Set([field, ...now])])} />
      {facets.error && statusOf(facets.error) !== 0 && <FailedNote error={facets.error} />}
      <div class="facets">
        {fields.map((field) => (
          <FacetCard
            key={field}
            dataset={dataset}
            field={field}
            facet={facets.of(field)}
            hasFailed={facets.error !== undefined}
            filter={filter}
            change={change}
            remove={() => show((now) => now.filter((one) => one !== field))}
          />
        ))}
      </div>
    </>
  )
}
