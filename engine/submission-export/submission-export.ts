import { createHash } from 'node:crypto'
import type { Database, Rows } from '../database/database.ts'
import type { Dictionary } from '../dictionary/dictionary.ts'
import type { LoadedDictionary } from '../dictionary/loaded-dictionary.ts'
import { layoutOf } from '../dictionary/templates.ts'
import { gzipped } from '../download/gzip.ts'
import { END_BYTES, padded, tarHeader } from '../download/tar-header.ts'
import { EngineError } from '../errors.ts'
import { Gate } from '../gate.ts'
import { inSlices } from '../in-slices.ts'
import type { RegisteredProject } from '../submission/graph.ts'
import {
  projectNamed,
  requirePrincipal,
  requireRoles,
  type SubmissionCaller,
} from '../submission/permissions.ts'
import { writeExactJson } from '../submission/store/exact-json.ts'
import { type Choice, type Chosen, chooseById } from './chosen-entities.ts'
import { exportedDocument } from './document.ts'
import type { ExportedEntity, ExportFormat, ExportLayout } from './exported.ts'
import { exportedEntities, idsOfType, mostParentsOfType } from './rows.ts'
import { Spool } from './spool.ts'
import { ExportTable } from './table.ts'

/** Each holds a snapshot of the database while it is made, of which there are eight. */
const AT_ONCE = 4
const MOST_WAITING = 64
/** Entities that are in memory at a time. */
const PAGE = 500
/** Equal exports are equal bytes. */
const MODIFIED = new Date(0)

const SEPARATORS = Object.freeze({ tsv: '\t', csv: ',' })

export interface ExportRequest extends SubmissionCaller, Choice {
  readonly program: string
  readonly project: string
  /** All entities of this type, where no ids are given. */
  readonly nodeLabel: string | undefined
  readonly format: ExportFormat
  /** Whether ids are left out, so that the entities can be created elsewhere. */
  readonly withoutIds: boolean
}

/** An export that is ready to be sent. */
export interface SubmittedExport {
  readonly fileName: string
  readonly kind: ExportFormat | 'tar.gz'
  /** Bytes, where that is known. */
  readonly length: number | undefined
  readonly body: AsyncIterable<Uint8Array>
  readonly close: () => Promise<void>
}

/** Entities of a project as documents and tables that can be submitted again (submission 12). */
export class SubmissionExport {
  readonly #database: Database
  readonly #dictionary: Pick<LoadedDictionary, 'current'>
  readonly #folder: string
  readonly #gate = new Gate(AT_ONCE, MOST_WAITING, 'too many exports are waiting; try again later')

  constructor(options: {
    readonly database: Database
    readonly dictionary: Pick<LoadedDictionary, 'current'>
    /** Holds what is exported until it is sent. */
    readonly temporaryFolder: string
  }) {
    this.#database = options.database
    this.#dictionary = options.dictionary
    this.#folder = options.temporaryFolder
  }

  /**
   * Writes what is asked for to a file without a name, as of one moment, and gives its bytes.
   * @throws EngineError `not_found`, `unauthenticated`, `forbidden`, `bad_input`, `too_many`, `busy`,
   *   `unavailable`
   */
  async export(
    request: ExportRequest,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<SubmittedExport> {
    const { program, project: code } = request
    const asked = await this.#database.read((rows) => projectNamed(rows, program, code))
    requireRoles(requirePrincipal(request), asked, ['read'], 'read')
    const dictionary = await this.#dictionary.current()
    const leave = await this.#gate.enter(signal)
    try {
      return await this.#database.read(
        async (rows) => {
          const project = await projectNamed(rows, program, code)
          const chosen = await choose(rows, project, request, dictionary)
          const spool = await Spool.open(this.#folder)
          try {
            const writer = new Writer(rows, project, { dictionary, request, spool, signal })
            return await writer.write(chosen)
          } catch (error) {
            await spool.close()
            throw error
          }
        },
        { ...(signal && { signal }) },
      )
    } finally {
      leave()
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

/** Where the entities of a type lie in the spool. */
interface Part {
  readonly name: string
  readonly start: number
  readonly end: number
}

interface WriterContext {
  readonly dictionary: Dictionary
  readonly request: ExportRequest
  readonly spool: Spool
  readonly signal: AbortSignal | undefined
}

/** Writes one export. */
class Writer {
  readonly #rows: Rows
  readonly #project: RegisteredProject
  readonly #context: WriterContext

  constructor(rows: Rows, project: RegisteredProject, context: WriterContext) {
    this.#rows = rows
    this.#project = project
    this.#context = context
  }

  async write(chosen: readonly Chosen[]): Promise<SubmittedExport> {
    const { request, spool } = this.#context
    const { format } = request
    if (format === 'json') {
      await this.#writeDocuments(chosen)
      return {
        fileName: nameOf(request, chosen, 'json'),
        kind: format,
        ...whole(spool, await spool.flush()),
      }
    }
    const parts: Part[] = []
    for (const one of chosen) parts.push(await this.#writeTable(one, SEPARATORS[format]))
    const [only, ...others] = parts
    if (only && others.length === 0) {
      return { fileName: only.name, kind: format, ...whole(spool, only.end) }
    }
    const archive = gzipped({ body: tarOf(spool, parts), close: () => spool.close() })
    return {
      fileName: nameOf(request, chosen, 'tar.gz'),
      kind: 'tar.gz',
      length: undefined,
      ...archive,
    }
  }

  /** `{"data": [...]}` of a type that was asked for as a whole, else a list for each type. */
  async #writeDocuments(chosen: readonly Chosen[]): Promise<void> {
    const { spool, request } = this.#context
    let before = '{'
    for (const one of chosen) {
      const layout = this.#layout(one)
      const key = request.ids.length > 0 ? one.type.name : 'data'
      await spool.write(`${before}${JSON.stringify(key)}:[`)
      let separator = ''
      await this.#each(one, (entity) => {
        const text = `${separator}${writeExactJson(exportedDocument(entity, layout))}`
        separator = ',\n'
        return text
      })
      await spool.write(']')
      before = ','
    }
    await spool.write('}')
  }

  async #writeTable(one: Chosen, separator: string): Promise<Part> {
    const { spool, request } = this.#context
    const start = await spool.flush()
    const most = await one.most()
    const table = new ExportTable(one.type, this.#layout(one), { most, separator })
    await spool.write(table.header())
    await this.#each(one, (entity) => table.row(entity))
    return { name: `${one.type.name}.${request.format}`, start, end: await spool.flush() }
  }

  #layout({ type }: Chosen): ExportLayout {
    const { dictionary, request } = this.#context
    const columns = layoutOf(dictionary, type)
    return { type: type.name, columns, hasIds: !request.withoutIds }
  }

  async #each({ ids }: Chosen, textOf: (entity: ExportedEntity) => string): Promise<void> {
    const { spool, signal } = this.#context
    for await (const page of pagesOf(ids)) {
      signal?.throwIfAborted()
      const entities = await exportedEntities(this.#rows, this.#project, page)
      await spool.write(await inSlices(joined(entities, textOf)))
    }
  }
}

function* joined(
  entities: readonly ExportedEntity[],
  textOf: (entity: ExportedEntity) => string,
): Generator<void, string> {
  let text = ''
  for (const entity of entities) {
    text += textOf(entity)
    yield
  }
  return text
}

async function* pagesOf(
  ids: Iterable<string> | AsyncIterable<string>,
): AsyncIterable<readonly string[]> {
  let page: string[] = []
  for await (const id of ids) {
    if (page.push(id) < PAGE) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

const whole = (spool: Spool, length: number) => ({
  length,
  body: spool.read(0, length),
  close: () => spool.close(),
})

async function* tarOf(spool: Spool, parts: readonly Part[]): AsyncGenerator<Uint8Array> {
  for (const { name, start, end } of parts) {
    const size = end - start
    yield await tarHeader({ path: name, size }, MODIFIED)
    yield* spool.read(start, end)
    yield new Uint8Array(padded(size) - size)
  }
  yield new Uint8Array(END_BYTES)
}

/** Of one type the type, of several what tells this request from others (submission 12). */
function nameOf(
  { ids, withChildren, categories }: Choice,
  chosen: readonly Chosen[],
  ending: string,
): string {
  const [only, ...others] = chosen
  if (only && others.length === 0) return `${only.type.name}.${ending}`
  const asked = JSON.stringify([[...ids].sort(), withChildren, categories])
  const hash = createHash('sha256').update(asked).digest('hex').slice(0, 12)
  return `gdc_export_${hash}.${ending}`
}
