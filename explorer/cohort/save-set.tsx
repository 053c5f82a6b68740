import { useState } from 'preact/hooks'
import { activeCohort, withCohort } from '../address/address.ts'
import { usePlace } from '../address/context.ts'
import { ErrorNote } from '../parts/notes.tsx'
import { useService } from '../service/context.ts'
import { makeSet, setFilter } from './sets.ts'

/** Button that saves the cases of the active cohort as a set, which becomes a cohort of its own. */
export function SaveSet() {
  const { address, go } = usePlace()
  const service = useService()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState('')
  const save = async () => {
    const { name, filter } = activeCohort(address)
    setBusy(true)
    setError('')
    try {
      const kept = await makeSet(service, filter, 'frozen')
      go((now) => withCohort(now, { name: `${name} (set)`, filter: setFilter(kept) }))
    } catch (cause) {
      setError(cause instanceof Error ? cause.message : String(cause))
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <button type="button" class="quiet" disabled={isBusy} onClick={save}>
        Save as a set
      </button>
      {error !== '' && <ErrorNote text={error} />}
    </>
  )
}
