import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { XMLParser } from 'fast-xml-parser'
import { parse } from 'yaml'
import { post, request, textOf } from './python-request.ts'
import { type FileUpload, PART_BYTES, type UploadClient } from './upload-client.ts'

// The requests with which gdc-client 2.x uploads a file, in its order and with its headers and bodies, and what
// it needs from the answers (submission.md 14). It was written for this test from the client's behaviour. The
// client tries most requests up to ten times; here the first failure ends the upload.

const PAGE_BYTES = 4096
/** The part size, rounded as the client does. */
const STEP = (Math.floor(PART_BYTES / PAGE_BYTES) + 1) * PAGE_BYTES
const AT_ONCE = 3

interface ListedFile {
  readonly id: string
  readonly project_id?: string | undefined
  readonly file_name?: string
  readonly local_file_path?: string
}

interface FileFacts {
  readonly project_id: string
  readonly file_name: string
}

interface Part {
  readonly PartNumber: string
  readonly ETag: string
}

export const replayedUploader: UploadClient = {
  name: 'its requests, replayed',
  async upload(what) {
    const said: string[] = []
    try {
      for (const file of await listed(what)) said.push(await new Replay(what, file).run())
    } catch (error) {
      said.push(String(error))
    }
    return said.join('\n')
  },
}

async function listed({ manifest, id, projectId }: FileUpload): Promise<readonly ListedFile[]> {
  if (manifest === undefined) return [{ id: id ?? '', project_id: projectId }]
  const { files }: { files: ListedFile[] } = parse(await readFile(manifest, 'utf8'))
  return files
}

class Replay {
  readonly #what: FileUpload
  readonly #file: ListedFile
  #facts: FileFacts | undefined

  constructor(what: FileUpload, file: ListedFile) {
    this.#what = what
    this.#file = file
  }

  async run(): Promise<string> {
    const { folder, request, isSimple, uploadId } = this.#what
    const { id } = this.#file
    const projectId = this.#file.project_id ?? (await this.#asked()).project_id
    const hyphen = projectId.indexOf('-')
    const [program, code] = [projectId.slice(0, hyphen), projectId.slice(hyphen + 1)]
    const path = `v0/submission/${program.toUpperCase()}/${code.toUpperCase()}/files/${id}`
    if (request === 'delete') {
      const { status, text } = await this.#send('DELETE', path)
      return status === 204 ? `Delete file ${id}` : `Fail to delete file ${id}: ${text}`
    }
    const name = this.#file.file_name ?? (await this.#asked()).file_name
    const bytes = await readFile(join(folder, name))
    if (request === 'abort') {
      const { status, text } = await this.#send('DELETE', `${path}?uploadId=${uploadId}`)
      if (status !== 204 && status !== 404) throw new Error(`Fail to abort: ${text}`)
      return `Abort multipart upload ${uploadId}`
    }
    return isSimple || bytes.length < STEP ? this.#simple(path, bytes) : this.#parts(path, bytes)
  }

  /** The client's graph query for a file of which it knows only the id. */
  async #asked() {
    if (this.#facts) return this.#facts
    const { id } = this.#file
    const [node] = await this.#query<{ readonly type: string }>('node', id, 'type')
    if (!node) throw new Error(`File with id ${id} not found`)
    const wanted = 'project_id file_name'
    const [facts] = await this.#query<FileFacts>(node.type, id, wanted)
    if (!facts) throw new Error(`File with id ${id} not found`)
    this.#facts = facts
    return facts
  }

  async #query<Node>(type: string, id: string, fields: string): Promise<readonly Node[]> {
    const { server, token } = this.#what
    const query = `query Files { ${type} (id: "${id}") { ${fields} } }`
    const answer = await post(`${server}/v0/submission/graphql`, { query }, { token })
    const text = await textOf(answer)
    if (answer.status !== 200) throw new Error(text)
    const result: { errors?: string[]; data: Record<string, Node[]> } = JSON.parse(text)
    if ('errors' in result) throw new Error(`Fail to query: ${result.errors?.join(', ')}`)
    return result.data[type] ?? []
  }

  async #simple(path: string, bytes: Buffer): Promise<string> {
    const dry = await this.#send('PUT', `${path}/_dry_run`)
    if (dry.status !== 200) return `Can't upload: ${dry.text}`
    const { status, text } = await this.#send('PUT', path, bytes)
    if (status !== 200) return `Upload failed ${text}`
    return `Upload finished for file ${this.#file.id}`
  }

  async #parts(path: string, bytes: Buffer): Promise<string> {
    const uploadId = this.#what.uploadId ?? (await this.#initiate(path))
    const url = `${path}?uploadId=${uploadId}`
    const there = new Set((await this.#list(url)).map(({ PartNumber }) => Number(PartNumber)))
    const count = Math.ceil(bytes.length / STEP)
    const missing = Array.from({ length: count }, (_, i) => i + 1).filter((n) => !there.has(n))
    const left = missing.values()
    const work = async () => {
      for (const number of left) {
        const part = bytes.subarray((number - 1) * STEP, number * STEP)
        const { status, text } = await this.#send('PUT', `${url}&partNumber=${number}`, part)
        if (status !== 200) throw new Error(`Part: ${number} failed: ${text}`)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    await this.#list(url)
    const parts = (await this.#list(url)).map(
      (part) => `<Part><PartNumber>${part.PartNumber}</PartNumber><ETag>${part.ETag}</ETag></Part>`,
    )
    const list = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
    const { status, text } = await this.#send('POST', url, Buffer.from(list))
    if (status !== 200) throw new Error(`Multipart upload complete failed: ${text}`)
    return `Multipart upload finished for file ${this.#file.id}`
  }

  async #initiate(path: string): Promise<string> {
    const { status, text } = await this.#send('POST', `${path}?uploads`)
    if (status !== 200) throw new Error(`Fail to initiate multipart upload: ${text}`)
    return readRoot(text, 'InitiateMultipartUploadResult').UploadId ?? ''
  }

  async #list(url: string): Promise<readonly Part[]> {
    const { status, text } = await this.#send('GET', url)
    if (status !== 200) throw new Error(text)
    return readRoot(text, 'ListPartsResult').Part ?? []
  }

  async #send(method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: Buffer) {
    const { server, token } = this.#what
    const answer = await request(method, `${server}/${path}`, { token, body })
    return { status: answer.status, text: await textOf(answer) }
  }
}

interface Root {
  readonly xmlns?: string
  readonly UploadId?: string
  readonly Part?: readonly Part[]
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  isArray: (name) => name === 'Part',
})

/** Reads the members of a root by its default namespace as the client does, which fails without one. */
function readRoot(text: string, name: string): Root {
  const root: Root | undefined = parser.parse(text, true)[name]
  if (!root?.xmlns) throw new Error(`no ${name} with a default namespace: ${text}`)
  return root
}
