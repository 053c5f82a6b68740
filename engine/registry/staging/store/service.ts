import type { DatabaseSync } from 'node:sqlite'
import { inSlices } from '../../../shared/concurrency/in-slices.ts'
import { inlineExecutor } from '../../../shared/executor.ts'
import type { Finding } from '../../../shared/finding.ts'
import {
  type AnsweredLines,
  LineBatches,
  type LineSource,
} from '../../ndjson-batch/line-batches.ts'
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
import {
  Catalogue,
  describeVersion,
  type StagingAlgorithm,
  type StagingAlgorithmVersion,
} from './catalogue.ts'
import { type BatchResult, Editing, type StagingSources } from './editing.ts'
import type { EntityOf, SchemaOrTable } from './entities.ts'
import { type HistoryEntry, type HistoryRequest, historyPage } from './history.ts'
import { type ImportedStaging, type ImportStaging, importStaging } from './import-staging.ts'
import type { LoadedVersion } from './loaded-version.ts'
import { LoadedVersions } from './loaded-versions.ts'
import { missing, versionMissing } from './missing.ts'
import {
  projectionOf,
  type SchemaProjection,
  type TableProjection,
  withText,
} from './projections.ts'
import { StagingRepository, type StoredVersion } from './repository.ts'
import { type Caller, requireRole } from './roles.ts'
import { type StageLines, stageLinesJob } from './stage-lines.ts'
import { VersionTexts } from './version-text.ts'

export type { Caller, Role } from './roles.ts'

export interface StagingOptions {
  readonly state: DatabaseSync
  readonly clock: () => Date
  /** The current year in four digits; left out, that of the system's clock. */
  readonly yearNow?: (() => string) | undefined
  /** Left out, batches are staged on the calling thread. */
  readonly batches?: LineBatches | undefined
}

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
 * Staging algorithms: kept, edited and run (registry-service.md 4.1, registry.md 2.1, 2.5, 4, 7). Operations take
 * the caller, the names of the path and the body as it was parsed from JSON, and answer plain JSON
 * in the shapes of registry.md 3. Every edit is durable, with its entry in the history, before it is
 * answered; cases under way end on the content that they began with.
 *
 * All throw EngineError: not_found for an algorithm, version or entity that is not there or that the
 * caller may not see, forbidden for a role that the caller lacks, bad_input naming the member.
 */
export class Staging {
  readonly #sources: StagingSources
  readonly #editing: Editing
  readonly #batches: LineBatches
  readonly #texts = new VersionTexts()

  constructor({ state, clock, yearNow, batches }: StagingOptions) {
    const repository = new StagingRepository(state)
    this.#sources = {
      ...{ repository, clock },
      catalogue: new Catalogue(repository, clock),
      loaded: new LoadedVersions(repository, yearNow),
    }
    this.#editing = new Editing(this.#sources)
    this.#batches = batches ?? new LineBatches(inlineExecutor)
  }

  algorithms(_caller: Caller): StagingAlgorithm[] {
    return this.#sources.catalogue.algorithms()
  }

  algorithm(_caller: Caller, a: string): StagingAlgorithm {
    return this.#sources.catalogue.algorithm(a)
  }

  createAlgorithm(caller: Caller, a: string, body: unknown): StagingAlgorithm {
    return this.#sources.catalogue.createAlgorithm(caller, a, body)
  }

  updateAlgorithm(caller: Caller, a: string, body: unknown): StagingAlgorithm {
    return this.#sources.catalogue.updateAlgorithm(caller, a, body)
  }

  /** One with versions stays. */
  deleteAlgorithm(caller: Caller, a: string): void {
    this.#sources.catalogue.deleteAlgorithm(caller, a)
  }

  versions(caller: Caller, a: string): StagingAlgorithmVersion[] {
    return this.#sources.catalogue.versions(caller, a)
  }

  version(caller: Caller, a: string, v: string): StagingAlgorithmVersion {
    return describeVersion(this.#readable(caller, a, v))
  }

  createVersion(caller: Caller, a: string, v: string, body: unknown): StagingAlgorithmVersion {
    return this.#sources.catalogue.createVersion(caller, { algorithm: a, version: v }, body)
  }

  updateVersion(caller: Caller, a: string, v: string, body: unknown): StagingAlgorithmVersion {
    return this.#sources.catalogue.updateVersion(caller, { algorithm: a, version: v }, body)
  }

  /** Deletes a version and all that it holds, its history included. */
  deleteVersion(caller: Caller, a: string, v: string): void {
    const name = { algorithm: a, version: v }
    this.#sources.catalogue.deleteVersion(caller, name)
    this.#sources.loaded.drop(name)
  }

  /** Copies a version without its history; the body names the target. */
  copy(caller: Caller, a: string, v: string, body: unknown): void {
    this.#sources.catalogue.copy(caller, { algorithm: a, version: v }, body)
  }

  async schemas(
    caller: Caller,
    a: string,
    v: string,
    { q }: ListRequest = {},
  ): Promise<SchemaProjection[]> {
    return this.#projections(this.#readable(caller, a, v), 'schema', q)
  }

  async tables(
    caller: Caller,
    a: string,
    v: string,
    { q, unused = false }: TableListRequest = {},
  ): Promise<TableProjection[]> {
    const stored = this.#readable(caller, a, v)
    if (!unused) return this.#projections(stored, 'table', q)
    const uses = await inSlices((await this.#read(stored)).uses())
    return this.#projections(stored, 'table', q).filter(({ id }) => !uses.has(id))
  }

  /** A schema or table with the members that follow from others. */
  async entity<K extends SchemaOrTable>(
    kind: K,
    caller: Caller,
    a: string,
    v: string,
    id: string,
  ): Promise<EntityOf[K]> {
    const loaded = await this.#load(caller, a, v)
    return loaded.complete(loaded.entity(kind, id))
  }

  createEntity<K extends SchemaOrTable>(
    kind: K,
    caller: Caller,
    a: string,
    v: string,
    body: unknown,
    comment?: string,
  ): Promise<EntityOf[K]> {
    return this.#editing.create(orderOf(caller, a, v, comment), kind, body)
  }

  updateEntity<K extends SchemaOrTable>(
    kind: K,
    caller: Caller,
    a: string,
    v: string,
    id: string,
    body: unknown,
    comment?: string,
  ): Promise<EntityOf[K]> {
    return this.#editing.update(orderOf(caller, a, v, comment), { kind, id }, body)
  }

  /** A table that a schema uses stays. */
  deleteEntity(
    kind: SchemaOrTable,
    caller: Caller,
    a: string,
    v: string,
    id: string,
    comment?: string,
  ): Promise<void> {
    return this.#editing.delete(orderOf(caller, a, v, comment), kind, id)
  }

  /** Tables that the schema leads to, by id. */
  async tablesOfSchema(
    caller: Caller,
    a: string,
    v: string,
    id: string,
  ): Promise<TableProjection[]> {
    const loaded = await this.#load(caller, a, v)
    const involved = loaded.compiled.derivation.involvedTables(loaded.schema(id))
    return involved.toSorted().map((table) => projectionOf(loaded.table(table)))
  }

  /** Schemas that lead to the table, by id. */
  async schemasOfTable(
    caller: Caller,
    a: string,
    v: string,
    id: string,
  ): Promise<SchemaProjection[]> {
    const loaded = await this.#load(caller, a, v)
    const table = loaded.table(id)
    const uses = await inSlices(loaded.uses())
    return (uses.get(table.id) ?? []).map((user) => projectionOf(loaded.schema(user)))
  }

  /** Terms of the version's glossary in the texts of a schema or table. */
  async entityGlossary(
    kind: SchemaOrTable,
    caller: Caller,
    a: string,
    v: string,
    id: string,
    request: GlossaryRequest = {},
  ): Promise<GlossaryMatch[]> {
    const loaded = await this.#load(caller, a, v)
    const texts =
      kind === 'schema' ? textsOfSchema(loaded.schema(id)) : textsOfTable(loaded.table(id))
    return loaded.glossary.search(texts, glossaryLookup(request))
  }

  /** What was done to all of a kind, or to one of them, which may be deleted by now. */
  async entityHistory<K extends SchemaOrTable>(
    kind: K,
    caller: Caller,
    a: string,
    v: string,
    request: HistoryRequest = {},
  ): Promise<HistoryEntry<EntityOf[K]>[]> {
    const stored = this.#readable(caller, a, v)
    const { repository } = this.#sources
    const { id } = request
    if (id !== undefined && !repository.knows(stored, kind, id)) missing(kind, id)
    return historyPage(repository, stored, kind, request)
  }

  /** Puts back what an entry of the history made of it; the body is `{"history": number}`. */
  restoreEntity<K extends SchemaOrTable>(
    kind: K,
    caller: Caller,
    a: string,
    v: string,
    id: string,
    body: unknown,
    comment?: string,
  ): Promise<EntityOf[K]> {
    return this.#editing.restore(orderOf(caller, a, v, comment), { kind, id }, body)
  }

  /**
   * Puts and deletes that land together or not at all:
   * `{"schemas": [...], "tables": [...], "delete_schemas": [id...], "delete_tables": [id...]}`.
   */
  batch(
    caller: Caller,
    a: string,
    v: string,
    body: unknown,
    comment?: string,
  ): Promise<BatchResult> {
    return this.#editing.batch(orderOf(caller, a, v, comment), body)
  }

  /** Stages one case (registry.md 4.6). */
  async stage(
    caller: Caller,
    a: string,
    v: string,
    body: unknown,
    options: StageOptions = {},
  ): Promise<StagingData> {
    const { compiled } = await this.#load(caller, a, v)
    return stage(compiled, parseInputMap(body), options)
  }

  /**
   * Stages cases, one per line of JSON, and answers a line for each, in order; a bad line is one
   * `{"line": number, "error": {"code", "message", "at"?}}`. All are staged by the version as it is
   * now, whatever is edited meanwhile.
   * @throws EngineError busy, too
   */
  async stageLines(
    caller: Caller,
    a: string,
    v: string,
    source: LineSource,
    { signal, ...options }: StageRun = {},
  ): Promise<AnsweredLines> {
    const loaded = await this.#load(caller, a, v)
    const given = async (): Promise<StageLines> => {
      const version = await this.#texts.of(loaded)
      return { ...options, version, year: loaded.compiled.yearNow() }
    }
    return this.#batches.start(source, { job: stageLinesJob, given }, { signal })
  }

  /** Schemas that the input may mean, by id (registry.md 4.5). */
  async lookup(caller: Caller, a: string, v: string, body: unknown): Promise<SchemaInfo[]> {
    const loaded = await this.#load(caller, a, v)
    return lookupSchemas(loaded.compiled, parseInputMap(body)).map((id) => loaded.info(id))
  }

  /** The input with defaults added (rule 31); an unknown schema is bad input. */
  async defaults(
    caller: Caller,
    a: string,
    v: string,
    schemaId: string,
    body: unknown,
  ): Promise<InputMap> {
    const { compiled } = await this.#load(caller, a, v)
    return addDefaults(compiled, schemaId, parseInputMap(body))
  }

  /** The first row of a table that accepts the input (rule 32). */
  async match(
    caller: Caller,
    a: string,
    v: string,
    tableId: string,
    body: unknown,
  ): Promise<TableMatch> {
    const { compiled } = await this.#load(caller, a, v)
    return matchTable(compiled, tableId, parseInputMap(body))
  }

  /** References that lead nowhere (registry.md 7.6). */
  async findings(caller: Caller, a: string, v: string): Promise<readonly ReferenceFinding[]> {
    const loaded = await this.#load(caller, a, v)
    return inSlices(loaded.findings())
  }

  /** Drops what is kept of a version: it is read and compiled anew when it is next asked for. */
  invalidateCache(caller: Caller, a: string, v: string): void {
    requireRole(caller, 'STAGING_ADMIN')
    this.#sources.loaded.drop(this.#readable(caller, a, v))
  }

  /** Reads and compiles all of a version now. */
  async fillCache(caller: Caller, a: string, v: string): Promise<void> {
    requireRole(caller, 'STAGING_ADMIN')
    const loaded = await this.#load(caller, a, v)
    await inSlices(loaded.fill())
  }

  /** Makes a version be what an archive holds; see importStaging. */
  import(path: string, run: ImportStaging): Promise<ImportedStaging> {
    return importStaging(this.#sources, path, run)
  }

  /** What is wrong with the references of all versions. */
  async *check(): AsyncGenerator<Finding> {
    const { repository } = this.#sources
    for (const { algorithm } of repository.algorithms()) {
      for (const stored of repository.versions(algorithm)) {
        const findings = await inSlices((await this.#read(stored)).findings())
        for (const { kind, id, at, message } of findings) {
          const place = [kind, id, ...(at === undefined ? [] : [at])].join(' ')
          const subject = `staging ${algorithm} ${stored.version} ${place}`
          yield { subject, problem: message }
        }
      }
    }
  }

  #readable(caller: Caller, a: string, v: string): StoredVersion {
    return this.#sources.catalogue.readable(caller, { algorithm: a, version: v })
  }

  #load(caller: Caller, a: string, v: string): Promise<LoadedVersion> {
    return this.#read(this.#readable(caller, a, v))
  }

  async #read(stored: StoredVersion): Promise<LoadedVersion> {
    return (await this.#sources.loaded.read(stored)) ?? versionMissing(stored)
  }

  #projections(stored: StoredVersion, kind: SchemaOrTable, q?: string): SchemaProjection[] {
    return withText(this.#sources.repository.projections(stored, kind), q).map(projectionOf)
  }
}

function orderOf(caller: Caller, a: string, v: string, comment: string | undefined) {
  return { caller, name: { algorithm: a, version: v }, comment }
}

function glossaryLookup({ category = [], wholeWordsOnly = true }: GlossaryRequest): GlossaryLookup {
  const categories = new Set(category.length > 0 ? category : DEFAULT_CATEGORIES)
  return { categories, wholeWordsOnly }
}
