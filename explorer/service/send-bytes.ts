import { ServiceError } from './service.ts'

interface SentBytes {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Blob | string
  /** Called with the number of bytes sent so far. */
  readonly onProgress?: (bytes: number) => void
  readonly signal: AbortSignal
}

interface BytesAnswer {
  readonly status: number
  readonly text: string
  readonly etag: string
}

/**
 * Sends bytes and reports progress, which `fetch` cannot. Resolves for any status.
 * @throws ServiceError if there is no response; AbortError if it was cancelled
 */
export function sendBytes(sent: SentBytes): Promise<BytesAnswer> {
  const { method, path, headers, body, onProgress, signal } = sent
  return new Promise((resolve, reject) => {
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
    request.onabort = () => reject(new DOMException('It was cancelled.', 'AbortError'))
    request.onloadend = () => signal.removeEventListener('abort', cancel)
    signal.addEventListener('abort', cancel)
    if (signal.aborted) cancel()
    else request.send(body)
  })
}

/** Returns the service's message, or a text with its status. */
export function wordsOf({ status, text }: BytesAnswer): string {
  try {
    const said = JSON.parse(text) as { message?: unknown; error?: unknown }
    for (const words of [said.message, said.error]) {
      if (typeof words === 'string' && words !== '') return words
    }
  } catch {
    // Perhaps a page of a proxy, whose status is more useful than its text.
  }
  return `The service answered with status ${status}.`
}
