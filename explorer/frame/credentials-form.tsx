import { useState } from 'preact/hooks'
import { useService } from '../service/context.ts'
import { keepCredentials, keptCredentials } from '../service/kept-credentials.ts'
import type { Credentials } from '../service/service.ts'

/** Form for a token and a key. They are in the memory of this page alone, unless the user asks to keep them. */
export function CredentialsForm() {
  const service = useService()
  const [token, setToken] = useState('')
  const [key, setKey] = useState('')
  const [given, setGiven] = useState(service.credentials)
  const [isKept, setKept] = useState(() => keptCredentials() !== undefined)
  const use = (credentials: Credentials, keeps: boolean) => {
    service.credentials = credentials
    setGiven(credentials)
    setKept(keepCredentials(keeps ? credentials : undefined) && keeps)
    // All parts of the page that were rejected send their requests again.
    dispatchEvent(new Event('hashchange'))
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    use({ token: token.trim(), key: key.trim() }, isKept)
  }
  const forget = () => {
    setToken('')
    setKey('')
    use({ token: '', key: '' }, false)
  }
  const named = [given.token && 'token', given.key && 'key'].filter(Boolean).join(' and ')
  return (
    <details class="credentials">
      <summary>{named === '' ? 'Sign in' : `With ${named}`}</summary>
      <form onSubmit={submit}>
        <label>
          Token of the data commons
          <input
            type="password"
            autocomplete="off"
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <label>
          Key of the registry
          <input
            type="password"
            autocomplete="off"
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </label>
        <label class="beside">
          <input
            type="checkbox"
            checked={isKept}
            onChange={(event) => setKept(event.currentTarget.checked)}
          />
          Keep them for this tab
        </label>
        <button type="submit">Use them</button>
        {named !== '' && (
          <button type="button" onClick={forget}>
            Sign out
          </button>
        )}
        <p class="soft">
          {isKept
            ? 'This tab keeps them when it is reloaded, until you close it or sign out.'
            : 'They are kept in memory only, until you close or reload this page.'}
        </p>
      </form>
    </details>
  )
}
