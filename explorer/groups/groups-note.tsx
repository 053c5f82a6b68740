import { type Cohort, withQuery } from '../address/address.ts'
import { usePlace } from '../address/context.ts'
import { makeSet, setFilter, setsOf } from '../cohort/sets.ts'
import { counted } from '../parts/counted.ts'
import { SERIES_COLORS } from '../parts/legend.ts'
import { ErrorNote } from '../parts/notes.tsx'
import { useTask } from '../parts/use-task.ts'
import { useService } from '../service/context.ts'
import type { Group, Grouping } from './group.ts'
import { splitOf } from './split.ts'

/** Maximum number of values left out that are named. */
const MAX_NAMED = 30

/** Lists the groups with their colours and cases, and tells what they leave out and share. */
export function GroupsNote({ grouping }: { readonly grouping: Grouping }) {
  const { groups, leftOut, total, inGroups, method } = grouping
  const outside = total - inGroups
  return (
    <section class="groups" aria-label="Chosen groups">
      <ul class="group-list">
        {groups.map(({ name, cases }, index) => (
          <li key={name}>
            <span
              class="swatch"
              aria-hidden="true"
              style={{ background: SERIES_COLORS[index % SERIES_COLORS.length] }}
            />
            {name} <span class="count">{cases.toLocaleString('en')}</span>
          </li>
        ))}
      </ul>
      {groups.some(({ cases }) => cases === 0) && (
        <p class="note">
          Without cases:{' '}
          {groups
            .filter(({ cases }) => cases === 0)
            .map(({ name }) => name)
            .join(', ')}
          .
        </p>
      )}
      {leftOut.length > 0 && (
        <p class="note">
          Not among the groups:{' '}
          {leftOut
            .slice(0, MAX_NAMED)
            .map(({ name, cases }) => `${name} (${cases.toLocaleString('en')})`)
            .join(', ')}
          {leftOut.length > MAX_NAMED && `, and ${leftOut.length - MAX_NAMED} more`}.
        </p>
      )}
      {outside > 0 && (
        <p class="soft">
          {outside.toLocaleString('en')} of {counted(total, 'case is', 'cases are')} in none of the
          groups.
        </p>
      )}
      <Shared grouping={grouping} />
      {method !== '' && <p class="soft">{method}</p>}
      <KeepAsCohorts groups={groups} />
    </section>
  )
}

/** Tells which groups share cases, and takes these cases out of them on request. */
function Shared({ grouping }: { readonly grouping: Grouping }) {
  const { go } = usePlace()
  const { groups, shared, isParted } = grouping
  if (shared === 0) return null
  const names = groups
    .filter((group) => group.shared > 0)
    .map((group) => `${group.name} (${group.shared.toLocaleString('en')})`)
  const choose = (value: string | undefined) => go((now) => withQuery(now, { shared: value }))
  return (
    <p class="note">
      {shared.toLocaleString('en')} {shared === 1 ? 'case is' : 'cases are'} in several groups:{' '}
      {names.join(', ')}.{' '}
      {isParted ? 'They are left out of all groups. ' : 'Tests need groups without common cases. '}
      <button type="button" onClick={() => choose(isParted ? undefined : 'out')}>
        {isParted ? 'Put these cases back' : 'Leave these cases out'}
      </button>
    </p>
  )
}

/** Button that makes a cohort of each group, for pages and questions that take cohorts. */
function KeepAsCohorts({ groups }: { readonly groups: readonly Group[] }) {
  const { address, go } = usePlace()
  const service = useService()
  const { isBusy, error, run } = useTask()
  if (splitOf(address).by === 'cohorts') return null
  const keep = () =>
    run(async () => {
      const kept = await Promise.all(
        groups.map(async ({ name, filter }): Promise<Cohort> => {
          // Sets that only serve a page end after a day, so that cohorts get sets that are kept.
          if (setsOf(filter).length === 0) return { name, filter }
          return { name, filter: setFilter(await makeSet(service, filter, 'frozen')) }
        }),
      )
      go((now) => ({
        ...withQuery(now, { groups: undefined, by: undefined, shared: undefined }),
        cohorts: kept,
        at: 0,
      }))
    })
  return (
    <p class="actions">
      <button type="button" class="quiet" disabled={isBusy} onClick={keep}>
        Make them the cohorts
      </button>
      {error !== '' && <ErrorNote text={error} />}
    </p>
  )
}
