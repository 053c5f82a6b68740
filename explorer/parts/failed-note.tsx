import { useService } from '../service/context.ts'
import { statusOf } from '../service/service.ts'
import { EmptyNote } from './notes.tsx'

/**
 * Shows an error. If another try may help, offers it. If the service cannot be reached, the frame says
 * so once for the whole page.
 */
export function FailedNote({ error }: { readonly error: Error }) {
  const service = useService()
  const status = statusOf(error)
  if (status === 0) return <EmptyNote>Waiting for the service.</EmptyNote>
  const mayPass = status !== undefined && (status >= 500 || status === 429)
  return (
    <div class="note error" role="alert">
      {error.message}{' '}
      {mayPass && (
        <button type="button" onClick={() => service.again()}>
          Try again
        </button>
      )}
    </div>
  )
}
