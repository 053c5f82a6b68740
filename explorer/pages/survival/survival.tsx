import { GroupsNote } from '../../groups/groups-note.tsx'
import { GroupsPicker } from '../../groups/groups-picker.tsx'
import { useGroups } from '../../groups/use-groups.ts'
import { Answered } from '../../parts/answered.tsx'
import { GroupSurvival } from './group-survival.tsx'

/** Page for survival curves of groups of cases, with a test of their difference. */
export function SurvivalPage() {
  const grouping = useGroups()
  return (
    <>
      <GroupsPicker />
      <Answered answer={grouping}>
        {(made) => (
          <>
            <GroupsNote grouping={made} />
            <GroupSurvival grouping={made} />
          </>
        )}
      </Answered>
    </>
  )
}
