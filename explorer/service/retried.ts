import { ServiceError } from './service.ts'

const TRIES = 3

/**
 * Sends a request. Retries it if there was no response or the service was busy.
 * @throws ServiceError of the last attempt; the signal's reason
 */
export async function retried<Answer>(
  send: () => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await send()
    } catch (cause) {
      const mayPass = cause instanceof ServiceError && (cause.status === 0 || cause.status >= 500)
      if (!mayPass || tries === TRIES) throw cause
    }
    await new Promise((resolve) => setTimeout(resolve, 1000 * tries))
    signal.throwIfAborted()
  }
}
