import { useState } from 'preact/hooks'
import { errorText } from './error-text.ts'

interface Task {
  readonly isBusy: boolean
  /** Message of the last run that failed, or an empty text. */
  readonly error: string
  /** Runs an action. If it fails, shows the error instead of throwing it. */
  readonly run: (action: () => Promise<void>) => Promise<void>
}

/** Keeps track of an action that a button starts. */
export function useTask(): Task {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState('')
  const run = async (action: () => Promise<void>) => {
    setBusy(true)
    setError('')
    try {
      await action()
    } catch (cause) {
      setError(errorText(cause))
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, error, run }
}
