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
  /** Project whose file entity has the file's id, whether or not it describes the same data. */
  readonly claimedBy: string | undefined
}

/** Number of files processed at a time. */
const PAGE_FILES = 500

/**
 * Derives the owner of each file without a recorded one, and records nothing:
 * 1. If no file entity has the file's id, the owner is the import.
 * 2. If the file entity is verified and has the same md5 and size, its project is the owner, unless the release
 *    assigns the file to another project.
 * 3. Otherwise the owner is unknown.
 * @throws EngineError `corrupt_source` if the release cannot be read, `unavailable` or `busy` from the database
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

/**
 * Returns whether the release permits this project as the owner of a file: it does not contain the file, or
 * assigns it to this project alone.
 * @param projects of the file in the release; undefined if the release does not contain the file
 */
function isOnly(projectId: string, projects: readonly string[] | undefined): boolean {
  if (!projects) return true
  return projects.length > 0 && projects.every((one) => one === projectId)
}
