import { existsSync } from 'node:fs'
import { copyFile, mkdir, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Executor } from '../../engine/executor.ts'
import { type AlignmentPaths, openAlignment } from '../../engine/slicing/alignment.ts'
import { importBam } from '../../engine/slicing/import-bam.ts'
import { pathsOf } from '../../engine/slicing/stored.ts'
import { FileCatalogue, type StoredFile } from '../../engine/store/files.ts'
import { openState, statePath } from '../../engine/store/state.ts'
import { makeBam } from '../../fixtures/bam/make-bam.ts'
import type { ProfileName } from '../../fixtures/bam/profiles.ts'
import { layoutOf } from './layout.ts'

type Note = (text: string) => void

/** A data folder of the service, and the file in it. */
export interface Home {
  readonly folder: string
  readonly file: StoredFile
  /** Where the parts of the file are. */
  readonly paths: AlignmentPaths
}

/** Git ignores it. */
const DATA = join(import.meta.dirname, '..', 'data')

const FILES = { full: join(DATA, 'bench.bam'), quick: join(DATA, 'quick.bam') } as const

/** Makes the file and the service's data folder, unless they are there from an earlier run. */
export async function prepareInput(
  name: keyof typeof FILES,
  executor: Executor,
  note: Note,
): Promise<Home> {
  const path = FILES[name]
  const folder = join(DATA, `home-${name}`)
  await makeIfMissing(path, layoutOf(name).scale, note)
  return withFiles(folder, async (files) => {
    const known = await currentFile(files, path, executor)
    const file = known ?? (await importFile(folder, files, path, executor, note))
    return { folder, file, paths: pathsOf(files, file) }
  })
}

async function makeIfMissing(path: string, scale: ProfileName | number, note: Note) {
  if (existsSync(path) && existsSync(`${path}.bai`)) return
  note(`making ${path}`)
  await mkdir(dirname(path), { recursive: true })
  const tell = everyTenth(note)
  await makeBam(
    { path, scale, seed: 1, style: 'htslib' },
    { onProgress: ({ records, expectedRecords }) => tell(records / expectedRecords) },
  )
}

async function withFiles<Result>(
  folder: string,
  use: (files: FileCatalogue) => Promise<Result>,
): Promise<Result> {
  await mkdir(folder, { recursive: true })
  const state = openState(statePath(folder))
  try {
    return await use(new FileCatalogue(state, join(folder, 'files')))
  } finally {
    state.close()
  }
}

async function importFile(
  folder: string,
  files: FileCatalogue,
  path: string,
  executor: Executor,
  note: Note,
): Promise<StoredFile> {
  note(`importing ${path}`)
  const tell = everyTenth(note)
  const { file } = await importBam(
    { path, access: 'open', link: true },
    {
      dataFolder: folder,
      files,
      executor,
      clock: () => new Date(),
      onProgress: (bytes, total) => tell(bytes / total),
    },
  )
  return file
}

/** The stored file with that name, if it is still the one on disk and its directory is current. */
async function currentFile(files: FileCatalogue, source: string, executor: Executor) {
  const file = files.list().find(({ fileName }) => source.endsWith(`/${fileName}`))
  if (!file) return undefined
  try {
    const { handle, directory } = await openAlignment(pathsOf(files, file), executor)
    await handle.close()
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
  return withFiles(fresh, async (files) => {
    const target = pathsOf(files, file)
    await mkdir(dirname(target.path), { recursive: true })
    await symlink(paths.path, target.path)
    await copyFile(paths.indexPath!, target.indexPath!)
    files.add(file)
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
