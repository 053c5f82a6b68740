import { ServiceError } from './service.ts'

interface SentBytes {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Blob | string
  /** Called with the bytes that have left so far. */
  readonly onProgress?: (bytes: number) => void
  readonly signal: AbortSignal
}

interface BytesAnswer {
  readonly status: number
  readonly text: string
  readonly etag: string
}

/**
 * Sends bytes and tells how many have left, which `fetch` does not tell. Whatever the status is, it
 * is an answer.
 * @throws ServiceError when there is none; an AbortError when it was cancelled
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

/** The service's own words, or its status. */
export function wordsOf({ status, text }: BytesAnswer): string {
  try {
    const said = JSON.parse(text) as { message?: unknown; error?: unknown }
    for (const words of [said.message, said.error]) {
      if (typeof words === 'string' && words !== '') return words
    }
  } catch {
    // A proxy's page: its status says more than its text.
  }
  return `The service answered with status ${status}.`
}
