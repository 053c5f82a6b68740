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
import { proposedConversion } from './proposed-conversion.ts'
import type { StagingSources } from './sources.ts'
import { type StageLines, stageLinesJob } from './stage-lines.ts'
import type { StoredVersion } from './stored.ts'
import { type DifferenceFormat, versionDifference } from './version-difference.ts'

export interface StageOneOptions extends StageOptions {
  /** Called for keys that no schema has. They would go unnoticed if the site is unknown. */
  readonly warn?: (sentence: string) => void
}

export interface StageRun extends StageOptions, LinesRun {}

export interface StageDifferenceRun extends LinesRun {
  /** The previous version, of the same algorithm. */
  readonly from: string
  /** Outputs to leave out, such as those that name the version. */
  readonly ignored?: readonly string[] | undefined
}

export interface ListRequest {
  /** A part of the id, name or title, ignoring case. */
  readonly q?: string | undefined
}

export interface TableListRequest extends ListRequest {
  /** Whether to return only tables that no schema uses. */
  readonly unused?: boolean | undefined
}

export interface GlossaryRequest {
  /** Categories of terms. By default, also if the list is empty, STAGING and GENERAL. */
  readonly category?: readonly string[] | undefined
  /** Whether terms must be whole words. By default true. */
  readonly wholeWordsOnly?: boolean | undefined
}

export interface DifferenceRequest extends Pick<LinesRun, 'signal'> {
  /** The previous version, of the same algorithm. */
  readonly from: string
  /** Format of the difference. By default ndjson. */
  readonly format?: DifferenceFormat | undefined
}

const DEFAULT_CATEGORIES = ['STAGING', 'GENERAL']

/**
 * A version of a cancer staging algorithm that a caller may see, for one request. Every operation uses the
 * content at the time of the call or later, and a case finishes with the content it started with.
 *
 * All methods throw EngineError: `not_found` for the version or an entity; `bad_input` naming the member.
 */
export class StagingVersion {
  readonly #sources: StagingSources
  readonly #find: (other?: string) => Promise<StoredVersion>
  #found: Promise<StoredVersion> | undefined

  /**
   * Creates a version for one request.
   * @param find finds the version, or another version of its algorithm, and checks that the caller may see it;
   *   called once for each version
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

  /** Returns a schema or table with its derived members and revision. */
  async entity<K extends SchemaOrTable>(
    kind: K,
    id: string,
  ): Promise<EntityAtRevision<EntityOf[K]>> {
    return (await this.#load()).entityAtRevision(kind, id)
  }

  /** Returns the tables reachable from a schema, ordered by id. */
  async tablesOfSchema(id: string): Promise<TableProjection[]> {
    const loaded = await this.#load()
    const involved = loaded.compiled.derivation.involvedTables(loaded.schema(id))
    return involved.toSorted().map((table) => projectionOf(loaded.table(table)))
  }

  /** Returns the schemas that use a table, ordered by id. */
  async schemasOfTable(id: string): Promise<SchemaProjection[]> {
    const loaded = await this.#load()
    const table = loaded.table(id)
    const uses = await this.#sources.turns.run(loaded.uses())
    return (uses.get(table.id) ?? []).map((user) => projectionOf(loaded.schema(user)))
  }

  /**
   * Finds terms of the version's glossary and of the published one in a schema or table.
   * @throws EngineError `too_many` for too many matches, in addition to the errors of all methods
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

  /** Returns a page of the history of a kind or of one entity, which may have been deleted since. */
  async entityHistory<K extends SchemaOrTable>(
    kind: K,
    request: HistoryRequest = {},
  ): Promise<HistoryEntry<EntityOf[K]>[]> {
    const { repository } = this.#sources
    const { id } = request
    const stored = await this.#stored()
    if (id !== undefined && !(await repository.knows(stored, kind, id))) missing(kind, id)
    return historyPage(this.#sources, stored, kind, request)
  }

  /** Counts the entries of entityHistory. */
  async countHistory(kind: SchemaOrTable, id?: string): Promise<number> {
    return this.#sources.repository.countHistory(await this.#stored(), { kind, id })
  }

  /** Returns the keys of the inputs of all schemas. */
  async inputKeys(): Promise<ReadonlySet<string>> {
    return (await this.#load()).compiled.inputKeys
  }

  /** Returns the current schemas and tables. @internal */
  async content(): Promise<VersionContent> {
    return (await this.#load()).compiled.content
  }

  /** Exports the current content as an archive for Staging.import; see exportStaging. */
  async archive({ signal }: Pick<LinesRun, 'signal'> = {}): Promise<ByteStream> {
    const loaded = await this.#load()
    signal?.throwIfAborted()
    return exportStaging(loaded)
  }

  /** Compares the version with another version of its algorithm, as versionDifference does. */
  async difference({ from, format = 'ndjson', signal }: DifferenceRequest): Promise<ByteStream> {
    const before = await this.#sources.loaded.require(await this.#find(from))
    const after = await this.#load()
    signal?.throwIfAborted()
    return versionDifference(before, after, format, this.#sources.turns)
  }

  /**
   * Proposes rules that convert registry files from another version of the algorithm to this one, as
   * proposedConversion does. The body is a rule file.
   * @throws EngineError `not_found` also for the other version
   */
  async conversion({ from, signal }: Omit<DifferenceRequest, 'format'>): Promise<ByteStream> {
    const before = await this.#sources.loaded.require(await this.#find(from))
    const after = await this.#load()
    signal?.throwIfAborted()
    return proposedConversion(before.compiled.content, after.compiled.content, this.#sources.turns)
  }

  /** Lists the valid values of cases and the selection of schemas in one table, as codebook does. */
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
   * Stages cases given as one JSON object per line, and answers each line in order. An invalid line is answered
   * with `{"line": number, "file"?, "error": {"code", "message", "at"?}}`. All cases use the version as it was
   * at the start, even if it is edited meanwhile.
   * @throws EngineError `busy` if too many batches are running, in addition to the errors of all methods
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
   * Stages lines like stageLines, both with another version and with this one. Each answer is `{"changed":
   * false}`, or has the `changes` of the result and `why`: the deciding rows before and after.
   * @throws EngineError `not_found` also for the previous version
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

  /** Returns the current input of stageLines, so that other processes can stage lines. @internal */
  async stagedBy(options: StageOptions = {}): Promise<StageLines> {
    return this.#given(await this.#load(), options)
  }

  async #given(loaded: LoadedVersion, options: StageOptions): Promise<StageLines> {
    const version = await this.#sources.texts.of(loaded)
    return { ...options, version, year: loaded.compiled.yearNow() }
  }

  /** Returns the possible schemas for an input, ordered by id (registry.md 4.5). */
  async lookup(body: unknown): Promise<SchemaInfo[]> {
    const loaded = await this.#load()
    const infos: SchemaInfo[] = []
    for (const id of lookupSchemas(loaded.compiled, parseInputMap(body))) {
      await this.#sources.turns.pause()
      infos.push(loaded.info(id))
    }
    return infos
  }

  /** Returns the input with defaults added (registry.md rule 31). An unknown schema is `bad_input`. */
  async defaults(schemaId: string, body: unknown): Promise<InputMap> {
    const { compiled } = await this.#load()
    return addDefaults(compiled, schemaId, parseInputMap(body))
  }

  /** Finds the first row of a table that matches the input (registry.md rule 32). */
  async match(tableId: string, body: unknown): Promise<TableMatch> {
    const { compiled } = await this.#load()
    return matchTable(compiled, tableId, parseInputMap(body))
  }

  /** Returns broken references (registry.md 7.6). */
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
