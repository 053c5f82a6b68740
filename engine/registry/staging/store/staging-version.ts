import type { ByteStream } from '../../../shared/streams/byte-stream.ts'
import type { AnsweredLines, LineSource, LinesRun } from '../../ndjson-batch/line-batches.ts'
import { addDefaults } from '../algorithm/defaults.ts'
import type { ReferenceFinding } from '../algorithm/findings.ts'
import {
  type GlossaryLookup,
  type GlossaryMatch,
  joinMatches,
  textsOfSchema,
  textsOfTable,
} from '../algorithm/glossary.ts'
import { lookupSchemas } from '../algorithm/lookup.ts'
import { matchTable } from '../algorithm/match.ts'
import type { VersionContent } from '../algorithm/model.ts'
import { parseInputMap } from '../algorithm/parse.ts'
import type { InputMap, SchemaInfo, StagingData, TableMatch } from '../algorithm/result.ts'
import { type StageOptions, stage } from '../algorithm/stage.ts'
import { unknownInputs } from '../algorithm/unknown-inputs.ts'
import { describeVersion, type StagingAlgorithmVersion } from './catalogue.ts'
import { type CodebookRequest, codebook } from './codebook.ts'
import { differenceLinesJob } from './difference-lines.ts'
import type { EntityOf, SchemaOrTable } from './entities.ts'
import { exportStaging } from './export-staging.ts'
import { type HistoryEntry, type HistoryRequest, historyPage } from './history.ts'
import type { EntityAtRevision, LoadedVersion } from './loaded-version.ts'
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
import { type DifferenceFormat, versionDifference } from './version-difference.ts'

export interface StageOneOptions extends StageOptions {
  /** Told of keys that no schema has, which a case without a known site would not show. */
  readonly warn?: (sentence: string) => void
}

export interface StageRun extends StageOptions, LinesRun {}

export interface StageDifferenceRun extends LinesRun {
  /** The version before, of the same algorithm. */
  readonly from: string
  /** Outputs that do not count, such as those that name the version. */
  readonly ignored?: readonly string[] | undefined
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

export interface DifferenceRequest extends Pick<LinesRun, 'signal'> {
  /** The version before, of the same algorithm. */
  readonly from: string
  /** Left out, ndjson. */
  readonly format?: DifferenceFormat | undefined
}

const DEFAULT_CATEGORIES = ['STAGING', 'GENERAL']

/**
 * A version of an algorithm, for one caller who may see it, for one request. Every operation works on the content of
 * the moment at which it is called, or later: a case ends on the content that it began with.
 *
 * All throw EngineError: not_found for the version or an entity; bad_input naming the member.
 */
export class StagingVersion {
  readonly #sources: StagingSources
  readonly #find: (other?: string) => Promise<StoredVersion>
  #found: Promise<StoredVersion> | undefined

  /**
   * @param find finds the version, or another one of its algorithm, and decides whether the caller may see it;
   *   asked once for each
   */
  constructor(sources: StagingSources, find: (other?: string) => Promise<StoredVersion>) {
    this.#sources = sources
    this.#find = find
  }

  async describe(): Promise<StagingAlgorithmVersion> {
    return describeVersion(await this.#stored())
  }

  async schemas({ q }: ListRequest = {}): Promise<SchemaProjection[]> {
    return this.#projections('schema', q)
  }

  async tables({ q, unused = false }: TableListRequest = {}): Promise<TableProjection[]> {
    if (!unused) return this.#projections('table', q)
    const uses = await this.#sources.turns.run((await this.#load()).uses())
    return (await this.#projections('table', q)).filter(({ id }) => !uses.has(id))
  }

  /** A schema or table with the members that follow from others, and its revision. */
  async entity<K extends SchemaOrTable>(
    kind: K,
    id: string,
  ): Promise<EntityAtRevision<EntityOf[K]>> {
    return (await this.#load()).entityAtRevision(kind, id)
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
    const uses = await this.#sources.turns.run(loaded.uses())
    return (uses.get(table.id) ?? []).map((user) => projectionOf(loaded.schema(user)))
  }

  /**
   * Terms of the version's glossary and of the published one in the texts of a schema or table.
   * @throws EngineError too_many, too
   */
  async entityGlossary(
    kind: SchemaOrTable,
    id: string,
    request: GlossaryRequest = {},
  ): Promise<GlossaryMatch[]> {
    const loaded = await this.#load()
    const texts =
      kind === 'schema' ? textsOfSchema(loaded.schema(id)) : textsOfTable(loaded.table(id))
    const lookup = glossaryLookup(request)
    const own = await loaded.glossary.find(texts, lookup)
    return joinMatches([own, (await this.#sources.findTerms?.(texts, lookup)) ?? []])
  }

  /** What was done to all of a kind, or to one of them, which may be deleted by now. */
  async entityHistory<K extends SchemaOrTable>(
    kind: K,
    request: HistoryRequest = {},
  ): Promise<HistoryEntry<EntityOf[K]>[]> {
    const { repository } = this.#sources
    const { id } = request
    const stored = await this.#stored()
    if (id !== undefined && !(await repository.knows(stored, kind, id))) missing(kind, id)
    return historyPage(repository, stored, kind, request)
  }

  /** How many entries entityHistory has in all. */
  async countHistory(kind: SchemaOrTable, id?: string): Promise<number> {
    return this.#sources.repository.countHistory(await this.#stored(), { kind, id })
  }

  /** Keys of the inputs of all schemas. */
  async inputKeys(): Promise<ReadonlySet<string>> {
    return (await this.#load()).compiled.inputKeys
  }

  /**
   * The schemas and tables of now.
   * @internal
   */
  async content(): Promise<VersionContent> {
    return (await this.#load()).compiled.content
  }

  /** All that it holds now, as an archive that Staging.import takes; see exportStaging. */
  async archive({ signal }: Pick<LinesRun, 'signal'> = {}): Promise<ByteStream> {
    const loaded = await this.#load()
    signal?.throwIfAborted()
    return exportStaging(loaded)
  }

  /** In what it differs from another version of its algorithm; see versionDifference. */
  async difference({ from, format = 'ndjson', signal }: DifferenceRequest): Promise<ByteStream> {
    const before = await this.#sources.loaded.require(await this.#find(from))
    const after = await this.#load()
    signal?.throwIfAborted()
    return versionDifference(before, after, format, this.#sources.turns)
  }

  /** What may be put into a case, and what chooses its schema, as one table; see codebook. */
  async codebook({
    signal,
    ...request
  }: CodebookRequest & Pick<LinesRun, 'signal'> = {}): Promise<ByteStream> {
    const { content } = await this.#load()
    signal?.throwIfAborted()
    return codebook(content, request, this.#sources.turns)
  }

  /** Stages one case (registry.md 4.6). */
  async stage(body: unknown, { warn, ...options }: StageOneOptions = {}): Promise<StagingData> {
    const loaded = await this.#load()
    const input = parseInputMap(body)
    if (warn) {
      for (const text of unknownInputs(Object.keys(input), loaded.compiled.inputKeys)) warn(text)
    }
    return stage(loaded.compiled, input, options)
  }

  /**
   * Stages cases, one per line of JSON, and answers a line for each, in order; a bad line is one
   * `{"line": number, "file"?, "error": {"code", "message", "at"?}}`. All are staged by the version as it is
   * now, whatever is edited meanwhile.
   * @throws EngineError busy, too
   */
  async stageLines(
    source: LineSource,
    { signal, file, ...options }: StageRun = {},
  ): Promise<AnsweredLines> {
    const loaded = await this.#load()
    const given = () => this.#given(loaded, options)
    return this.#sources.batches.start(source, { job: stageLinesJob, given }, { signal, file })
  }

  /**
   * As stageLines, by another version and by this one: a line is `{"changed": false}`, or has `changes` of the
   * answer and `why`, the rows that decided before and after.
   * @throws EngineError not_found for the version before, too
   */
  async stageDifference(
    source: LineSource,
    { from, ignored = [], signal, file }: StageDifferenceRun,
  ): Promise<AnsweredLines> {
    const { loaded, texts, batches } = this.#sources
    const before = await loaded.require(await this.#find(from))
    const after = await this.#load()
    const given = async () => {
      const by = await this.#given(after, {})
      return { ...by, before: await texts.of(before), ignored }
    }
    return batches.start(source, { job: differenceLinesJob, given }, { signal, file })
  }

  /**
   * All that stageLines stages by, of now, for lines that other processes stage.
   * @internal
   */
  async stagedBy(options: StageOptions = {}): Promise<StageLines> {
    return this.#given(await this.#load(), options)
  }

  async #given(loaded: LoadedVersion, options: StageOptions): Promise<StageLines> {
    const version = await this.#sources.texts.of(loaded)
    return { ...options, version, year: loaded.compiled.yearNow() }
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
    return this.#sources.turns.run((await this.#load()).findings())
  }

  #stored(): Promise<StoredVersion> {
    this.#found ??= this.#find()
    return this.#found
  }

  async #load(): Promise<LoadedVersion> {
    return this.#sources.loaded.require(await this.#stored())
  }

  async #projections(kind: SchemaOrTable, q?: string): Promise<SchemaProjection[]> {
    const found = await this.#sources.repository.projections(await this.#stored(), kind)
    return withText(found, q).map(projectionOf)
  }
}

function glossaryLookup({ category = [], wholeWordsOnly = true }: GlossaryRequest): GlossaryLookup {
  const categories = new Set(category.length > 0 ? category : DEFAULT_CATEGORIES)
  return { categories, wholeWordsOnly }
}
