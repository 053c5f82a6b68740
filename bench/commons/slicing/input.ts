import { existsSync } from 'node:fs'
import { copyFile, mkdir, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { importBam } from '../../../engine/commons/import/files/import-bam.ts'
import { openAlignment } from '../../../engine/commons/slicing/alignment.ts'
import { type AlignmentPaths, localAlignment } from '../../../engine/commons/slicing/parts.ts'
import { pathsOf } from '../../../engine/commons/slicing/stored.ts'
import { BlobStores } from '../../../engine/shared/blobs/blob-stores.ts'
import { FolderStore } from '../../../engine/shared/blobs/folder-store.ts'
import { FileCatalogue, type StoredFile } from '../../../engine/shared/catalogue/files.ts'
import type { Executor } from '../../../engine/shared/executor.ts'
import { sharedState } from '../../../engine/shared-state.ts'
import { makeBam } from '../../../fixtures/bam/make-bam.ts'
import { DATA_FOLDER } from '../../data-folder.ts'
import { layoutOf } from './layout.ts'

type Note = (text: string) => void

/** A data folder of the service, and the file in it. */
export interface Home {
  readonly folder: string
  readonly file: StoredFile
  /** Where the parts of the file are. */
  readonly paths: AlignmentPaths
}

const FILES = {
  full: join(DATA_FOLDER, 'bench.bam'),
  quick: join(DATA_FOLDER, 'quick.bam'),
} as const

/** Makes the file and the service's data folder, unless they are there from an earlier run. */
export async function prepareInput(
  name: keyof typeof FILES,
  executor: Executor,
  note: Note,
): Promise<Home> {
  const path = await prepareBam(name, note)
  const folder = join(DATA_FOLDER, `home-${name}`)
  return withHome(folder, async (home) => {
    const known = await currentFile(home, path, executor)
    const file = known ?? (await importFile(home, path, executor, note))
    return { folder, file, paths: pathsOf(home.blobs.folder, file) }
  })
}

/** Makes the file alone, with its index beside it, unless it is there; gives its path. */
export async function prepareBam(name: keyof typeof FILES, note: Note): Promise<string> {
  const path = FILES[name]
  if (existsSync(path) && existsSync(`${path}.bai`)) return path
  note(`making ${path}`)
  await mkdir(dirname(path), { recursive: true })
  const tell = everyTenth(note)
  await makeBam(
    { path, scale: layoutOf(name).scale, seed: 1, style: 'htslib' },
    { onProgress: ({ records, expectedRecords }) => tell(records / expectedRecords) },
  )
  return path
}

/** What files are kept with. */
interface Stores {
  readonly dataFolder: string
  readonly files: FileCatalogue
  readonly blobs: BlobStores
}

async function withHome<Result>(
  dataFolder: string,
  use: (home: Stores) => Promise<Result>,
): Promise<Result> {
  await mkdir(dataFolder, { recursive: true })
  const state = sharedState({ dataFolder })
  const blobs = new BlobStores(new FolderStore(join(dataFolder, 'files')))
  try {
    return await use({ dataFolder, files: new FileCatalogue(state), blobs })
  } finally {
    await state.close()
  }
}

async function importFile(
  home: Stores,
  path: string,
  executor: Executor,
  note: Note,
): Promise<StoredFile> {
  note(`importing ${path}`)
  const tell = everyTenth(note)
  const { file } = await importBam(
    { path, access: 'open', link: true },
    {
      ...home,
      executor,
      clock: () => new Date(),
      onProgress: (bytes, total) => tell(bytes / total),
    },
  )
  return file
}

/** The stored file with that name, if it is still the one on disk and its directory is current. */
async function currentFile({ files, blobs }: Stores, source: string, executor: Executor) {
  let file: StoredFile | undefined
  for await (const one of files.each()) if (source.endsWith(`/${one.fileName}`)) file ??= one
  if (!file) return undefined
  try {
    const parts = localAlignment(pathsOf(blobs.folder, file))
    const { blob, directory } = await openAlignment(parts, executor)
    await blob.close()
    return directory && file
  } catch {
    return undefined
  }
}

/**
 * A second data folder with the same file, of which the service knows nothing: no block directory,
 * so the first slice proves what it copies, and the service begins to make a directory beside it.
 */
export async function freshHome({ folder, file, paths }: Home): Promise<Home> {
  const fresh = `${folder}-fresh`
  await rm(fresh, { recursive: true, force: true })
  return withHome(fresh, async ({ files, blobs }) => {
    const target = pathsOf(blobs.folder, file)
    await mkdir(dirname(target.path), { recursive: true })
    await symlink(paths.path, target.path)
    await copyFile(paths.indexPath!, target.indexPath!)
    await files.add(file)
    return { folder: fresh, file, paths: target }
  })
}

function everyTenth(note: Note): (share: number) => void {
  let told = 0
  return (share) => {
    const tenth = Math.min(10, Math.floor(share * 10))
    if (tenth > told) note(`  ${tenth * 10} %`)
    told = Math.max(told, tenth)
  }
}
