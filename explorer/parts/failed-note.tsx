import { useService } from '../service/context.ts'
import type { ServiceError } from '../service/service.ts'

/** Shows an error of the service. If another try may help, offers it. */
export function FailedNote({ error }: { readonly error: ServiceError }) {
  const service = useService()
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
