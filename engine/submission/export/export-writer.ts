import { createHash } from 'node:crypto'
import { gzipped } from '../../commons/files/download/gzip.ts'
import { END_BYTES, padded, tarHeader } from '../../commons/files/download/tar-header.ts'
import type { IdList } from '../../shared/audit/id-list.ts'
import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { Rows } from '../../shared/database/database.ts'
import { type ByteStream, generatedStream } from '../../shared/streams/byte-stream.ts'
import { pagesOf } from '../../shared/streams/pages-of.ts'
import type { Dictionary } from '../dictionary/dictionary.ts'
import { layoutOf } from '../dictionary/templates.ts'
import type { RegisteredProject } from '../transactions/graph.ts'
import type { SubmissionCaller } from '../transactions/permissions.ts'
import { writeExactJson } from '../transactions/store/exact-json.ts'
import type { Choice, Chosen } from './chosen-entities.ts'
import { exportedDocument } from './document.ts'
import type { ExportedEntity, ExportFormat, ExportLayout } from './exported.ts'
import { exportedEntities } from './rows.ts'
import type { Spool } from './spool.ts'
import { ExportTable } from './table.ts'

/** Number of entities read at a time. */
const PAGE = 500
/** Modification time of files in archives, constant so that equal exports have equal bytes. */
const MODIFIED = new Date(0)

const SEPARATORS = Object.freeze({ tsv: '\t', csv: ',' })

export interface ExportRequest extends SubmissionCaller, Choice {
  readonly program: string
  readonly project: string
  /** Type whose entities are all exported if no ids are given. */
  readonly nodeLabel: string | undefined
  readonly format: ExportFormat
  /** Whether to leave out ids, so that the entities can be created elsewhere. */
  readonly withoutIds: boolean
}

/** An export that is ready to send. */
export interface SubmittedExport extends ByteStream {
  readonly fileName: string
  readonly kind: ExportFormat | 'tar.gz'
}

/** Byte range of the entities of one type in the temporary file. */
interface Part {
  readonly name: string
  readonly start: number
  readonly end: number
}

interface WriterContext {
  readonly dictionary: Dictionary
  readonly request: ExportRequest
  readonly spool: Spool
  readonly turns: LoopTurns
  /** Gets the ids of all entities that are written. Undefined if no record is kept. */
  readonly list: Pick<IdList, 'add'> | undefined
  readonly signal: AbortSignal | undefined
}

/** Writes the entities of a project as a table or JSON. */
export class ExportWriter {
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
        ...this.#whole(await spool.flush()),
      }
    }
    const parts: Part[] = []
    for (const one of chosen) parts.push(await this.#writeTable(one, SEPARATORS[format]))
    const [only, ...others] = parts
    if (only && others.length === 0) {
      return { fileName: only.name, kind: format, ...this.#whole(only.end) }
    }
    const archive = gzipped(this.#stream(tarOf(spool, parts)))
    return { fileName: nameOf(request, chosen, 'tar.gz'), kind: 'tar.gz', ...archive }
  }

  #whole(length: number): ByteStream {
    return { ...this.#stream(this.#context.spool.read(0, length)), length }
  }

  /** Streams the temporary file, which is closed when its reader is done. */
  #stream(rest: AsyncGenerator<Uint8Array>): ByteStream {
    return generatedStream({ rest }, { giveBack: () => this.#context.spool.close() })
  }

  /** Writes `{"data": [...]}` for a type requested as a whole, or a list per type for ids. */
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
    const { spool, signal, list } = this.#context
    for await (const page of pagesOf(ids, PAGE)) {
      signal?.throwIfAborted()
      await list?.add(page)
      const entities = await exportedEntities(this.#rows, this.#project, page)
      await spool.write(await this.#context.turns.run(joined(entities, textOf)))
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

async function* tarOf(spool: Spool, parts: readonly Part[]): AsyncGenerator<Uint8Array> {
  for (const { name, start, end } of parts) {
    const size = end - start
    yield await tarHeader({ path: name, size }, MODIFIED)
    yield* spool.read(start, end)
    yield new Uint8Array(padded(size) - size)
  }
  yield new Uint8Array(END_BYTES)
}

/** Returns a file name: the name of the type or, for several types, a hash of the request (submission.md 12). */
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
