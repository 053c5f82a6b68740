import { withQuery } from '../address/address.ts'
import { usePlace } from '../address/context.ts'
import type { Filter } from '../cohort/filter.ts'
import { AddField } from './add-field.tsx'
import { type ChangeFilter, FacetCard } from './facet-card.tsx'
import { useFacets } from './facets.ts'

interface FacetCardsProps {
  readonly dataset: string
  /** Fields whose cards are there without being asked for. */
  readonly usual: readonly string[]
  readonly filter: Filter | undefined
  /** What holds besides. */
  readonly within?: Filter | undefined
  readonly change: ChangeFilter
}

/** A card for each field, with counts that follow the filter. Which ones is said by the address. */
export function FacetCards({ dataset, usual, filter, within, change }: FacetCardsProps) {
  const { address, go } = usePlace()
  const fields = address.query.get('fields')?.split(',') ?? usual
  const facets = useFacets({ dataset, fields, filter, within })
  const showOnly = (shown: readonly string[]) =>
    go(withQuery(address, { fields: shown.join(',') }), { replaces: true })
  return (
    <>
      <AddField dataset={dataset} add={(field) => showOnly([...new Set([field, ...fields])])} />
      <div class="facets">
        {fields.map((field) => (
          <FacetCard
            key={field}
            field={field}
            facet={facets.of(field)}
            filter={filter}
            change={change}
            remove={() => showOnly(fields.filter((one) => one !== field))}
          />
        ))}
      </div>
    </>
  )
}
