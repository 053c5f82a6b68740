import { useCallback, useEffect, useState } from 'preact/hooks'
import { ErrorNote, LoadingNote } from '../../parts/notes.tsx'
import { useTask } from '../../parts/use-task.ts'
import { sendBytes, wordsOf } from '../../service/send-bytes.ts'
import { ServiceError } from '../../service/service.ts'
import { MakeToken } from './make-token.tsx'
import { OwnTokens } from './own-tokens.tsx'
import type { OwnToken, Person } from './own-types.ts'

/** State of the page: undefined while it loads, null if nobody is logged in. */
type Shown = { readonly person: Person; readonly tokens: readonly OwnToken[] } | null | undefined

/** Page on which people log in and out, and make, list and revoke their tokens. */
export function AccountPage() {
  const [shown, setShown] = useState<Shown>()
  const { isBusy, error, run } = useTask()
  const load = useCallback(async () => setShown(await loadAccount()), [])
  useEffect(() => {
    run(load)
  }, [load])
  if (shown === undefined) return error === '' ? <LoadingNote /> : <ErrorNote text={error} />
  if (shown === null) {
    return (
      <p>
        You are not logged in.{' '}
        <a href={`/auth/login?next=${encodeURIComponent('/#/account')}`}>
          Log in at your institution
        </a>
      </p>
    )
  }
  const revoke = (id: string) =>
    run(async () => {
      await send('DELETE', `/auth/tokens/${id}`)
      await load()
    })
  const { person, tokens } = shown
  const projects = Object.entries(person.projects.gdc_ids)
  return (
    <>
      <p class="result">You are logged in as {person.username}.</p>
      <p>
        {projects.length === 0
          ? 'You have no rights beyond open data.'
          : `Your projects: ${projects.map(([id, roles]) => `${id} (${roles.join(', ')})`).join('; ')}.`}
      </p>
      <p>
        <a href={`/auth/logout?next=${encodeURIComponent('/#/account')}`}>Log out</a>
      </p>
      <MakeToken onMade={load} />
      {error !== '' && <ErrorNote text={error} />}
      <OwnTokens tokens={tokens} isBusy={isBusy} onRevoke={revoke} />
    </>
  )
}

/** Returns null if nobody is logged in at an institution. */
async function loadAccount(): Promise<Shown> {
  const user = await fetch('/auth/user')
  if (user.status === 401) return null
  const tokens = await fetch('/auth/tokens')
  // A browser can also be logged in with a token, which cannot make others.
  if (tokens.status === 401 || tokens.status === 403) return null
  for (const { ok, status } of [user, tokens]) {
    if (!ok) throw new ServiceError(`The service answered with status ${status}.`, status)
  }
  const { tokens: own } = (await tokens.json()) as { tokens: readonly OwnToken[] }
  return { person: (await user.json()) as Person, tokens: own }
}

async function send(method: 'DELETE', path: string): Promise<void> {
  const { signal } = new AbortController()
  const answer = await sendBytes({ method, path, headers: {}, signal })
  if (answer.status >= 400) throw new ServiceError(wordsOf(answer), answer.status)
}
