import { useId, useState } from 'preact/hooks'
import type { Aggregation, Bucket } from '../cohort/count.ts'
import { fieldName } from '../cohort/words.ts'
import {
  chosenRange,
  chosenValues,
  conditionsOf,
  type Filter,
  toggleValue,
  withCondition,
} from '../filter/filter.ts'
import { EmptyNote, LoadingNote } from '../parts/notes.tsx'
import type { Facet } from './facets.ts'
import { inLetters, useLetters } from './letters.ts'
import { MissingNote } from './missing-note.tsx'
import { RangeCard } from './range-card.tsx'
import { inScaleOrder } from './value-order.ts'

/** Changes the filter. `edit` receives the latest filter, which may be newer than the one on the page. */
export type ChangeFilter = (edit: (now: Filter | undefined) => Filter | undefined) => void

interface FacetCardProps {
  readonly dataset: string
  readonly field: string
  readonly facet: Facet
  /** Whether the cards have an error, which is shown above them. */
  readonly hasFailed: boolean
  readonly filter: Filter | undefined
  readonly change: ChangeFilter
  readonly remove: () => void
}

/** Number of values shown before the list is searched or expanded. */
const FIRST_VALUES = 6
/** Maximum number of values shown. */
const MANY_VALUES = 200

export function FacetCard(props: FacetCardProps) {
  const { field, facet, hasFailed, filter, change, remove } = props
  const title = fieldName(field)
  const { conditions } = conditionsOf(filter)
  const condition = conditions.find((one) => one.field === field)
  return (
    <section class="facet" aria-label={title}>
      <div class="facet-head">
        <h2 title={field}>{title}</h2>
        {condition && (
          <button
            type="button"
            class="quiet"
            onClick={() => change((now) => withCondition(now, field, undefined))}
          >
            Clear
          </button>
        )}
        <button
          type="button"
          class="quiet"
          aria-label={`Remove the card ${title}`}
          onClick={remove}
        >
          ×
        </button>
      </div>
      {facet.data ? (
        <div class={facet.isLoading ? 'renewing' : undefined} aria-busy={facet.isLoading}>
          <Counts {...props} data={facet.data} />
        </div>
      ) : facet.isLoading ? (
        <LoadingNote />
      ) : (
        // A field of numbers that no record has is not counted, because it gets no interval.
        !hasFailed && <EmptyNote>No cases.</EmptyNote>
      )}
    </section>
  )
}

type CountsProps = FacetCardProps & {
  readonly data: Aggregation
}

function Counts({ dataset, field, filter, change, facet, data }: CountsProps) {
  if (!data.histogram) {
    return (
      <Values
        dataset={dataset}
        field={field}
        data={data}
        chosen={chosenValues(filter, field)}
        toggle={(value) => change((now) => toggleValue(now, field, value))}
      />
    )
  }
  return (
    <RangeCard
      dataset={dataset}
      field={field}
      facet={facet}
      buckets={data.histogram.buckets}
      range={chosenRange(filter, field)}
      change={(edit) =>
        change((now) => {
          const range = edit(chosenRange(now, field))
          return withCondition(now, field, range && { field, ...range })
        })
      }
    />
  )
}

interface ValuesProps {
  readonly dataset: string
  readonly field: string
  readonly data: Aggregation
  readonly chosen: readonly string[]
  readonly toggle: (value: string) => void
}

function Values({ dataset, field, data, chosen, toggle }: ValuesProps) {
  const [searched, setSearched] = useState('')
  const [isLong, setLong] = useState(false)
  const id = useId()
  const buckets = inScaleOrder(
    (data.buckets ?? []).filter(({ key }) => key !== '_missing'),
    ({ key }) => key,
  )
  const missing = data.buckets?.find(({ key }) => key === '_missing')?.doc_count ?? 0
  const most = Math.max(1, ...buckets.map(({ doc_count }) => doc_count))
  const word = searched.trim().toLowerCase()
  const found = buckets.filter(({ key }) => key.toLowerCase().includes(word))
  // Selected values stay visible, even if their count is zero.
  const gone = chosen.filter((value) => !buckets.some(({ key }) => isSame(key, value)))
  const all: readonly Bucket[] = [...gone.map((key) => ({ key, doc_count: 0 })), ...found]
  const shown = all.slice(0, isLong || word !== '' ? MANY_VALUES : FIRST_VALUES)
  const letters = useLetters(dataset, [{ field, keys: shown.map(({ key }) => key) }])
  if (buckets.length === 0 && gone.length === 0) return <EmptyNote>No cases.</EmptyNote>
  return (
    <>
      {buckets.length > FIRST_VALUES && (
        <input
          type="search"
          placeholder={`Search in ${buckets.length.toLocaleString('en')} values`}
          aria-label="Search in the values"
          value={searched}
          onInput={(event) => setSearched(event.currentTarget.value)}
        />
      )}
      <ul class="values">
        {shown.map(({ key, doc_count }, index) => {
          const isChosen = chosen.some((value) => isSame(value, key))
          return (
            <li key={key}>
              <input
                type="checkbox"
                id={`${id}-${index}`}
                checked={isChosen}
                onChange={() =>
                  toggle(
                    chosen.find((value) => isSame(value, key)) ?? inLetters(letters, field, key),
                  )
                }
              />
              <label for={`${id}-${index}`}>
                <span class="value">{inLetters(letters, field, key)}</span>
                <span class="count">{doc_count.toLocaleString('en')}</span>
                <meter min={0} max={most} value={doc_count} aria-hidden="true" />
              </label>
            </li>
          )
        })}
      </ul>
      {word === '' && all.length > FIRST_VALUES && (
        <button type="button" class="quiet" aria-expanded={isLong} onClick={() => setLong(!isLong)}>
          {isLong ? 'Fewer' : `All ${buckets.length.toLocaleString('en')}`}
        </button>
      )}
      {missing > 0 && <MissingNote dataset={dataset} field={field} missing={missing} />}
    </>
  )
}

/** The keys of counts are in lower case, but the values of a filter may be in any case. */
const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
