import { useEffect } from 'preact/hooks'
import { useService } from '../service/context.ts'
import { useReach } from '../service/use-reach.ts'

/** Milliseconds between tries to reach the service again. */
const RETRY = 3000
/** Milliseconds between questions for the release, while the page is visible. */
const ASK = 60_000
/** A small request whose response names the release. */
const QUESTION = { path: '/projects', query: { size: 0 } }

/** Says once for the whole page that the service cannot be reached, or that it serves another release. */
export function ServiceNotice() {
  const service = useService()
  const { isGone, hasNewRelease } = useReach()
  useEffect(() => {
    const ask = () => {
      // The failure is noted by the service.
      if (document.visibilityState === 'visible') service.fetch(QUESTION).catch(() => undefined)
    }
    const timer = setInterval(ask, isGone ? RETRY : ASK)
    document.addEventListener('visibilitychange', ask)
    addEventListener('online', ask)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', ask)
      removeEventListener('online', ask)
    }
  }, [service, isGone])
  if (isGone) {
    return (
      <div class="note error" role="alert">
        The service cannot be reached. This page goes on when it is back.{' '}
        <button type="button" onClick={() => service.again()}>
          Try again
        </button>
      </div>
    )
  }
  if (!hasNewRelease) return null
  return (
    <div class="note news" aria-live="polite">
      The service has a new release, and this page still shows numbers of the one before.{' '}
      <button type="button" onClick={() => service.again()}>
        Show the new release
      </button>
    </div>
  )
}
