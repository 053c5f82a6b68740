import { activeCohort, withCohort } from '../address/address.ts'
import { usePlace } from '../address/context.ts'
import { makeSet, setFilter } from '../cohort/sets.ts'
import { ErrorNote } from '../parts/notes.tsx'
import { useTask } from '../parts/use-task.ts'
import { useService } from '../service/context.ts'
import { notIn } from './asked.ts'

/** Button that adds the cases that are not in the active cohort as a cohort. */
export function OthersButton() {
  const { address, go } = usePlace()
  const service = useService()
  const { isBusy, error, run } = useTask()
  const active = activeCohort(address)
  if (active.filter === undefined) return null
  const add = () =>
    run(async () => {
      // The negation of a set is exact, while that of a condition depends on where its field stands.
      const kept = await makeSet(service, active.filter, 'frozen')
      const others = { name: `Not ${active.name}`, filter: notIn(setFilter(kept)) }
      go((now) => withCohort(now, others))
    })
  return (
    <>
      <button type="button" class="quiet" disabled={isBusy} onClick={add}>
        Add all other cases
      </button>
      {error !== '' && <ErrorNote text={error} />}
    </>
  )
}
