import { onPage } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { GroupsNote } from '../../groups/groups-note.tsx'
import { GroupsPicker } from '../../groups/groups-picker.tsx'
import { splitOf } from '../../groups/split.ts'
import { useGroups } from '../../groups/use-groups.ts'
import { Answered } from '../../parts/answered.tsx'
import { useTyped } from '../../parts/use-typed.ts'
import { GeneView } from './gene-view.tsx'
import { MutatedView } from './mutated-view.tsx'

/** Page for the most frequently changed genes of the cohort, or for one of them. */
export function GenesPage() {
  const { address, go, change } = usePlace()
  const named = (address.query.get('gene') ?? '').trim()
  const grouping = useGroups()
  const typed = useTyped(named, (gene) => change({ gene }))
  return (
    <>
      <form class="controls" onSubmit={(event) => event.preventDefault()}>
        <label>
          One gene by symbol or id
          <input placeholder="TP53" {...typed} />
        </label>
        {named !== '' && (
          <button type="button" onClick={() => go((now) => onPage(now, 'genes'))}>
            All genes
          </button>
        )}
      </form>
      <GroupsPicker />
      <Answered answer={grouping}>
        {(made) => (
          <>
            {splitOf(address).by !== 'cohorts' && <GroupsNote grouping={made} />}
            {named === '' ? (
              <MutatedView groups={made.groups} />
            ) : (
              <GeneView key={named} named={named} groups={made.groups} />
            )}
          </>
        )}
      </Answered>
    </>
  )
}
