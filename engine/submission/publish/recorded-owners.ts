import { IMPORT } from '../../shared/catalogue/file-owners.ts'
import type { FileCatalogue, StoredFile } from '../../shared/catalogue/files.ts'
import type { Database } from '../../shared/database/database.ts'
import { pagesOf } from '../../shared/streams/pages-of.ts'
import type { StoredEntity } from '../transactions/graph.ts'
import { entitiesById } from '../transactions/store/entities.ts'
import type { Owners } from './owners.ts'
import { VERIFIED } from './stored-bytes.ts'

export interface DerivingContext {
  readonly files: FileCatalogue
  /** Database of submissions. Undefined if the data folder never had any. */
  readonly database: Database | undefined
  /** Opens the owners of records in the current release. Called on first use. */
  readonly openOwners: () => Promise<Owners>
}

/** A file that was stored before owners were recorded. `owner` is undefined if it cannot be derived. */
interface DerivedOwner {
  readonly id: string
  readonly owner: string | undefined
  /** Project with an entity that has the file's id but describes other data. */
  readonly claimedBy: string | undefined
}

/** Number of files processed at a time. */
const PAGE_FILES = 500

/**
 * Derives the owner of each file without a recorded one. The owner is the project that has an entity with the
 * same id and data, unless the release assigns the file to another project. If no entity has the id, the owner
 * is the import. Otherwise the owner is unknown. Records nothing.
 * @throws EngineError `corrupt_source` if the release cannot be read, `unavailable`, `busy`
 */
export async function* derivedOwners(
  context: DerivingContext,
): AsyncGenerator<readonly DerivedOwner[], void, undefined> {
  let owners: Owners | undefined
  try {
    for await (const page of pagesOf(context.files.eachWithoutOwner(), PAGE_FILES)) {
      owners ??= await context.openOwners()
      yield await derived(page, owners, context.database)
    }
  } finally {
    await owners?.close()
  }
}

/**
 * Records the owners that can be derived. If all owners are already recorded, this takes one statement.
 * @returns the number of files whose owner is unknown
 * @throws EngineError like derivedOwners
 */
export async function recordOwners(context: DerivingContext): Promise<number> {
  let unknown = 0
  for await (const page of derivedOwners(context)) {
    const found = page.flatMap(({ id, owner }) => (owner === undefined ? [] : [{ id, owner }]))
    await context.files.owners.record(found)
    unknown += page.length - found.length
  }
  return unknown
}

async function derived(
  files: readonly StoredFile[],
  owners: Owners,
  database: Database | undefined,
): Promise<readonly DerivedOwner[]> {
  const ids = files.map(({ id }) => id)
  const found = (await database?.read((rows) => entitiesById(rows, ids))) ?? []
  const entities = new Map(found.map((one) => [one.id, one]))
  const released = await owners.of('files', ids)
  return files.map((file) => {
    const { id } = file
    const entity = entities.get(id)
    if (!entity || entity.fileState === null) return { id, owner: IMPORT, claimedBy: undefined }
    const { projectId } = entity
    const isTheirs = hasData(entity, file) && isOnly(projectId, released.get(id))
    return { id, owner: isTheirs ? projectId : undefined, claimedBy: projectId }
  })
}

function hasData({ fileState, properties }: StoredEntity, { md5, size }: StoredFile): boolean {
  const isProved = fileState !== null && VERIFIED.has(fileState)
  return isProved && properties.md5sum === md5 && Number(properties.file_size) === size
}

/** Returns whether a release that contains a file assigns it to this project alone. */
function isOnly(projectId: string, projects: readonly string[] | undefined): boolean {
  if (!projects) return true
  return projects.length > 0 && projects.every((one) => one === projectId)
}
