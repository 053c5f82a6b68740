import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Engine, type EngineOptions, openEngine } from '../../../../engine/index.ts'
import { type Executor, inlineExecutor } from '../../../../engine/shared/index.ts'
import { readDictionaryJob } from '../../../../engine/submission/dictionary/read-files.ts'
import type { App } from '../../../../server/http/compose.ts'
import { appOf } from '../../../commons/search/support/app.ts'
import { AS_ADMIN } from '../../support/service.ts'
import { type GivenDocument, json } from './documents.ts'

interface Answered {
  readonly success: boolean
  readonly entities: readonly { readonly id: string; readonly errors: readonly unknown[] }[]
}

/** The dictionary's files, shared by all worlds because reading them takes half a second. */
const read = new Map<string, Promise<unknown>>()
const EXECUTOR: Executor = {
  parallelism: inlineExecutor.parallelism,
  run(job, input, options) {
    if (job.name !== readDictionaryJob.name) return inlineExecutor.run(job, input, options)
    const folder = String(input)
    const known = read.get(folder) ?? inlineExecutor.run(job, input, options)
    read.set(folder, known)
    return known as ReturnType<typeof inlineExecutor.run<typeof input, never>>
  },
}

/** A data folder with projects for submission. */
export class ReleasingWorld {
  readonly folder: string
  readonly engine: Engine
  readonly app: App

  private constructor(folder: string, engine: Engine) {
    this.folder = folder
    this.engine = engine
    this.app = appOf(engine)
  }

  static async open(
    options: Partial<EngineOptions> = {},
    folder?: string,
  ): Promise<ReleasingWorld> {
    const dataFolder = folder ?? (await mkdtemp(join(tmpdir(), 'casemill-releasing-')))
    const engine = await openEngine({ dataFolder, executor: EXECUTOR, ...options })
    await engine.start()
    return new ReleasingWorld(dataFolder, engine)
  }

  async close({ keep = false } = {}): Promise<void> {
    await this.engine.close()
    if (!keep) await rm(this.folder, { recursive: true, force: true })
  }

  /** Registers a project and its program. */
  async register(projectId: string, more: object = {}): Promise<void> {
    const { program, project: code } = at(projectId)
    const { projects } = this.engine.submission.transactions
    const body = { type: 'program', name: program, dbgap_accession_number: 'phs000001' }
    await projects.putProgram({ ...AS_ADMIN, ...json(body) })
    const { status } = await projects.putProject({
      ...AS_ADMIN,
      program,
      ...json({ code, name: `Study ${code}`, dbgap_accession_number: 'phs000002', ...more }),
    })
    expect(status).toBe(200)
  }

  /** Submits documents, each of which must be valid, and returns their ids by submitter_id. */
  async submit(
    projectId: string,
    documents: readonly GivenDocument[],
    operation: 'create' | 'put' = 'create',
  ): Promise<Map<string, string>> {
    const { body } = await this.engine.submission.transactions.upload({
      ...AS_ADMIN,
      ...at(projectId),
      operation,
      ...json(documents),
    })
    const { success, entities } = body as Answered
    expect(entities.flatMap(({ errors }) => errors)).toEqual([])
    expect(success).toBe(true)
    return new Map(documents.map((one, i) => [one.submitter_id, entities[i]?.id ?? '']))
  }

  /** Stores the bytes of a submitted file as a verified upload does. */
  async deliver(id: string, projectId: string, name: string, bytes: Uint8Array): Promise<void> {
    const { engine, folder } = this
    const part = join(folder, `${id}.part`)
    await writeFile(part, bytes)
    await engine.shared.files.owners.claim([{ id, md5: md5Of(bytes) }], projectId)
    await engine.shared.blobs.writing.take({ id, name }, part)
    await engine.shared.files.add({
      id,
      fileName: name,
      size: bytes.length,
      md5: md5Of(bytes),
      dataFormat: null,
      access: 'controlled',
      acl: [projectId],
      partOf: null,
      indexName: null,
      storage: engine.shared.blobs.writing.kind,
      linkedModified: null,
      createdAt: '2026-01-01T00:00:00.000Z',
    })
    await this.set(id, { file_state: 'validated' })
  }

  /** Changes an entity directly in the database. */
  async set(id: string, values: Readonly<Record<string, string>>): Promise<void> {
    const names = Object.keys(values).map((name) => `${name} = ?`)
    const sql = `UPDATE submission_entities SET ${names.join(', ')} WHERE id = ?`
    await this.engine.submission.database.write((transaction) =>
      transaction.run(sql, [...Object.values(values), id]),
    )
  }

  /** Hands over all submitted entities, and marks the project as released. */
  async handOver(projectId: string): Promise<void> {
    for (const action of ['review', 'submit', 'release'] as const) {
      const { body } = await this.engine.submission.transactions.act({
        ...AS_ADMIN,
        ...at(projectId),
        action,
      })
      expect(body).toMatchObject({ success: true })
    }
  }

  /** The states of a project's stored entities by submitter_id. */
  async states(projectId: string): Promise<Map<string, string>> {
    const sql = `SELECT submitter_id AS name, id, state, file_state AS file FROM submission_entities
      WHERE project_id = ? ORDER BY transaction_id, position`
    const rows = await this.engine.submission.database.read((each) =>
      each.all<{ name: string; id: string; state: string; file: string | null }>(sql, [projectId]),
    )
    return new Map(
      rows.map(({ name, id, state, file }) => [`${name} ${id}`, file ? `${state} ${file}` : state]),
    )
  }

  async project(projectId: string) {
    const sql = 'SELECT state, releasable, released FROM submission_projects WHERE project_id = ?'
    return this.engine.submission.database.read((rows) => rows.get(sql, [projectId]))
  }

  /** Returns the service's JSON answer once it serves the current release. */
  async get<Body = never>(path: string): Promise<Body> {
    const answer = await this.ask(path)
    expect([path, answer.status]).toEqual([path, 200])
    return (await answer.json()) as Body
  }

  async ask(path: string, init?: RequestInit): Promise<Response> {
    const current = await this.engine.commons.releases.current()
    await expect.poll(() => this.engine.commons.releaseFacts()?.id).toBe(current)
    return this.app.request(path, init)
  }

  async status(path: string): Promise<number> {
    const answer = await this.ask(path)
    await answer.arrayBuffer()
    return answer.status
  }

  async hits<Hit>(path: string): Promise<readonly Hit[]> {
    return (await this.get<{ data: { hits: readonly Hit[] } }>(path)).data.hits
  }
}

export const md5Of = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')

function at(projectId: string) {
  const [program = ''] = projectId.split('-', 1)
  const project = projectId.slice(program.length + 1)
  return { program, project, path: `/submission/${program}/${project}` }
}
