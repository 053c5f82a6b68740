import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engine } from '../../../engine/index.ts'
import type { ObjectStoreOptions } from '../../../engine/shared/blobs/object-client.ts'
import { type Executor, inlineExecutor } from '../../../engine/shared/index.ts'
import type { Database } from '../../../engine/shared/internal.ts'
import type { Submission } from '../../../engine/submission/index.ts'
import { type Config, readConfig } from '../../../server/config.ts'
import { type RunningServer, startServer } from '../../../server/main.ts'
import { startSqliteThread } from '../../../workers/sqlite-thread.ts'
import { keptLog } from '../../commons/contract/fake-engine.ts'
import { openEngine } from '../../places.ts'
import { applyChanges } from './apply-changes.ts'
import { AS_ADMIN } from './service.ts'

export const PROJECT = 'GDC-MISC'
const FILES = '/v0/submission/GDC/MISC/files'

export interface MadeFile {
  readonly name: string
  readonly bytes: Buffer
  /** The declared md5, if it is wrong. */
  readonly md5?: string
  readonly size?: number
  /** An id that an earlier version would have accepted from a client. */
  readonly id?: string
  readonly fileState?: string
}

interface Heard {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export const md5Of = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')

/** Bytes that differ by position. */
export function someBytes(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length)
  for (let i = 0, state = seed; i < length; i++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    bytes[i] = state >>> 16
  }
  return bytes
}

/** Registers the project of these tests as an operator would. */
export async function registerProject({ projects }: Pick<Submission, 'projects'>): Promise<void> {
  const json = (body: object) => ({
    ...AS_ADMIN,
    body: Buffer.from(JSON.stringify(body)),
    format: 'json' as const,
  })
  await projects.putProgram(json({ type: 'program', name: 'GDC', dbgap_accession_number: 'p' }))
  const project = json({ code: 'MISC', name: 'MISC', dbgap_accession_number: 'c' })
  await projects.putProject({ ...project, program: 'GDC' })
}

/** Creates a file entity directly, without parents. */
export async function addFile(
  database: Database,
  { name, bytes, md5 = md5Of(bytes), size = bytes.length, ...more }: MadeFile,
): Promise<string> {
  const { id = crypto.randomUUID(), fileState = 'registered' } = more
  const now = '2026-01-01T00:00:00.000Z'
  const entity = {
    id,
    projectId: PROJECT,
    type: 'submitted_unaligned_reads',
    submitterId: id,
    state: 'validated',
    fileState,
    errorType: null,
    createdAt: now,
    updatedAt: now,
    isCurrent: true,
    version: 1,
    supersedes: null,
    properties: { file_name: name, file_size: size, md5sum: md5, data_format: 'FASTQ' },
  }
  const position = -Math.floor(Math.random() * 1e9)
  await database.write((transaction) => applyChanges(transaction, position, { created: [entity] }))
  return id
}

export async function fileStateOf(database: Database, id: string) {
  const sql = `SELECT file_state AS "fileState", error_type AS "errorType", state
    FROM submission_entities WHERE id = ?`
  const row = await database.read((rows) =>
    rows.get<{ fileState: string; errorType: string | null; state: string }>(sql, [id]),
  )
  return row?.errorType ? `${row.fileState}: ${row.errorType}` : row?.fileState
}

interface FileServiceOptions {
  readonly objects: ObjectStoreOptions | undefined
  readonly boundedExecutor: Executor | undefined
  readonly stateUrl?: string | undefined
}

/** A server over a new data folder with one registered project. */
export class FileService {
  readonly folder: string
  lines: string[] = []
  admin = ''
  #options: FileServiceOptions
  #engine: Engine | undefined
  #server: RunningServer | undefined

  private constructor(folder: string, options: FileServiceOptions) {
    this.folder = folder
    this.#options = options
  }

  static async start(
    objects?: ObjectStoreOptions,
    boundedExecutor?: Executor,
    stateUrl?: string,
  ): Promise<FileService> {
    const folder = mkdtempSync(join(tmpdir(), 'casemill-submitted-files-'))
    const service = new FileService(folder, { objects, boundedExecutor, stateUrl })
    await service.up()
    await registerProject(service.engine.submission.transactions)
    service.admin = (
      await service.engine.shared.tokens.create({ user: 'admin', admin: true })
    ).secret
    return service
  }

  get engine(): Engine {
    if (!this.#engine) throw new Error('the service is down')
    return this.#engine
  }

  get address(): string {
    return this.#server?.address ?? ''
  }

  async up(flags: Partial<Config> = {}): Promise<void> {
    this.#engine = await openEngine({
      dataFolder: this.folder,
      executor: inlineExecutor,
      ...this.#options,
      startDatabaseThread: startSqliteThread,
    })
    await this.#engine.start()
    const config = { ...readConfig({ flags: { port: 0, drainSeconds: 0 } }), ...flags }
    const { lines, log } = keptLog(config)
    this.lines = lines
    const status = { commit: 'test', tag: '0.0.0' }
    this.#server = await startServer({ engine: this.#engine, config, status, log })
  }

  async down(): Promise<void> {
    await this.#server?.close()
    await this.#engine?.close()
    this.#engine = undefined
  }

  async close(): Promise<void> {
    await this.down()
    rmSync(this.folder, { recursive: true, force: true })
  }

  async token(...roles: readonly string[]): Promise<string> {
    const user = `user ${roles.join()}`
    const projects = [`${PROJECT}:${roles.join(',')}`]
    return (await this.engine.shared.tokens.create({ user, projects })).secret
  }

  add(file: MadeFile): Promise<string> {
    return addFile(this.engine.submission.database, file)
  }

  stateOf(id: string): Promise<string | undefined> {
    return fileStateOf(this.engine.submission.database, id)
  }

  /** Sends a request for a file; the path continues after its id. */
  file(
    method: string,
    id: string,
    tail = '',
    { body, token = this.admin, headers = {} }: Sent = {},
  ): Promise<Heard> {
    return this.ask(method, `${FILES}/${id}${tail}`, { body, token, headers })
  }

  async ask(
    method: string,
    path: string,
    { body, token = this.admin, headers = {} }: Sent = {},
  ): Promise<Heard> {
    const answer = await fetch(this.address + path, {
      method,
      headers: { ...(token === null ? {} : { 'X-Auth-Token': token }), ...headers },
      ...(body === undefined ? {} : { body, duplex: 'half' as const }),
    } as RequestInit)
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }

  async begin(id: string): Promise<string> {
    const { text } = await this.file('POST', id, '?uploads')
    return /<UploadId>([^<]*)/.exec(text)?.[1] ?? text
  }

  part(id: string, uploadId: string, number: number, body: Uint8Array): Promise<Heard> {
    return this.file('PUT', id, `?uploadId=${uploadId}&partNumber=${number}`, { body })
  }

  /** Completes an upload in parts with the listed parts. */
  async complete(id: string, uploadId: string): Promise<Heard> {
    const { text } = await this.file('GET', id, `?uploadId=${uploadId}`)
    const parts = [...text.matchAll(/<Part>.*?<PartNumber>(\d+).*?<ETag>(.*?)<\/ETag>/gs)]
    const body = partList(parts.map(([, number, etag]) => [Number(number), etag ?? '']))
    return this.file('POST', id, `?uploadId=${uploadId}`, { body })
  }

  /** Names in the folder of unverified uploads. */
  unchecked(): readonly string[] {
    const uploads = join(this.folder, 'uploads')
    if (!existsSync(uploads)) return []
    const names = readdirSync(uploads, { recursive: true }).map(String)
    return names.filter((name) => name !== 'place')
  }

  /** Names of everything stored for a file in the folder. */
  kept(id: string): readonly string[] {
    const folder = join(this.folder, 'files', id)
    return existsSync(folder) ? readdirSync(folder) : []
  }

  /** Names of a file's stored bytes, in folder or bucket. */
  async stored(id: string): Promise<readonly string[]> {
    const names: string[] = []
    for await (const key of this.engine.shared.blobs.writing.keys()) {
      if (key.id === id) names.push(key.name)
    }
    return names
  }

  /** Names of unverified bytes, in folder or bucket. */
  async uploaded(): Promise<readonly string[]> {
    const { state, objects } = this.engine.shared
    if (state.dialect === 'sqlite' || !objects) return this.unchecked()
    const keys: string[] = []
    for await (const { key } of objects.folder('uploads').list()) keys.push(key)
    return keys
  }
}

interface Sent {
  readonly body?: Uint8Array | string | ReadableStream<Uint8Array> | undefined
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

export function partList(parts: readonly (readonly [number: number, etag: string])[]): string {
  const list = parts.map(
    ([number, etag]) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`,
  )
  return `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`
}
