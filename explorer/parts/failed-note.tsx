import { useService } from '../service/context.ts'
import type { ServiceError } from '../service/service.ts'
import { EmptyNote } from './notes.tsx'

/**
 * Shows an error of the service. If another try may help, offers it. If the service cannot be reached, the frame says
 * so once for the whole page.
 */
export function FailedNote({ error }: { readonly error: ServiceError }) {
  const service = useService()
  if (error.status === 0) return <EmptyNote>Waiting for the service.</EmptyNote>
  const mayPass = error.status >= 500 || error.status === 429
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
