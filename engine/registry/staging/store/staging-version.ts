import { inSlices } from '../../../shared/concurrency/in-slices.ts'
import type { AnsweredLines, LineSource } from '../../ndjson-batch/line-batches.ts'
import { addDefaults } from '../algorithm/defaults.ts'
import type { ReferenceFinding } from '../algorithm/findings.ts'
import {
  type GlossaryLookup,
  type GlossaryMatch,
  textsOfSchema,
  textsOfTable,
} from '../algorithm/glossary.ts'
import { lookupSchemas } from '../algorithm/lookup.ts'
import { matchTable } from '../algorithm/match.ts'
import { parseInputMap } from '../algorithm/parse.ts'
import type { InputMap, SchemaInfo, StagingData, TableMatch } from '../algorithm/result.ts'
import { type StageOptions, stage } from '../algorithm/stage.ts'
import { describeVersion, type StagingAlgorithmVersion } from './catalogue.ts'
import type { EntityOf, SchemaOrTable } from './entities.ts'
import { type HistoryEntry, type HistoryRequest, historyPage } from './history.ts'
import type { LoadedVersion } from './loaded-version.ts'
import { missing } from './missing.ts'
import {
  projectionOf,
  type SchemaProjection,
  type TableProjection,
  withText,
} from './projections.ts'
import type { StagingSources } from './sources.ts'
import { type StageLines, stageLinesJob } from './stage-lines.ts'
import type { StoredVersion } from './stored.ts'

export interface StageRun extends StageOptions {
  readonly signal?: AbortSignal | undefined
}

export interface ListRequest {
  /** Part of the id, name or title, in any case. */
  readonly q?: string | undefined
}

export interface TableListRequest extends ListRequest {
  /** Only tables that no schema uses. */
  readonly unused?: boolean | undefined
}

export interface GlossaryRequest {
  /** Left out or empty, STAGING and GENERAL. */
  readonly category?: readonly string[] | undefined
  /** Left out, true. */
  readonly wholeWordsOnly?: boolean | undefined
}

const DEFAULT_CATEGORIES = ['STAGING', 'GENERAL']

/**
 * A version of an algorithm, for one caller who may see it. Every operation works on the content of
 * the moment at which it is called, or later: a case ends on the content that it began with.
 *
 * All throw EngineError: not_found for an entity, or for a version that was deleted meanwhile;
 * bad_input naming the member.
 */
export class StagingVersion {
  readonly #sources: StagingSources
  readonly #stored: StoredVersion

  constructor(sources: StagingSources, stored: StoredVersion) {
    this.#sources = sources
    this.#stored = stored
  }

  describe(): StagingAlgorithmVersion {
    return describeVersion(this.#stored)
  }

  async schemas({ q }: ListRequest = {}): Promise<SchemaProjection[]> {
    return this.#projections('schema', q)
  }

  async tables({ q, unused = false }: TableListRequest = {}): Promise<TableProjection[]> {
    if (!unused) return this.#projections('table', q)
    const uses = await inSlices((await this.#load()).uses())
    return this.#projections('table', q).filter(({ id }) => !uses.has(id))
  }

  /** A schema or table with the members that follow from others. */
  async entity<K extends SchemaOrTable>(kind: K, id: string): Promise<EntityOf[K]> {
    const loaded = await this.#load()
    return loaded.complete(loaded.entity(kind, id))
  }

  /** Tables that the schema leads to, by id. */
  async tablesOfSchema(id: string): Promise<TableProjection[]> {
    const loaded = await this.#load()
    const involved = loaded.compiled.derivation.involvedTables(loaded.schema(id))
    return involved.toSorted().map((table) => projectionOf(loaded.table(table)))
  }

  /** Schemas that lead to the table, by id. */
  async schemasOfTable(id: string): Promise<SchemaProjection[]> {
    const loaded = await this.#load()
    const table = loaded.table(id)
    const uses = await inSlices(loaded.uses())
    return (uses.get(table.id) ?? []).map((user) => projectionOf(loaded.schema(user)))
  }

  /** Terms of the version's glossary in the texts of a schema or table. */
  async entityGlossary(
    kind: SchemaOrTable,
    id: string,
    request: GlossaryRequest = {},
  ): Promise<GlossaryMatch[]> {
    const loaded = await this.#load()
    const texts =
      kind === 'schema' ? textsOfSchema(loaded.schema(id)) : textsOfTable(loaded.table(id))
    return loaded.glossary.search(texts, glossaryLookup(request))
  }

  /** What was done to all of a kind, or to one of them, which may be deleted by now. */
  async entityHistory<K extends SchemaOrTable>(
    kind: K,
    request: HistoryRequest = {},
  ): Promise<HistoryEntry<EntityOf[K]>[]> {
    const { repository } = this.#sources
    const { id } = request
    if (id !== undefined && !repository.knows(this.#stored, kind, id)) missing(kind, id)
    return historyPage(repository, this.#stored, kind, request)
  }

  /** Keys of the inputs of all schemas. */
  async inputKeys(): Promise<ReadonlySet<string>> {
    const { content } = await this.#load()
    return new Set(
      [...content.schemas.values()].flatMap(({ inputs }) => inputs.map(({ key }) => key)),
    )
  }

  /** Stages one case (registry.md 4.6). */
  async stage(body: unknown, options: StageOptions = {}): Promise<StagingData> {
    const { compiled } = await this.#load()
    return stage(compiled, parseInputMap(body), options)
  }

  /**
   * Stages cases, one per line of JSON, and answers a line for each, in order; a bad line is one
   * `{"line": number, "error": {"code", "message", "at"?}}`. All are staged by the version as it is
   * now, whatever is edited meanwhile.
   * @throws EngineError busy, too
   */
  async stageLines(
    source: LineSource,
    { signal, ...options }: StageRun = {},
  ): Promise<AnsweredLines> {
    const { batches, texts } = this.#sources
    const loaded = await this.#load()
    const given = async (): Promise<StageLines> => {
      const version = await texts.of(loaded)
      return { ...options, version, year: loaded.compiled.yearNow() }
    }
    return batches.start(source, { job: stageLinesJob, given }, { signal })
  }

  /** Schemas that the input may mean, by id (registry.md 4.5). */
  async lookup(body: unknown): Promise<SchemaInfo[]> {
    const loaded = await this.#load()
    return lookupSchemas(loaded.compiled, parseInputMap(body)).map((id) => loaded.info(id))
  }

  /** The input with defaults added (rule 31); an unknown schema is bad input. */
  async defaults(schemaId: string, body: unknown): Promise<InputMap> {
    const { compiled } = await this.#load()
    return addDefaults(compiled, schemaId, parseInputMap(body))
  }

  /** The first row of a table that accepts the input (rule 32). */
  async match(tableId: string, body: unknown): Promise<TableMatch> {
    const { compiled } = await this.#load()
    return matchTable(compiled, tableId, parseInputMap(body))
  }

  /** References that lead nowhere (registry.md 7.6). */
  async findings(): Promise<readonly ReferenceFinding[]> {
    return inSlices((await this.#load()).findings())
  }

  #load(): Promise<LoadedVersion> {
    return this.#sources.loaded.require(this.#stored)
  }

  #projections(kind: SchemaOrTable, q?: string): SchemaProjection[] {
    const { repository } = this.#sources
    return withText(repository.projections(this.#stored, kind), q).map(projectionOf)
  }
}

function glossaryLookup({ category = [], wholeWordsOnly = true }: GlossaryRequest): GlossaryLookup {
  const categories = new Set(category.length > 0 ? category : DEFAULT_CATEGORIES)
  return { categories, wholeWordsOnly }
}
