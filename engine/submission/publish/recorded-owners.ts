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
  /** Of submissions; absent where there never were any. */
  readonly database: Database | undefined
  /** Of the current release; opened when there is something to derive. */
  readonly openOwners: () => Promise<Owners>
}

/** A file of before owners were recorded, and who stored it: undefined where that is not known. */
export interface DerivedOwner {
  readonly id: string
  readonly owner: string | undefined
  /** Whose entity has the id without having its data. */
  readonly claimedBy: string | undefined
}

/** Files that are looked at together. */
const PAGE_FILES = 500

/**
 * Derives who stored files that no owner is recorded of: the project whose entity has the id and
 * exactly its data, unless the release has the file as another project's; an import when no entity of
 * a file has the id. Of others it is not known. Records nothing.
 * @throws EngineError corrupt_source when the release cannot be asked, unavailable, busy
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
 * Records what can be derived; when there is nothing to derive, that is one statement.
 * @returns of how many files it is not known who stored them
 * @throws EngineError as derivedOwners
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

/** Whether a release that speaks of a file has it as that of one project. */
function isOnly(projectId: string, projects: readonly string[] | undefined): boolean {
  if (!projects) return true
  return projects.length > 0 && projects.every((one) => one === projectId)
}
