import { ServiceError } from './service.ts'

interface BytesRequest {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Blob | string
  /** Called with the number of bytes sent so far. */
  readonly onProgress?: (bytes: number) => void
  readonly signal: AbortSignal
}

/** Response of the service, with any status. */
interface BytesAnswer {
  readonly status: number
  readonly text: string
  readonly etag: string
}

/**
 * Sends a request and reports upload progress, which `fetch` cannot. Resolves for any status.
 * @throws ServiceError if there is no response; AbortError if it was cancelled, also before the call
 */
export function sendBytes(options: BytesRequest): Promise<BytesAnswer> {
  const { method, path, headers, body, onProgress, signal } = options
  return new Promise((resolve, reject) => {
    const rejectAsCancelled = () => reject(new DOMException('It was cancelled.', 'AbortError'))
    // A request that is aborted before it is sent emits no events.
    if (signal.aborted) {
      rejectAsCancelled()
      return
    }
    const request = new XMLHttpRequest()
    const cancel = () => request.abort()
    request.open(method, path)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded }) => onProgress?.(loaded)
    request.onload = () =>
      resolve({
        status: request.status,
        text: request.responseText,
        etag: request.getResponseHeader('ETag') ?? '',
      })
    request.onerror = () =>
      reject(new ServiceError('The service cannot be reached. Is it still running?', 0))
    request.onabort = rejectAsCancelled
    request.onloadend = () => signal.removeEventListener('abort', cancel)
    signal.addEventListener('abort', cancel)
    request.send(body)
  })
}

/** Returns the error message of a response. If it has none, returns a sentence with its status. */
export function wordsOf({ status, text }: BytesAnswer): string {
  try {
    const answer = JSON.parse(text) as { message?: unknown; error?: unknown }
    for (const message of [answer.message, answer.error]) {
      if (typeof message === 'string' && message !== '') return message
    }
  } catch {
    // Perhaps an HTML page of a proxy. Its status is more useful than its text.
  }
  return `The service answered with status ${status}.`
}
