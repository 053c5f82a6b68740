import { createCipheriv, createHash, type Hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildRelease } from '../../../engine/commons/release/build.ts'
import { Releases } from '../../../engine/commons/release/releases.ts'
import { FolderStore } from '../../../engine/shared/blobs/folder-store.ts'
import { FileCatalogue, type StoredFile } from '../../../engine/shared/catalogue/files.ts'
import type { Executor } from '../../../engine/shared/executor.ts'
import { sharedState } from '../../../engine/shared-state.ts'
import { type InputName, idOf, layoutOf, nameOf, SET_NAMES, type SetName } from './layout.ts'
import { PINS } from './pins.ts'

export interface Input {
  /** Data folder of the service. */
  readonly home: string
  /** The same files under their names alone, for a plain server. */
  readonly plain: string
}

const CREATED = '2026-01-01T00:00:00.000Z'
const CHUNK_BYTES = 1 << 20

/**
 * Makes the files, a release that speaks of them, and the service's catalogue, unless they are there
 * from an earlier run.
 * @throws Error when the bytes are not the pinned ones
 */
export async function prepareInput(
  name: InputName,
  folder: string,
  executor: Executor,
): Promise<Input> {
  const input = { home: join(folder, 'home'), plain: join(folder, 'plain') }
  if (existsSync(folder)) return input
  const making = `${folder}.making`
  await rm(making, { recursive: true, force: true })
  const [home, plain] = [join(making, 'home'), join(making, 'plain')]
  await mkdir(home, { recursive: true })
  await mkdir(plain, { recursive: true })
  const files: StoredFile[] = []
  for (const set of SET_NAMES) files.push(...(await makeSet(name, set, plain)))
  const state = sharedState({ dataFolder: home })
  await new FileCatalogue(state).addAll(files)
  await state.close()
  const store = new FolderStore(join(home, 'files'))
  for (const { id, fileName } of files) {
    const path = store.path({ id, name: fileName })
    await mkdir(join(path, '..'), { recursive: true })
    // One file under two names: both servers read the same pages of the system's cache.
    await link(join(plain, fileName), path)
  }
  await makeRelease(making, home, files, executor)
  await rename(making, folder)
  return input
}

/** Cuts one stream of bytes into the files of a set. */
async function makeSet(name: InputName, set: SetName, folder: string): Promise<StoredFile[]> {
  const { count, bytes } = layoutOf(name)[set]
  const start = Buffer.alloc(16)
  start[3] = SET_NAMES.indexOf(set)
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16), start)
  const zeros = Buffer.alloc(CHUNK_BYTES)
  const all = createHash('md5')
  const files: StoredFile[] = []
  for (let i = 0; i < count; i++) {
    const next = (length: number) => cipher.update(zeros.subarray(0, length))
    const md5 = await writeBytes(join(folder, nameOf(set, i)), bytes, next, all)
    files.push({
      id: idOf(set, i),
      fileName: nameOf(set, i),
      size: bytes,
      md5,
      dataFormat: null,
      access: 'open',
      acl: [],
      partOf: null,
      indexName: null,
      storage: 'folder',
      linkedModified: null,
      createdAt: CREATED,
    })
  }
  const md5 = all.digest('hex')
  if (md5 !== PINS[name][set]) throw new Error(`the bytes of ${set} have md5 ${md5}`)
  return files
}

async function writeBytes(
  path: string,
  bytes: number,
  next: (length: number) => Buffer,
  all: Hash,
): Promise<string> {
  const own = createHash('md5')
  const file = await open(path, 'w')
  try {
    for (let left = bytes; left > 0; ) {
      const chunk = next(Math.min(left, CHUNK_BYTES))
      own.update(chunk)
      all.update(chunk)
      await file.writeFile(chunk)
      left -= chunk.length
    }
  } finally {
    await file.close()
  }
  return own.digest('hex')
}

async function makeRelease(
  folder: string,
  home: string,
  files: readonly StoredFile[],
  executor: Executor,
): Promise<void> {
  const path = join(folder, 'files.ndjson')
  const records = files.map(({ id, fileName, size, md5 }) => {
    const facts = { file_id: id, file_name: fileName, file_size: size, md5sum: md5 }
    return `${JSON.stringify({ ...facts, access: 'open', acl: ['open'] })}\n`
  })
  await writeFile(path, records.join(''))
  const releases = new Releases(home)
  const version = { major: 1, minor: 0, releaseDate: '2026-01-01' }
  const facts = { dataRelease: 'Data Release 1.0', version, createdAt: CREATED, id: 'bench' }
  await buildRelease({ folder: releases.path, sources: { files: path }, facts, executor })
  await releases.switchTo('bench')
}
