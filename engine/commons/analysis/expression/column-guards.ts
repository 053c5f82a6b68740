import { isOpenFile, mayRead, NO_ACCESS, noPrincipal } from '../../../shared/access/access.ts'
import type { Authenticator } from '../../../shared/access/authenticator.ts'
import { type Guard, guardOf } from '../../../shared/access/guards.ts'
import type { Principal } from '../../../shared/access/principal.ts'
import type { Grants } from '../../../shared/audit/grants.ts'
import type { FileCatalogue } from '../../../shared/catalogue/files.ts'
import { EngineError } from '../../../shared/errors.ts'
import { Scratch } from '../../../shared/executor.ts'
import { Resolver } from '../../files/download/resolve.ts'
import { DescribedFiles } from '../../files/records/described-files.ts'
import { ProjectConsent } from '../../files/records/project-consent.ts'
import { arraysOf } from '../../release/arrays.ts'
import { columnKey } from '../../release/layout.ts'
import type { Release } from '../../release/release.ts'
import { projectsAt } from './case-rows.ts'
import type { ReleaseMatrix } from './matrices.ts'
import type { Matrix } from './open-matrix.ts'

interface GuardContext {
  readonly credentials: Authenticator
  /** Learns of the controlled columns that a caller may read. */
  readonly grants: Grants
  readonly files: FileCatalogue
}

type Guards = readonly Guard[]

/**
 * Decides who may read the expression values of a case (data-commons.md 11.1). Open columns are public. A
 * controlled column requires read access to the file from which its values were imported. If that file is not
 * controlled, it requires read access to the project of the case. A column is controlled if it was imported as
 * controlled, or if the release marks its file as controlled.
 */
export class ColumnGuards {
  readonly #context: GuardContext
  readonly #scratch = new Scratch()
  readonly #described = new DescribedFiles(this.#scratch)
  readonly #resolver: Resolver
  readonly #consent = new ProjectConsent()
  /** Access rules from the records of a release, per matrix. They do not change while the release is open. */
  readonly #known = new WeakMap<Matrix, Map<string, Guards>>()
  readonly #closed = new WeakMap<Matrix, Promise<ReadonlySet<number>>>()

  constructor(context: GuardContext) {
    this.#context = context
    this.#resolver = new Resolver(context.files.served, this.#scratch)
  }

  /**
   * Checks that the caller may read all of the columns. The controlled ones are noted as granted.
   * @throws EngineError unauthenticated without a valid token, forbidden with one that does not permit all of
   *   them
   */
  async requireAccess(
    columns: Uint32Array,
    token: string | undefined,
    served: ReleaseMatrix | undefined,
  ): Promise<void> {
    if (!served) return
    const { matrix, release } = served
    const all = await this.#closedOf(served)
    if (all.size === 0) return
    const closed = columns.filter((column) => all.has(column))
    if (closed.length === 0) return
    const isGiven = token !== undefined && token !== ''
    const principal = isGiven ? await this.#context.credentials.verify(token) : undefined
    if (principal?.admin) return this.#grant(closed, principal, served)
    const byFile = await this.#guardsOfFiles(fileIdsOf(closed, matrix), matrix, release)
    const guardsOfFile = (column: number) =>
      byFile.get(matrix.cases[column]?.fileId?.toLowerCase() ?? '') ?? []
    // Controlled values may be from an open file. Its record requires no access, so the project's rules
    // apply.
    const isLeft = (column: number) =>
      !matrix.cases[column]?.fileId || isOpenFile({ guards: guardsOfFile(column) })
    const byProject = await guardsOfCases(closed.filter(isLeft), served, this.#consent)
    const refused = closed.filter((column) => {
      const guards = byProject.get(column) ?? guardsOfFile(column)
      return !mayRead({ guards }, principal)
    })
    if (refused.length === 0) return this.#grant(closed, principal, served)
    const cases = refused.length === 1 ? '1 case' : `${refused.length} cases`
    if (!principal) {
      const { code, message } = noPrincipal(isGiven)
      if (isGiven) throw new EngineError(code, message)
      throw new EngineError(code, `${message}: expression of ${cases} is controlled`)
    }
    throw new EngineError(
      'forbidden',
      `${NO_ACCESS}: expression of ${cases} does not allow read access`,
    )
  }

  #grant(
    columns: Uint32Array,
    principal: Principal | undefined,
    { matrix, release }: ReleaseMatrix,
  ): void {
    const cases = Array.from(columns, (column) => matrix.cases[column]?.caseId ?? '')
    const files = [...fileIdsOf(columns, matrix)]
    this.#context.grants.add({ principal, cases, files, release: release.id })
  }

  #closedOf({ matrix, release }: ReleaseMatrix): Promise<ReadonlySet<number>> {
    const known = this.#closed.get(matrix)
    if (known) return known
    const issue = closedColumns(matrix, release)
    this.#closed.set(matrix, issue)
    // A failed lookup is not cached.
    issue.catch(() => this.#closed.delete(matrix))
    return issue
  }

  async #guardsOfFiles(
    ids: ReadonlySet<string>,
    matrix: Matrix,
    release: Release,
  ): Promise<ReadonlyMap<string, Guards>> {
    const known = this.#known.get(matrix) ?? new Map<string, Guards>()
    this.#known.set(matrix, known)
    const unknown = [...ids].filter((id) => !known.has(id))
    if (unknown.length === 0) return known
    const described = await this.#described.of(unknown, release)
    for (const [id, { guards }] of described) known.set(id, guards)
    const unspoken = unknown.filter((id) => !described.has(id))
    if (unspoken.length === 0) return known
    // Files without a record are looked up in the catalogue, which may change, so the result is not cached.
    const all = new Map(known)
    const files = await this.#resolver.files(unspoken, release)
    for (const id of unspoken) all.set(id, files.get(id)?.guards ?? [])
    return all
  }
}

/**
 * Returns the 0-based numbers of the columns that are not public: those imported as controlled, and those
 * whose file is controlled in the release. A column imported as open stays public if the release has no
 * record of its file.
 */
export async function closedColumns(
  { cases }: Matrix,
  release: Release,
): Promise<ReadonlySet<number>> {
  const closed = new Set<number>()
  const key = columnKey('files', 'access')
  const column = arraysOf(await release.load([key])).column('files', 'access')
  const open = column?.dictionary.find('open') ?? 0
  for (const [place, { access, fileId }] of cases.entries()) {
    if (access === 'open') {
      const row = fileId === null ? undefined : await release.find('files', fileId)
      // A file record without an access level counts as controlled.
      if (row === undefined || (open > 0 && column?.codes?.[row] === open)) continue
    }
    closed.add(place)
  }
  return closed
}

function fileIdsOf(columns: Uint32Array, { cases }: Matrix): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const column of columns) {
    const fileId = cases[column]?.fileId
    if (fileId) ids.add(fileId.toLowerCase())
  }
  return ids
}

/** Returns the access rules of columns without a controlled file, which are those of the case's project. */
async function guardsOfCases(
  columns: Uint32Array,
  { release, caseRows }: ReleaseMatrix,
  consentOfProjects: ProjectConsent,
): Promise<ReadonlyMap<number, Guards>> {
  if (columns.length === 0) return new Map()
  const rows = await caseRows()
  const projects = await projectsAt(
    Array.from(columns, (column) => rows[column] ?? -1),
    release,
  )
  const consent = await consentOfProjects.of(release)
  return new Map(
    Array.from(columns, (column, i) => {
      const id = projects[i]
      const named =
        id === undefined ? undefined : [{ id, accessions: [], consent: consent.get(id) ?? [] }]
      const guarded = { access: 'controlled', acl: undefined, consent: undefined, projects: named }
      return [column, [guardOf(guarded)]]
    }),
  )
}
