import { basename } from 'node:path'
import { EngineError } from '../../../shared/errors.ts'
import { isSystemError } from '../../../shared/input/system-error.ts'
import { errorIn } from '../../error-in.ts'
import { emptyRanges, validSites } from '../algorithm/empty-ranges.ts'
import type { ReferenceFinding } from '../algorithm/findings.ts'
import type { VersionContent } from '../algorithm/model.ts'
import { readAlgorithmZip } from '../algorithm/read-zip.ts'
import { checkAlgorithmName, checkVersionName } from './bodies.ts'
import { storeVersion } from './catalogue.ts'
import { applyEdits, type Edit, type EditSources } from './edits.ts'
import { documentOf, type Entity, KINDS, type Kind, type VersionName } from './entities.ts'
import type { LoadedVersion } from './loaded-version.ts'
import type { StagingSources } from './sources.ts'

export interface ImportStaging {
  /** The importer's name in the history. */
  readonly user: string
  /** Whether to report what would change without storing anything. */
  readonly dryRun?: boolean
  /** Refuses an archive with ranges that nothing matches. */
  readonly strict?: boolean
  readonly onProgress?: (step: ImportStagingStep) => void
}

/** Progress of an import. */
export interface ImportStagingStep {
  readonly phase: 'storing'
  /** Number of entities. */
  readonly done: number
  readonly total: number
}

/** Ids of one kind that an import changed, in ascending order. */
export interface ImportedKind {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  readonly same: number
}

export interface ImportedStaging extends VersionName {
  readonly dryRun: boolean
  /** Whether the version is new. */
  readonly isNew: boolean
  readonly kinds: { readonly [K in Kind]: ImportedKind }
  /** Ranges in the version's tables that match nothing. They are stored unchanged. */
  readonly issues: readonly ReferenceFinding[]
}

/**
 * Imports an archive as a version in one transaction, with a history entry for each changed entity. A missing
 * algorithm is created, and a missing version is created as PRODUCTION.
 * @throws EngineError like readAlgorithmZip; `bad_input` for a reserved name, and with `strict` for a range
 *   that nothing matches
 */
export async function importStaging(
  sources: StagingSources,
  path: string,
  run: ImportStaging,
): Promise<ImportedStaging> {
  const archive = basename(path)
  const content = await readArchive(path).catch((error) => {
    // The system's message already contains the whole path.
    throw isSystemError(error.cause) ? error : errorIn(archive, error, ': ')
  })
  const issues = issuesOf(content)
  if (run.strict) refuseIssues(archive, issues)
  const { repository, loaded } = sources
  const stored = await repository.version(content)
  const before = stored && (await loaded.read(stored))
  if (run.dryRun) return { ...compare(content, before, true), issues }
  const { report, after } = await repository.transaction((transaction) =>
    store({ ...sources, transaction }, content, archive, run),
  )
  loaded.keep(after)
  return { ...report, issues }
}

function issuesOf({ tables }: VersionContent): readonly ReferenceFinding[] {
  const sites = validSites(tables)
  return [...tables.values()].flatMap((table) => emptyRanges(table, sites))
}

function refuseIssues(archive: string, issues: readonly ReferenceFinding[]): void {
  const [first] = issues
  if (!first) return
  const { kind, id, at, message } = first
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
  throw new EngineError('bad_input', `${archive}: ${kind} ${id} ${at}: ${message}${more}`, {
    at: `${archive}: ${id}`,
  })
}

async function readArchive(path: string): Promise<VersionContent> {
  const content = await readAlgorithmZip(path)
  checkAlgorithmName(content.algorithm)
  checkVersionName(content.version)
  return content
}

/** Compares the stored version with the archive. */
function compare(
  content: VersionContent,
  before: LoadedVersion | undefined,
  dryRun: boolean,
): Omit<ImportedStaging, 'issues'> {
  const { algorithm, version } = content
  const kinds = Object.fromEntries(
    KINDS.map((kind) => [kind, compareKind(kind, entitiesOf(content, kind), before)]),
  ) as ImportedStaging['kinds']
  return { algorithm, version, dryRun, isNew: !before, kinds }
}

function compareKind(
  kind: Kind,
  wanted: ReadonlyMap<string, Entity>,
  before: LoadedVersion | undefined,
): ImportedKind {
  const added: string[] = []
  const changed: string[] = []
  for (const [id, entity] of wanted) {
    const known = before?.entry(kind, id)?.entity
    if (!known) added.push(id)
    else if (documentOf(known) !== documentOf(entity)) changed.push(id)
  }
  const removed = [...(before?.ids(kind) ?? [])].filter((id) => !wanted.has(id))
  const same = wanted.size - added.length - changed.length
  return { added: added.sort(), changed: changed.sort(), removed: removed.sort(), same }
}

function entitiesOf(content: VersionContent, kind: Kind): ReadonlyMap<string, Entity> {
  return { schema: content.schemas, table: content.tables, glossary: content.glossary }[kind]
}

/** Stores the archive within a transaction. */
async function store(
  sources: EditSources,
  content: VersionContent,
  archive: string,
  { user, onProgress }: ImportStaging,
): Promise<{ readonly report: Omit<ImportedStaging, 'issues'>; readonly after: LoadedVersion }> {
  const { transaction, loaded, clock } = sources
  const { algorithm } = content
  if (!(await transaction.algorithm(algorithm))) {
    await transaction.putAlgorithm({ algorithm, name: algorithm, description: null })
  }
  const stored = await transaction.version(content)
  const made = { type: 'PRODUCTION', lastModified: clock().toISOString() } as const
  const version = stored ?? (await storeVersion(transaction, content, made))
  const before = await loaded.readNow(transaction, version)
  const edits = KINDS.flatMap((kind) => editsOf(kind, entitiesOf(content, kind), before))
  const report = compare(content, stored && before, false)
  let done = 0
  const { after } = await applyEdits(sources, version, edits, {
    user,
    comment: `imported from ${archive}`,
    skipSame: true,
    anyTables: true,
    onStored: () => onProgress?.({ phase: 'storing', done: ++done, total: edits.length }),
  })
  return { report, after }
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** Creates edits that store all wanted entities and delete the others. Times set by the publisher are kept. */
function editsOf(kind: Kind, wanted: ReadonlyMap<string, Entity>, before: LoadedVersion): Edit[] {
  const puts = [...wanted].map(([id, entity]) => {
    const { last_modified = '' } = entity
    return { kind, id, entity, ...(TIME.test(last_modified) && { modified: last_modified }) }
  })
  const removed = [...before.ids(kind)].filter((id) => !wanted.has(id))
  return [...puts, ...removed.map((id) => ({ kind, id }))] as Edit[]
}
