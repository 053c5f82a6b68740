import { useState } from 'preact/hooks'
import { useService } from '../service/context.ts'

/** Form for a token and a key, which are kept only in the memory of this page. */
export function CredentialsForm() {
  const service = useService()
  const [token, setToken] = useState('')
  const [key, setKey] = useState('')
  const [given, setGiven] = useState(service.credentials)
  const use = (event: SubmitEvent) => {
    event.preventDefault()
    const credentials = { token: token.trim(), key: key.trim() }
    service.credentials = credentials
    setGiven(credentials)
    // All parts of the page that were rejected send their requests again.
    dispatchEvent(new Event('hashchange'))
  }
  const named = [given.token && 'token', given.key && 'key'].filter(Boolean).join(' and ')
  return (
    <details class="credentials">
      <summary>{named === '' ? 'Sign in' : `With ${named}`}</summary>
      <form onSubmit={use}>
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
        <button type="submit">Use them</button>
        <p class="soft">They are kept in memory only, until you close this page.</p>
      </form>
    </details>
  )
}
