import type { ComponentChildren } from 'preact'
import {
  activeCohort,
  onPage,
  withCohort,
  withFilter,
  withName,
  withoutCohort,
} from '../address/address.ts'
import { usePlace } from '../address/context.ts'
import { conditionsOf, type Filter, withCondition, withoutOther } from '../filter/filter.ts'
import { Link } from '../parts/link.tsx'
import { useAnswers } from '../service/use-answer.ts'
import { countRequest, type SearchAnswer } from './count.ts'
import { SaveSet } from './save-set.tsx'
import { conditionText, otherText } from './words.ts'

/**
 * Shows the cohorts with their numbers of cases, and the conditions of the active one. `children` are more ways to
 * make cohorts.
 */
export function CohortBar({ children }: { readonly children?: ComponentChildren }) {
  const { address, go } = usePlace()
  const { cohorts, at } = address
  const active = activeCohort(address)
  const counts = useAnswers<SearchAnswer>(cohorts.map(({ filter }) => countRequest(filter)))
  const { conditions, others } = conditionsOf(active.filter)
  const rename = (name: string) => go((now) => withName(now, active, name), { replaces: true })
  const add = () =>
    go((now) => {
      const name = `Cohort ${now.cohorts.length + 1}`
      return withCohort(now, { name, filter: activeCohort(now).filter })
    })
  const changeFilter = (edit: (now: Filter | undefined) => Filter | undefined) =>
    go((now) => withFilter(now, edit(activeCohort(now).filter)))
  return (
    <section class="cohorts" aria-label="Cohorts">
      <ul class="cohort-list">
        {cohorts.map(({ name }, index) => (
          <li key={index} class={index === at ? 'active' : undefined}>
            <Link to={{ ...address, at: index }} current={index === at}>
              {name}{' '}
              <span class="count">
                {counts.data?.[index]?.data.pagination.total.toLocaleString('en') ?? '…'}
              </span>
            </Link>
          </li>
        ))}
        <li>
          <button type="button" class="quiet" onClick={add}>
            Add a cohort
          </button>
        </li>
      </ul>
      <div class="conditions">
        <label>
          <span class="hidden">Name of the cohort</span>
          <input value={active.name} onChange={(event) => rename(event.currentTarget.value)} />
        </label>
        {conditions.map((condition) => (
          <Chip
            key={condition.field}
            text={conditionText(condition)}
            remove={() => changeFilter((now) => withCondition(now, condition.field, undefined))}
          />
        ))}
        {others.map((other, index) => (
          <Chip
            key={index}
            text={otherText(other)}
            remove={() => changeFilter((now) => withoutOther(now, other))}
          />
        ))}
        {address.page !== 'cohort' && <Link to={onPage(address, 'cohort')}>Change it</Link>}
        <SaveSet />
        {children}
        {cohorts.length > 1 && address.page !== 'compare' && (
          <Link to={onPage(address, 'compare')}>Compare the {cohorts.length} cohorts</Link>
        )}
        {cohorts.length > 1 && (
          <button
            type="button"
            class="quiet"
            onClick={() => go((now) => withoutCohort(now, active))}
          >
            Remove this cohort
          </button>
        )}
      </div>
    </section>
  )
}

function Chip({ text, remove }: { readonly text: string; readonly remove: () => void }) {
  return (
    <span class="chip">
      <span class="chip-text" title={text}>
        {text}
      </span>
      <button type="button" aria-label={`Remove the condition ${text}`} onClick={remove}>
        ×
      </button>
    </span>
  )
}
