import { useState } from 'preact/hooks'
import { ErrorNote } from '../../parts/notes.tsx'
import { useTask } from '../../parts/use-task.ts'
import { useService } from '../../service/context.ts'

const DEFAULT_DAYS = 30
const MAX_DAYS = 365

/** Form that makes a token and shows its secret, which cannot be read again. */
export function MakeToken({ onMade }: { readonly onMade: () => Promise<void> }) {
  const service = useService()
  const { isBusy, error, run } = useTask()
  const [name, setName] = useState('')
  const [days, setDays] = useState(DEFAULT_DAYS)
  const [projects, setProjects] = useState('')
  const [isWrite, setWrite] = useState(false)
  const [secret, setSecret] = useState('')
  const make = (event: SubmitEvent) => {
    event.preventDefault()
    setSecret('')
    run(async () => {
      const ids = projects.split(/[\s,]+/).filter(Boolean)
      const body = { name, days, read_only: !isWrite, ...(ids.length > 0 && { projects: ids }) }
      const response = await service.fetch({ path: '/auth/tokens', body })
      const { token } = (await response.json()) as { token: string }
      setSecret(token)
      await onMade()
    })
  }
  return (
    <form onSubmit={make} class="make-token">
      <h2>Make a token for a program</h2>
      <label>
        Name
        <input
          required
          maxLength={64}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <label>
        Days until it expires
        <input
          type="number"
          required
          min={1}
          max={MAX_DAYS}
          value={days}
          onInput={(event) => setDays(event.currentTarget.valueAsNumber)}
        />
      </label>
      <label>
        Only these projects (IDs; empty for all)
        <input value={projects} onInput={(event) => setProjects(event.currentTarget.value)} />
      </label>
      <label>
        <input
          type="checkbox"
          checked={isWrite}
          onChange={(event) => setWrite(event.currentTarget.checked)}
        />{' '}
        It may also submit and change
      </label>
      <button type="submit" disabled={isBusy}>
        Make token
      </button>
      {error !== '' && <ErrorNote text={error} />}
      {secret !== '' && (
        <p class="result" role="status">
          Copy the token now; it is not shown again: <code>{secret}</code>
        </p>
      )}
    </form>
  )
}
