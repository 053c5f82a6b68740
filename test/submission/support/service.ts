import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Principal } from '../../../engine/shared/access/principal.ts'
import type { Database } from '../../../engine/shared/database/database.ts'
import {
  type DatabasePlace,
  databasePath,
  openDatabase,
} from '../../../engine/shared/database/open.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import {
  type Dictionary,
  OWN_DICTIONARY,
} from '../../../engine/submission/dictionary/dictionary.ts'
import { LoadedDictionary } from '../../../engine/submission/dictionary/loaded-dictionary.ts'
import type {
  EntityResult,
  TransactionalError,
} from '../../../engine/submission/transactions/entity-result.ts'
import type { Edge, StoredEntity } from '../../../engine/submission/transactions/graph.ts'
import { SUBMISSION_TABLES } from '../../../engine/submission/transactions/store/tables.ts'
import {
  Submission,
  type SubmissionOptions,
} from '../../../engine/submission/transactions/submission.ts'
import { startSqliteThread } from '../../../workers/sqlite-thread.ts'
import { placesOf } from '../../places.ts'
import { applyChanges } from './apply-changes.ts'

export interface UploadBody {
  readonly cases_related_to_created_entities_count: number
  readonly cases_related_to_updated_entities_count: number
  readonly code: number
  readonly created_entity_count: number
  readonly deleted_entity_count?: number
  readonly dependent_ids?: string
  readonly entities: readonly EntityResult[]
  readonly entity_error_count: number
  readonly message: string
  readonly success: boolean
  readonly transaction_id: number
  readonly transactional_error_count: number
  readonly transactional_errors: readonly TransactionalError[]
  readonly updated_entity_count: number
}

export const ADMIN: Principal = { user: 'admin', admin: true, projects: new Map() }
export const AS_ADMIN = { principal: ADMIN, tokenGiven: true }

/** Referenced tables come last. */
const TABLES = [
  ...[
    'snapshots',
    'documents',
    'transactions',
    'links',
    'entities',
    'subjects',
    'references',
    'projects',
    'programs',
    'servers',
  ],
]

/** The dictionary is shared by all tests, because reading it takes half a second. */
const DICTIONARY = new LoadedDictionary(inlineExecutor, OWN_DICTIONARY)

/** A service over a new database. */
export class MadeSubmission {
  readonly database: Database
  readonly submission: Submission
  readonly faults: unknown[] = []
  /** The path of the database. */
  readonly path: string
  readonly folder: string
  #seeded = 0

  private constructor(folder: string, database: Database, options: Partial<SubmissionOptions>) {
    this.folder = folder
    this.path = databasePath(folder)
    this.database = database
    const onError = (error: unknown) => void this.faults.push(error)
    this.submission = new Submission({ database, dictionary: DICTIONARY, onError, ...options })
  }

  /** @param elsewhere a database to use instead of a new one in a folder */
  static async open(
    options: Partial<SubmissionOptions> = {},
    elsewhere?: DatabasePlace,
  ): Promise<MadeSubmission> {
    const folder = mkdtempSync(join(tmpdir(), 'casemill-submission-'))
    const embedded = { path: databasePath(folder), startThread: startSqliteThread }
    const { stateUrl: url } = await placesOf(folder)
    const place = elsewhere ?? (url === undefined ? embedded : { url })
    const database = await openDatabase(place, [SUBMISSION_TABLES])
    return new MadeSubmission(folder, database, options)
  }

  static dictionary(): Promise<Dictionary> {
    return DICTIONARY.current()
  }

  async close(): Promise<void> {
    await this.submission.close()
    await this.database.close()
    rmSync(this.folder, { recursive: true })
  }

  /** Deletes everything. */
  async reset(): Promise<void> {
    await this.database.write(async (transaction) => {
      for (const table of TABLES) await transaction.run(`DELETE FROM submission_${table}`)
    })
  }

  /** Registers a project and its program from a name such as `PROGRAM-CODE`. */
  async register(projectId: string): Promise<void> {
    const [program = ''] = projectId.split('-', 1)
    const { projects } = this.submission
    const json = (body: object) => ({
      ...AS_ADMIN,
      body: Buffer.from(JSON.stringify(body)),
      format: 'json' as const,
    })
    await projects.putProgram(
      json({ type: 'program', name: program, dbgap_accession_number: program }),
    )
    const code = projectId.slice(program.length + 1)
    await projects.putProject({
      ...json({ code, name: code, dbgap_accession_number: code }),
      program,
    })
  }

  /** Creates entities directly, without required properties. */
  async seed(projectId: string, ...all: readonly Seed[]): Promise<void> {
    const created = all.map(({ type, name, id, isFile, ...others }): StoredEntity => {
      const now = '2026-01-01T00:00:00.000Z'
      return {
        id: id ?? idOf(name),
        projectId,
        type,
        submitterId: name,
        state: others.state ?? 'validated',
        fileState: isFile ? (others.fileState ?? 'registered') : null,
        errorType: null,
        properties: others.properties ?? {},
        createdAt: now,
        updatedAt: now,
        isCurrent: true,
        version: 1,
        supersedes: null,
      }
    })
    const linked = all.flatMap(({ name, id, links = {} }) =>
      Object.entries(links).flatMap(([link, parents]): Edge[] =>
        [parents].flat().map((parent) => ({ child: id ?? idOf(name), link, parent: idOf(parent) })),
      ),
    )
    await this.database.write((transaction) =>
      applyChanges(transaction, --this.#seeded, { created, linked }),
    )
  }

  async upload(
    operation: 'create' | 'put' | 'patch',
    projectId: string,
    body: unknown,
    { isDryRun = false, format = 'json' }: { isDryRun?: boolean; format?: 'json' | 'tsv' } = {},
  ) {
    const { status, body: answer } = await this.submission.upload({
      ...this.at(projectId),
      operation,
      isDryRun,
      format,
      body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    })
    return { status, ...(answer as UploadBody) }
  }

  async delete(projectId: string, ids: readonly string[], isDryRun = false) {
    const request = { ...this.at(projectId), ids, isDryRun }
    const { status, body } = await this.submission.delete(request)
    return { status, ...(body as UploadBody) }
  }

  async commit(projectId: string, transactionId: number) {
    const { status, body } = await this.submission.commit({ ...this.at(projectId), transactionId })
    return { status, ...(body as UploadBody) }
  }

  at(projectId: string) {
    const [program = ''] = projectId.split('-', 1)
    const project = projectId.slice(program.length + 1)
    return { ...AS_ADMIN, program, project, path: `/submission/${program}/${project}` }
  }
}

export interface Seed {
  readonly type: string
  /** The submitter_id, from which the id follows if none is given. */
  readonly name: string
  readonly id?: string
  readonly isFile?: boolean
  readonly state?: string
  readonly fileState?: string
  readonly properties?: Readonly<Record<string, unknown>>
  /** Names of parents by link. */
  readonly links?: Readonly<Record<string, string | readonly string[]>>
}

const ids = new Map<string, string>()

/** An id that depends only on the name. */
export function idOf(name: string): string {
  const known = ids.get(name)
  if (known) return known
  const id = /^[0-9a-f-]{36}$/.test(name) ? name : crypto.randomUUID()
  ids.set(name, id)
  return id
}
