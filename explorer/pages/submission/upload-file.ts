import { retried } from '../../service/retried.ts'
import { sendBytes, wordsOf } from '../../service/send-bytes.ts'
import { ServiceError } from '../../service/service.ts'

interface Upload {
  /** Path of the file's data, such as `/submission/DEMO/TRIAL/files/ID`. */
  readonly path: string
  readonly token: string
  readonly file: Blob
  readonly onProgress: (bytes: number) => void
  readonly signal: AbortSignal
}

/** Size of a part in bytes. Larger files are sent in parts, so that each part can be retried. */
const PART_BYTES = 8 << 20
const MAX_PARTS = 10_000

/**
 * Uploads the bytes of a submitted file, in parts if the file is large. If the upload fails or is cancelled,
 * tells the service to discard it.
 * @throws ServiceError with the service's message; AbortError
 */
export async function uploadFile(upload: Upload): Promise<void> {
  const { path, file, onProgress } = upload
  if (file.size <= PART_BYTES) {
    await mustSend(upload, { method: 'PUT', path, body: file, onProgress })
    return
  }
  const { text } = await mustSend(upload, { method: 'POST', path: `${path}?uploads` })
  const uploadId = elementOf(text, 'UploadId')
  const query = `uploadId=${encodeURIComponent(uploadId)}`
  try {
    const etags = await sendParts(upload, query)
    const parts = etags.map(
      (etag, index) =>
        `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`,
    )
    const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
    await mustSend(upload, { method: 'POST', path: `${path}?${query}`, body })
  } catch (cause) {
    const { token } = upload
    const giveUp = { method: 'DELETE', path: `${path}?${query}` } as const
    const headers = { 'X-Auth-Token': token }
    await sendBytes({ ...giveUp, headers, signal: new AbortController().signal })
    throw cause
  }
}

async function sendParts(upload: Upload, query: string): Promise<readonly string[]> {
  const { path, file, onProgress } = upload
  const length = Math.max(PART_BYTES, Math.ceil(file.size / MAX_PARTS))
  const etags: string[] = []
  for (let start = 0; start < file.size; start += length) {
    const { etag } = await mustSend(upload, {
      method: 'PUT',
      path: `${path}?${query}&partNumber=${etags.length + 1}`,
      body: file.slice(start, start + length),
      onProgress: (bytes) => onProgress(start + bytes),
    })
    etags.push(etag)
  }
  return etags
}

type Step = Pick<Parameters<typeof sendBytes>[0], 'method' | 'path' | 'body' | 'onProgress'>

/** @throws ServiceError for any status from 300; AbortError */
function mustSend({ token, signal }: Upload, step: Step) {
  const headers = { 'X-Auth-Token': token }
  return retried(async () => {
    const answer = await sendBytes({ ...step, headers, signal })
    if (answer.status < 300) return answer
    throw new ServiceError(wordsOf(answer), answer.status)
  }, signal)
}

function elementOf(xml: string, name: string): string {
  const document = new DOMParser().parseFromString(xml, 'application/xml')
  return document.getElementsByTagName(name)[0]?.textContent ?? ''
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
