import { useId } from 'preact/hooks'
import { activeCohort } from '../address/address.ts'
import { usePlace } from '../address/context.ts'
import type { SearchAnswer } from '../cohort/count.ts'
import { inLetters, keysOf, useLetters } from '../facets/letters.ts'
import { inScaleOrder } from '../facets/value-order.ts'
import { seenByOwnField } from '../filter/filter.ts'
import { useAnswer } from '../service/use-answer.ts'
import { MAX_GROUPS, type Split } from './split.ts'

interface ValuePickerProps {
  readonly split: Extract<Split, { readonly by: 'values' }>
  readonly choose: (next: Split) => void
}

/** Maximum number of values shown. */
const MAX_VALUES = 200

/** List of a field's values with their numbers of cases. Those that are checked make a group each. */
export function ValuePicker({ split, choose }: ValuePickerProps) {
  const id = useId()
  const { address } = usePlace()
  const { field, values, rest = false } = split
  const { data } = useAnswer<SearchAnswer>({
    path: '/cases',
    query: { size: 0, facets: field },
    filters: seenByOwnField(activeCohort(address).filter, field),
  })
  const aggregation = Object.values(data?.data.aggregations ?? {})[0]
  const buckets = (aggregation?.buckets ?? []).filter(({ key }) => key !== '_missing')
  const letters = useLetters('cases', [{ field, keys: keysOf(buckets).slice(0, MAX_VALUES) }])
  const most = rest ? MAX_GROUPS - 1 : MAX_GROUPS
  const isNamed = (key: string) =>
    values?.some((value) => value.toLowerCase() === key.toLowerCase()) ?? true
  const drawn = buckets.filter(({ key }) => isNamed(key)).slice(0, most)
  const keys = drawn.map(({ key }) => key)
  const choosing = (next: readonly string[]) => choose({ ...split, values: next })
  if (buckets.length < 2) return null
  return (
    <details class="group-values" open={buckets.length > MAX_GROUPS || values !== undefined}>
      <summary>
        {keys.length} of {buckets.length} values
      </summary>
      <ul class="values value-columns">
        {inScaleOrder(buckets.slice(0, MAX_VALUES), ({ key }) => key).map(
          ({ key, doc_count }, index) => (
            <li key={key}>
              <input
                type="checkbox"
                id={`${id}-${index}`}
                checked={keys.includes(key)}
                disabled={!keys.includes(key) && keys.length >= most}
                onChange={() =>
                  choosing(keys.includes(key) ? keys.filter((one) => one !== key) : [...keys, key])
                }
              />
              <label for={`${id}-${index}`}>
                <span class="value">{inLetters(letters, field, key)}</span>
                <span class="count">{doc_count.toLocaleString('en')}</span>
              </label>
            </li>
          ),
        )}
      </ul>
      {buckets.length > MAX_VALUES && (
        <p class="soft">
          The {MAX_VALUES} largest of {buckets.length.toLocaleString('en')} values are listed.
        </p>
      )}
      {keys.length >= most && buckets.length > most && (
        <p class="soft">At most {MAX_GROUPS} groups are drawn. Uncheck one to choose another.</p>
      )}
      <p class="check-line">
        <label>
          <input
            type="checkbox"
            checked={rest}
            onChange={() => choose({ ...split, rest: !rest })}
          />{' '}
          All other values as one group
        </label>
      </p>
    </details>
  )
}
