import { retried } from '../../service/retried.ts'
import type { Service } from '../../service/service.ts'

/** A registry file to send, and where to. */
export interface SentFile {
  readonly service: Pick<Service, 'post'>
  /** Path of the operation, such as `/rest/naaccr/edits`. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly file: Blob
  readonly onProgress: (progress: SendProgress) => void
  readonly signal: AbortSignal
}

/** How many bytes of the file have been read to be sent, or processed. */
export interface SendProgress {
  readonly step: 'sending' | 'processing'
  readonly bytes: number
}

/** A finding of the service, with the number of its occurrences. */
export interface Finding {
  readonly kind: string
  readonly code: string
  readonly of?: string
  readonly count: number
  /** First line with it. */
  readonly line: number
}

export interface FileSummary {
  readonly patients: number
  readonly tumors: number
  readonly counts: readonly Finding[]
}

interface PatientError {
  readonly error: { readonly message: string }
}

/** Answers that arrived together. */
interface AnsweredPatients<Patient> {
  readonly patients: readonly (({ readonly line: number } & Patient) | RefusedPatient)[]
  /** The lines of the patients as they came. */
  readonly text: string
  /** Only at the end. */
  readonly summary?: FileSummary
}

/** A patient that the service did not accept. */
export interface RefusedPatient extends PatientError {
  readonly line: number
}

/** Returns whether a file is NAACCR XML, gzip, or has the fixed columns of version 18 and before. */
export async function isRegistryFile(file: Blob): Promise<boolean> {
  const start = new Uint8Array(await file.slice(0, START_BYTES).arrayBuffer())
  if (isGzip(start)) return true
  const text = new TextDecoder().decode(start)
  return /^\uFEFF?\s*</.test(text) || FIXED.test(text)
}

/** Record type, registry type and version of a line of fixed columns. */
const FIXED = /^[ACIM][\d ].{14}\d{3}/s
const START_BYTES = 100
/** The service keeps that many bytes of clients which, like browsers, send everything before they read. */
const MAX_BYTES = 64 << 20

const isGzip = ([first, second]: Uint8Array) => first === 0x1f && second === 0x8b

/**
 * Sends a registry file, compressed, and yields the answers while they arrive. Nothing is kept.
 * @throws Error if the file is too large, or if it ends with an error, after the answers before it; ServiceError
 * with the service's message; AbortError
 */
export async function* sendRegistryFile<Patient extends object>(
  asked: SentFile,
): AsyncGenerator<AnsweredPatients<Patient>> {
  const { service, path, query, file, onProgress, signal } = asked
  const { bytes, lines } = await packed(asked)
  if (bytes.size > MAX_BYTES) {
    throw new Error(
      `The file has ${bytes.size} bytes when compressed, and a page can send ${MAX_BYTES}. ` +
        'Use the commands casemill registry and casemill edits, which take files of any size.',
    )
  }
  onProgress({ step: 'processing', bytes: 0 })
  const headers = { 'Content-Type': 'application/octet-stream', 'Content-Encoding': 'gzip' }
  const response = await retried(
    () => service.post({ path, query: { ...query, finish: 'true' }, headers, body: bytes }, signal),
    signal,
  )
  let isWhole = false
  for await (const text of wholeLines(response)) {
    const answers = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as AnswerLine<Patient>)
    const patients = answers.filter((one): one is PatientLine<Patient> => 'line' in one)
    const last = answers.at(-1)
    const summary = last && 'summary' in last ? last.summary : undefined
    isWhole ||= summary !== undefined
    const own =
      last && !('line' in last) ? text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1) : text
    yield { patients, text: own, ...(summary && { summary }) }
    if (last && 'error' in last && !('line' in last)) throw new Error(last.error.message)
    const line = patients.at(-1)?.line
    if (line !== undefined && lines > 0) {
      onProgress({ step: 'processing', bytes: Math.min(file.size, (file.size * line) / lines) })
    }
  }
  if (!isWhole) throw new Error('The answer ended too early. Send the file again.')
}

type PatientLine<Patient> = ({ readonly line: number } & Patient) | RefusedPatient
/** A patient, and at the end the summary or the error that ended the file. */
type AnswerLine<Patient> = PatientLine<Patient> | { readonly summary: FileSummary } | PatientError

/** Returns the file as gzip, with its number of lines, which is 0 if it was compressed already. */
async function packed({ file, onProgress, signal }: SentFile) {
  if (isGzip(new Uint8Array(await file.slice(0, 2).arrayBuffer()))) return { bytes: file, lines: 0 }
  let lines = 0
  let bytes = 0
  const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      bytes += chunk.length
      for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, at + 1)) lines++
      onProgress({ step: 'sending', bytes })
      controller.enqueue(chunk)
    },
  })
  const stream = file
    .stream()
    .pipeThrough(counting, { signal })
    .pipeThrough(new CompressionStream('gzip'), { signal })
  return { bytes: await new Response(stream).blob(), lines }
}

const LINE_END = 10

/**
 * Yields the text of a response in pieces of whole lines.
 * @throws Error if the connection ends before the response
 */
async function* wholeLines({ body }: Response): AsyncGenerator<string> {
  if (!body) return
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let rest = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      rest += decoder.decode(value, { stream: !done })
      const end = done ? rest.length : rest.lastIndexOf('\n') + 1
      if (end > 0) yield rest.slice(0, end)
      rest = rest.slice(end)
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
