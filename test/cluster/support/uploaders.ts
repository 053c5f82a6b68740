import { hash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, askOnce, insist, type Question, sumOf } from './client.ts'
import { asked, type Target, type WriteReport } from './writers.ts'

/** A file whose upload was acknowledged. */
interface Uploaded {
  readonly id: string
  readonly sum: string
}

export interface UploadReport extends WriteReport {
  readonly uploaded: Uploaded[]
}

const PARTS = 3
const PART_BYTES = 60_000
const PAUSE_MILLISECONDS = 250

/** Uploads one file after the other, in parts that any node may receive, until the signal ends it. */
export async function upload(
  target: Target,
  caseName: string,
  report: UploadReport,
  { seconds, signal }: { seconds: number; signal: AbortSignal },
): Promise<void> {
  const tell = async (question: Question): Promise<Answer> => {
    const answer = await insist(
      () => askOnce(target.origin, asked(target, question)),
      seconds,
      report,
    )
    if (answer.status >= 400) {
      throw new Error(`${question.path}: ${answer.status} ${answer.bytes.toString().slice(0, 300)}`)
    }
    return answer
  }
  for (let n = 0; !signal.aborted; n++) {
    const bytes = randomBytes(PARTS * PART_BYTES)
    try {
      const id = await register(target, `${caseName}-file-${n}`, caseName, bytes, tell)
      await send(`${target.path}/files/${id}`, bytes, tell)
      await untilState(target, id, tell)
      report.uploaded.push({ id, sum: sumOf(bytes) })
    } catch (error) {
      report.lost.push(error instanceof Error ? error.message : String(error))
    }
  }
}

type Tell = (question: Question) => Promise<Answer>

/** Registers the file. A PUT may be repeated, and keeps the id of the first. */
async function register(
  { path }: Target,
  name: string,
  caseName: string,
  bytes: Buffer,
  tell: Tell,
): Promise<string> {
  const entity = {
    type: 'clinical_supplement',
    submitter_id: name,
    cases: [{ submitter_id: caseName }],
    data_category: 'Clinical',
    data_type: 'Clinical Supplement',
    data_format: 'TSV',
    file_name: `${name}.tsv`,
    file_size: bytes.length,
    md5sum: hash('md5', bytes),
  }
  const answer = await tell({ method: 'PUT', path, body: JSON.stringify(entity) })
  const { entities } = JSON.parse(answer.bytes.toString())
  return entities[0].id
}

/**
 * Starts the upload, sends the parts and completes it. All steps may be repeated; a part that is sent again
 * replaces the first.
 */
async function send(path: string, bytes: Buffer, tell: Tell): Promise<void> {
  const begun = await tell({ path: `${path}?uploads` })
  const [, uploadId = 'none'] = /<UploadId>(.+?)<\/UploadId>/.exec(begun.bytes.toString()) ?? []
  const parts: string[] = []
  for (let i = 0; i < PARTS; i++) {
    const body = Buffer.from(bytes.subarray(i * PART_BYTES, (i + 1) * PART_BYTES))
    const part = `${path}?uploadId=${uploadId}&partNumber=${i + 1}`
    const { headers } = await tell({ method: 'PUT', path: part, body })
    const tag = headers.get('etag') ?? hash('md5', body)
    parts.push(`<Part><PartNumber>${i + 1}</PartNumber><ETag>${tag}</ETag></Part>`)
  }
  const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
  try {
    await tell({ path: `${path}?uploadId=${uploadId}`, body })
  } catch (error) {
    // A request whose answer was lost has completed the upload, which its state shows.
    if (!(error instanceof Error && / (400|404) /.test(error.message))) throw error
  }
}

/** Waits until the bytes are verified against the entity. */
async function untilState({ path }: Target, id: string, tell: Tell): Promise<void> {
  for (;;) {
    const answer = await tell({ method: 'GET', path: `${path}/entities/${id}` })
    const { entities } = JSON.parse(answer.bytes.toString())
    const { file_state: state } = entities[0].properties
    if (state === 'validated') return
    if (state === 'error' || state === 'registered') throw new Error(`${id} is ${state}`)
    await sleep(PAUSE_MILLISECONDS)
  }
}
