import { activeCohort, withCohort } from '../address/address.ts'
import { usePlace } from '../address/context.ts'
import { ErrorNote } from '../parts/notes.tsx'
import { useTask } from '../parts/use-task.ts'
import { useService } from '../service/context.ts'
import { makeSet, setFilter } from './sets.ts'

/** Button that saves the cases of the active cohort as a set, which becomes a cohort of its own. */
export function SaveSet() {
  const { address, go } = usePlace()
  const service = useService()
  const { isBusy, error, run } = useTask()
  const save = () =>
    run(async () => {
      const { name, filter } = activeCohort(address)
      const kept = await makeSet(service, filter, 'frozen')
      go((now) => withCohort(now, { name: `${name} (set)`, filter: setFilter(kept) }))
    })
  return (
    <>
      <button type="button" class="quiet" disabled={isBusy} onClick={save}>
        Save as a set
      </button>
      {error !== '' && <ErrorNote text={error} />}
    </>
  )
}
