import { basename } from 'node:path'
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
  /** What the history calls who imports. */
  readonly user: string
  /** Says what would change and changes nothing. */
  readonly dryRun?: boolean
  readonly onProgress?: (step: ImportStagingStep) => void
}

/** How far an import is. */
export interface ImportStagingStep {
  readonly phase: 'storing'
  /** Entities. */
  readonly done: number
  readonly total: number
}

/** Ids of what an import changed of one kind, ascending. */
export interface ImportedKind {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
  readonly same: number
}

export interface ImportedStaging extends VersionName {
  readonly dryRun: boolean
  /** Whether the version was not there before. */
  readonly isNew: boolean
  readonly kinds: { readonly [K in Kind]: ImportedKind }
  /** Ranges of its tables that nothing matches; they are stored as they are. */
  readonly issues: readonly ReferenceFinding[]
}

/**
 * Makes a version be what an archive holds: one transaction, with an entry in the history for each
 * entity that is not the same already. The algorithm and the version are made where they are not
 * there, the version as one of production.
 * @throws EngineError as readAlgorithmZip; bad_input for a name that is reserved
 */
export async function importStaging(
  sources: StagingSources,
  path: string,
  run: ImportStaging,
): Promise<ImportedStaging> {
  const archive = basename(path)
  const content = await readArchive(path).catch((error) => {
    // What the system says names the whole path.
    throw isSystemError(error.cause) ? error : errorIn(archive, error, ': ')
  })
  const issues = issuesOf(content)
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

async function readArchive(path: string): Promise<VersionContent> {
  const content = await readAlgorithmZip(path)
  checkAlgorithmName(content.algorithm)
  checkVersionName(content.version)
  return content
}

/** What differs between what is stored and what the archive holds. */
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

/** Inside a transaction. */
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
    ...{ user, comment: `imported from ${archive}`, skipSame: true, anyTables: true },
    onStored: () => onProgress?.({ phase: 'storing', done: ++done, total: edits.length }),
  })
  return { report, after }
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

/** Puts of all that is wanted, and deletes of the rest. The publisher's times stay. */
function editsOf(kind: Kind, wanted: ReadonlyMap<string, Entity>, before: LoadedVersion): Edit[] {
  const puts = [...wanted].map(([id, entity]) => {
    const { last_modified = '' } = entity
    return { kind, id, entity, ...(TIME.test(last_modified) && { modified: last_modified }) }
  })
  const removed = [...before.ids(kind)].filter((id) => !wanted.has(id))
  return [...puts, ...removed.map((id) => ({ kind, id }))] as Edit[]
}
