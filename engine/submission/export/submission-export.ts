import type { AuditRecord } from '../../shared/audit/audit-record.ts'
import type { Grants } from '../../shared/audit/grants.ts'
import { Gate } from '../../shared/concurrency/gate.ts'
import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { Database, Rows } from '../../shared/database/database.ts'
import type { DiskSpace } from '../../shared/disk-space.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Dictionary } from '../dictionary/dictionary.ts'
import type { LoadedDictionary } from '../dictionary/loaded-dictionary.ts'
import type { RegisteredProject } from '../transactions/graph.ts'
import { projectNamed, requirePrincipal, requireRoles } from '../transactions/permissions.ts'
import { type Chosen, chooseById } from './chosen-entities.ts'
import { type ExportRequest, ExportWriter, type SubmittedExport } from './export-writer.ts'
import { idsOfType, mostParentsOfType } from './rows.ts'
import { Spool } from './spool.ts'

/** Maximum number of concurrent exports. Each occupies one of the eight read transactions of the database. */
const AT_ONCE = 4
const MAX_WAITING = 64

/** Exports entities of a project as documents and tables that can be submitted again (submission.md 12). */
export class SubmissionExport {
  readonly #database: Database
  readonly #turns: LoopTurns
  readonly #dictionary: Pick<LoadedDictionary, 'current'>
  readonly #folder: string
  readonly #audit: Pick<AuditRecord, 'list'> | undefined
  readonly #grants: Pick<Grants, 'add'>
  readonly #space: Pick<DiskSpace, 'guard'>
  readonly #gate = new Gate(AT_ONCE, MAX_WAITING, 'too many exports are waiting; try again later')

  constructor(options: {
    readonly database: Database
    readonly dictionary: Pick<LoadedDictionary, 'current'>
    /** Folder for the temporary files of exports. */
    readonly temporaryFolder: string
    /** The record, if one is kept. */
    readonly audit: Pick<AuditRecord, 'list'> | undefined
    readonly grants: Pick<Grants, 'add'>
    /** Disk of `temporaryFolder`. Writing stops before its reserved space is used. */
    readonly space: Pick<DiskSpace, 'guard'>
    /** Yields to the event loop. By default the export has its own. */
    readonly turns?: LoopTurns | undefined
  }) {
    this.#database = options.database
    this.#dictionary = options.dictionary
    this.#folder = options.temporaryFolder
    this.#audit = options.audit
    this.#grants = options.grants
    this.#space = options.space
    this.#turns = options.turns ?? new LoopTurns()
  }

  /**
   * Writes an export of one database snapshot to a temporary file, and returns its bytes as a stream.
   * @throws EngineError `not_found`, `unauthenticated`, `forbidden`, `bad_input`, `too_many`, `busy`,
   *   `unavailable`
   */
  async export(
    request: ExportRequest,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<SubmittedExport> {
    const asked = await this.#database.read((rows) => projectNamed(rows, request))
    requireRoles(requirePrincipal(request), asked, ['read'], 'read')
    const dictionary = await this.#dictionary.current()
    const leave = await this.#gate.enter(signal)
    try {
      return await this.#space.guard(signal, (stop) =>
        this.#database.read((rows) => this.#written(rows, request, { dictionary, signal: stop }), {
          signal: stop,
        }),
      )
    } finally {
      leave()
    }
  }

  async #written(
    rows: Rows,
    request: ExportRequest,
    run: { readonly dictionary: Dictionary; readonly signal: AbortSignal },
  ): Promise<SubmittedExport> {
    const project = await projectNamed(rows, request)
    const chosen = await choose(rows, project, request, run.dictionary)
    const spool = await Spool.open(this.#folder)
    const list = this.#audit?.list()
    try {
      const context = { ...run, request, spool, turns: this.#turns, list }
      const written = await new ExportWriter(rows, project, context).write(chosen)
      const recorded = await list?.finish()
      this.#grants.add({ principal: request.principal, entities: () => recorded ?? [] })
      return written
    } catch (error) {
      await list?.drop()
      await spool.close()
      throw error
    }
  }
}

async function choose(
  rows: Rows,
  { projectId }: RegisteredProject,
  request: ExportRequest,
  { types }: Dictionary,
): Promise<readonly Chosen[]> {
  const { ids, nodeLabel } = request
  if (ids.length > 0) return chooseById(rows, projectId, request, types)
  if (nodeLabel === undefined) {
    throw new EngineError('bad_input', 'expected either `ids` or `node_label` parameter')
  }
  const type = types.get(nodeLabel)
  if (!type?.properties.has('project_id')) {
    throw new EngineError('not_found', `Unable to find ${nodeLabel}`)
  }
  return [
    {
      type,
      ids: idsOfType(rows, projectId, nodeLabel),
      most: () => mostParentsOfType(rows, projectId, nodeLabel),
    },
  ]
}
