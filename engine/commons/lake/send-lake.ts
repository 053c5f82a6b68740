import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ObjectStoreOptions } from '../../shared/blobs/object-client.ts'
import type { ObjectFolder } from '../../shared/blobs/object-folder.ts'
import { ObjectStore } from '../../shared/blobs/object-store.ts'
import { EngineError } from '../../shared/errors.ts'
import { checkPrefix } from '../distribution/check-prefix.ts'
import { LOG_FOLDER, logName, readLog } from './delta-log.ts'
import type { ExportedLake } from './export-lake.ts'

interface SendLake {
  /** Folder of the lake on the local disk. Exports write there, never to the bucket. */
  readonly folder: string
  readonly objects: ObjectStoreOptions
  /** Key prefix of the lake in the bucket. */
  readonly prefix: string
  readonly signal?: AbortSignal | undefined
}

/**
 * Uploads the parts of a lake that the bucket lacks: first the data files of each table, then its commits in
 * order. A reader of the bucket therefore never sees a commit whose files are missing.
 * @returns number of bytes uploaded
 * @throws EngineError bad_input for an invalid prefix; conflict if the bucket has other commits; unavailable
 */
export async function sendLake(
  { tables }: Pick<ExportedLake, 'tables'>,
  { folder, objects, prefix, signal }: SendLake,
): Promise<number> {
  const store = new ObjectStore(objects)
  try {
    const sending = new Sending(folder, store.folder(checkPrefix(prefix)), signal)
    await sending.list()
    for (const { name, version } of tables) {
      const { files } = await readLog(join(folder, name))
      for (const { path } of files) await sending.file(`${name}/${decodeURI(path)}`)
      for (let i = 0; i <= version; i++) await sending.commit(`${name}/${LOG_FOLDER}/${logName(i)}`)
    }
    return sending.bytes
  } finally {
    await store.close()
  }
}

class Sending {
  readonly #folder: string
  readonly #bucket: ObjectFolder
  readonly #signal: AbortSignal | undefined
  /** Size in bytes of each object in the bucket, by name. */
  readonly #there = new Map<string, number>()
  bytes = 0

  constructor(folder: string, bucket: ObjectFolder, signal: AbortSignal | undefined) {
    this.#folder = folder
    this.#bucket = bucket
    this.#signal = signal
  }

  async list(): Promise<void> {
    for await (const { key, bytes } of this.#bucket.list()) this.#there.set(key, bytes)
  }

  /** Uploads a file unless the bucket has its name and size. Names are never reused. */
  async file(name: string): Promise<void> {
    const path = join(this.#folder, name)
    const { size } = await stat(path)
    if (this.#there.get(name) === size) return
    await this.#bucket.put(name, path, { signal: this.#signal })
    this.bytes += size
  }

  async commit(name: string): Promise<void> {
    const text = await readFile(join(this.#folder, name))
    if (!this.#there.has(name)) {
      await this.#bucket.putBytes(name, text, this.#signal)
      this.bytes += text.length
      return
    }
    if (text.equals(await this.#read(name))) return
    const message = `object "${name}" in the bucket is another commit; give another prefix`
    throw new EngineError('conflict', message)
  }

  async #read(name: string): Promise<Buffer> {
    const blob = await this.#bucket.open(name)
    try {
      const bytes = Buffer.alloc(blob.identity.size)
      await blob.read(bytes, 0, { signal: this.#signal })
      return bytes
    } finally {
      await blob.close()
    }
  }
}
