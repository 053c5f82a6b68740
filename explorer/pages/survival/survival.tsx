import { withQuery } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { GroupsNote } from '../../groups/groups-note.tsx'
import { GroupsPicker } from '../../groups/groups-picker.tsx'
import { useGroups } from '../../groups/use-groups.ts'
import { Answered } from '../../parts/answered.tsx'
import { ENDPOINTS, endpointOf } from './endpoints.ts'
import { GroupSurvival } from './group-survival.tsx'

/** Page for survival curves of groups of cases, with a test of their difference. */
export function SurvivalPage() {
  const { address, go } = usePlace()
  const grouping = useGroups()
  const endpoint = endpointOf(address.query)
  const choose = (name: string) =>
    go((now) => withQuery(now, { endpoint: name === 'overall' ? undefined : name }))
  return (
    <>
      <GroupsPicker>
        <label>
          Endpoint
          <select value={endpoint.name} onChange={(event) => choose(event.currentTarget.value)}>
            {ENDPOINTS.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </label>
      </GroupsPicker>
      <Answered answer={grouping}>
        {(made) => (
          <>
            <GroupsNote grouping={made} />
            <GroupSurvival grouping={made} endpoint={endpoint} />
          </>
        )}
      </Answered>
    </>
  )
}
