import { createReadStream, existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Backing } from './backing.ts'

const BUCKET = 'casemill-test'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Report of s3rver's store about bytes that it has written. */
interface Written {
  readonly size: number
  readonly md5: string
}

interface Store {
  putObject(object: { readonly bucket: string; readonly key: string }): Promise<Written>
  putObjectMultipart(
    bucket: string,
    id: string,
    parts: readonly { readonly number: number }[],
  ): Promise<unknown>
  putPart(...place: [bucket: string, id: string, part: string, body: unknown]): Promise<Written>
  listObjects(bucket: string, options: object): Promise<unknown>
  getResourcePath(bucket: string, key: string | undefined, kind: string): string
}

interface S3rver {
  readonly store: Store
  callback(): Handler
  configureBuckets(): Promise<unknown>
}

/**
 * Starts s3rver with a bucket in a folder of its own. What it lacks most is added, unless `isBare`: pages of
 * lists, copies into parts, lists and ends of uploads.
 */
export async function startS3rver({ isBare }: { readonly isBare: boolean }): Promise<Backing> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-s3-'))
  const Constructor = createRequire(import.meta.url)('s3rver') as new (options: object) => S3rver
  const s3rver = new Constructor({
    directory: folder,
    silent: true,
    vhostBuckets: false,
    configureBuckets: [{ name: BUCKET }],
  })
  await s3rver.configureBuckets()
  const { store } = s3rver
  if (!isBare) {
    answerWhenWritten(store)
    listInOnePage(store)
    refuseSmallParts(store)
  }
  const uploadsFolder = store.getResourcePath(BUCKET, undefined, 'uploads')
  await mkdir(uploadsFolder, { recursive: true })
  const answer = s3rver.callback()
  return {
    bucket: BUCKET,
    answer(request, response) {
      if (!isBare) {
        if (answerUnknown(request, response, uploadsFolder)) return
        if (answerUploads(request, response, uploadsFolder)) return
        if (answerCopy(request, response, store)) return
      }
      answer(request, response)
    },
    keys: async () => {
      const names = await readdir(join(folder, BUCKET), { recursive: true })
      const end = '._S3rver_object'
      return names.filter((name) => name.endsWith(end)).map((name) => name.slice(0, -end.length))
    },
    uploads: () => readdir(uploadsFolder),
    begunUploads: async () => {
      const names = await readdir(uploadsFolder, { recursive: true })
      return names.filter((name) => /^\w+\/\d+$/.test(name))
    },
    end: () => rm(folder, { recursive: true, force: true }),
  }
}

/** s3rver answers when it has read a body. A real server answers when the object can be read. */
function answerWhenWritten(store: Store): void {
  const putObject = store.putObject.bind(store)
  const putPart = store.putPart.bind(store)
  store.putObject = async (object) => {
    const written = await putObject(object)
    await untilSized(store.getResourcePath(object.bucket, object.key, 'object'), written.size)
    return written
  }
  store.putPart = async (bucket, id, part, body) => {
    const written = await putPart(bucket, id, part, body)
    const folder = store.getResourcePath(bucket, undefined, 'uploads')
    await untilSized(join(folder, id, String(part)), written.size)
    return written
  }
}

/** s3rver names the next page by a cipher that Node has no more. */
function listInOnePage(store: Store): void {
  const listObjects = store.listObjects.bind(store)
  store.listObjects = (bucket, options) => listObjects(bucket, { ...options, maxKeys: Infinity })
}

async function untilSized(path: string, size: number): Promise<void> {
  while ((await stat(path).catch(() => undefined))?.size !== size) await sleep(1)
}

/** Answers a request for a part of an unknown or removed upload. s3rver would start a new upload. */
function answerUnknown(
  request: IncomingMessage,
  response: ServerResponse,
  folder: string,
): boolean {
  const id = new URL(request.url ?? '', 'http://localhost').searchParams.get('uploadId')
  if (request.method !== 'PUT' || id === null || existsSync(join(folder, id))) return false
  request.resume()
  response.writeHead(404, { 'content-type': 'application/xml' })
  response.end('<Error><Code>NoSuchUpload</Code></Error>')
  return true
}

/** Listing and aborting of uploads, which s3rver has not. */
function answerUploads(
  request: IncomingMessage,
  response: ServerResponse,
  folder: string,
): boolean {
  const url = new URL(request.url ?? '', 'http://localhost')
  const id = url.searchParams.get('uploadId')
  if (request.method === 'DELETE' && id !== null && /^\w+$/.test(id)) {
    request.resume()
    // Meanwhile, a part that is still arriving may add a file.
    void rm(join(folder, id), { recursive: true, force: true, maxRetries: 5 }).then(() => {
      response.writeHead(204).end()
    })
    return true
  }
  if (request.method === 'GET' && url.searchParams.has('uploads')) {
    const prefix = url.searchParams.get('prefix') ?? ''
    void uploadsIn(folder, prefix).then((uploads) => {
      const rows = uploads.map(
        ({ key, id }) => `<Upload><Key>${escapeXml(key)}</Key><UploadId>${id}</UploadId></Upload>`,
      )
      const list = `<ListMultipartUploadsResult>${rows.join('')}</ListMultipartUploadsResult>`
      response.writeHead(200, { 'content-type': 'application/xml' })
      response.end(`<?xml version="1.0" encoding="UTF-8"?>${list}`)
    })
    return true
  }
  return false
}

/** Uploads to objects whose keys begin so; s3rver keeps the key beside the parts. */
async function uploadsIn(folder: string, prefix: string) {
  const uploads: { readonly key: string; readonly id: string }[] = []
  for (const id of await readdir(folder)) {
    const key = await readFile(join(folder, id, 'key'), 'utf8').catch(() => undefined)
    if (key?.startsWith(prefix)) uploads.push({ key, id })
  }
  return uploads
}

/** Copying a range of an object into a part. */
function answerCopy(request: IncomingMessage, response: ServerResponse, store: Store): boolean {
  const url = new URL(request.url ?? '', 'http://localhost')
  const { searchParams } = url
  const source = request.headers['x-amz-copy-source']
  const id = searchParams.get('uploadId')
  const number = searchParams.get('partNumber')
  if (request.method !== 'PUT' || typeof source !== 'string' || id === null) return false
  const [bucket = '', ...key] = source.split('/').map(decodeURIComponent)
  const range = /^bytes=(\d+)-(\d+)$/.exec(String(request.headers['x-amz-copy-source-range']))
  const path = store.getResourcePath(bucket, key.join('/'), 'object')
  const bytes = createReadStream(path, { start: Number(range?.[1]), end: Number(range?.[2]) })
  request.resume()
  bytes.on('error', () => response.writeHead(404).end())
  store.putPart(bucket, id, String(number), bytes).then(
    ({ md5 }) => {
      response.writeHead(200, { 'content-type': 'application/xml' })
      response.end(`<CopyPartResult><ETag>&quot;${md5}&quot;</ETag></CopyPartResult>`)
    },
    () => response.writeHead(404).end(),
  )
  return true
}

/** S3 puts no parts below 5 MiB together, but for the last. */
function refuseSmallParts(store: Store): void {
  const putObjectMultipart = store.putObjectMultipart.bind(store)
  store.putObjectMultipart = async (bucket, id, parts) => {
    const folder = store.getResourcePath(bucket, undefined, 'uploads')
    for (const { number } of parts.slice(0, -1)) {
      const { size } = await stat(join(folder, id, String(number)))
      if (size < 5 << 20) throw new Error(`part ${number} is too small`)
    }
    return putObjectMultipart(bucket, id, parts)
  }
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`)
}
