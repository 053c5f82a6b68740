import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobKey } from '../../shared/blobs/blob-key.ts'
import { FolderStore } from '../../shared/blobs/folder-store.ts'
import { type FileIdentity, sameIdentity } from '../../shared/blobs/identity.ts'
import type { MakeBytes } from '../../shared/blobs/made-store.ts'
import type { FileCatalogue, StoredFile } from '../../shared/catalogue/files.ts'
import { eachOf } from '../../shared/concurrency/each-of.ts'
import { EngineError } from '../../shared/errors.ts'
import type { FolderCopy } from '../../shared/folder-copy.ts'
import {
  GENE_DIRECTORY,
  loadGeneDirectory,
  saveGeneDirectory,
} from '../analysis/single-cell/gene-file.ts'
import { localNames } from '../import/files/present.ts'
import { loadDirectory, saveDirectory } from '../slicing/directory.ts'
import { DIRECTORY_NAME } from '../slicing/stored.ts'

interface CopyStored {
  readonly copy: FolderCopy
  /** Catalogue to copy: a snapshot. */
  readonly files: FileCatalogue
  /** The catalogue in its current state. The copy may be older. */
  readonly now: FileCatalogue
  /** Generates missing bytes of a file, so that they need not be copied. */
  readonly makeBytes?: MakeBytes | undefined
  /** Called with the number of bytes of each copied file. */
  readonly onBytes?: ((bytes: number) => void) | undefined
}

const FILES_FOLDER = 'files'
/** Number of files to look up again together. */
const PAGE_FILES = 256

/**
 * Copies the stored files of a catalogue with their indexes and derived files. Bytes in object storage stay
 * there, and linked files are copied as links.
 * @returns paths of files whose bytes are missing or have changed
 */
export async function copyStored(what: CopyStored): Promise<readonly string[]> {
  const { copy, files, now, makeBytes, onBytes } = what
  const gone: string[] = []
  const ids = new Set<string>()
  let page: StoredFile[] = []
  const flush = async () => {
    await eachOf(page, async (file) => {
      const isThere = (await copyOne(copy, file)) || (await makeBytes?.(keyOf(file)))
      if (!isThere) gone.push(join(FILES_FOLDER, file.id))
      onBytes?.(file.size)
    })
    const known = await now.findAll(page.map(({ id }) => id))
    const isOther = ({ id, md5 }: StoredFile) => known.get(id)?.md5 !== md5
    gone.push(...page.filter(isOther).map(({ id }) => join(FILES_FOLDER, id)))
    page = []
  }
  for await (const file of files.each()) {
    ids.add(file.id)
    if (page.push(file) === PAGE_FILES) await flush()
  }
  await flush()
  await copy.keepOnly(FILES_FOLDER, ids)
  return gone
}

const keyOf = ({ id, fileName }: StoredFile): BlobKey => ({ id, name: fileName })

async function copyOne(copy: FolderCopy, file: StoredFile): Promise<boolean> {
  const { id, fileName, storage } = file
  const folder = join(FILES_FOLDER, id)
  const isCopied = storage !== 'folder' || (await copy.file(join(folder, fileName)))
  for (const name of localNames(file)) {
    if (name === fileName) continue
    const write = writerOf(name, file, copy)
    await copy.file(join(folder, name), write && { write })
  }
  await copy.keepOnly(folder, localNames(file))
  return isCopied
}

type Write = (source: string, part: string) => Promise<void>

/** Returns a writer for derived files. In the copy, they belong to the state of the copied file. */
function writerOf(name: string, file: StoredFile, copy: FolderCopy): Write | undefined {
  const load = LOADERS.get(name)
  if (!load || file.storage !== 'folder') return undefined
  const identityIn = (folder: string) =>
    new FolderStore(join(folder, FILES_FOLDER)).identity(keyOf(file))
  return async (source, part) => {
    const loaded = await load(source).catch(nothingOfDamaged)
    const [was, is] = [await identityIn(copy.from), await identityIn(copy.to)]
    try {
      // A derived file that is damaged or outdated is copied unchanged and remains invalid.
      if (!loaded || !was || !is || !sameIdentity(loaded.of, was)) await copyFile(source, part)
      else await loaded.save(part, is)
    } finally {
      await loaded?.close?.()
    }
  }
}

function nothingOfDamaged(error: unknown): undefined {
  if (!(error instanceof EngineError)) throw error
}

interface Loaded {
  readonly of: FileIdentity
  save(path: string, identity: FileIdentity): Promise<void>
  close?(): Promise<void>
}

const LOADERS: ReadonlyMap<string, (path: string) => Promise<Loaded | undefined>> = new Map([
  [DIRECTORY_NAME, loadBlocks],
  [GENE_DIRECTORY, loadGenes],
])

async function loadBlocks(path: string): Promise<Loaded> {
  const { directory, facts, close } = await loadDirectory(path)
  return { of: facts, save: (to, identity) => saveDirectory(to, directory, identity), close }
}

async function loadGenes(path: string): Promise<Loaded | undefined> {
  const loaded = await loadGeneDirectory(path)
  if (!loaded) return undefined
  const { directory, identity: of } = loaded
  return { of, save: (to, identity) => saveGeneDirectory(to, directory, identity) }
}
