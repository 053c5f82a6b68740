import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { eachOf } from '../concurrency/each-of.ts'
import { descriptorShortage } from '../descriptors.ts'
import { syncFolder } from '../durable.ts'
import { EngineError } from '../errors.ts'
import type { Executor, Job, RunOptions } from '../executor.ts'
import { NO_PATH, unlessAbsent } from '../unless-absent.ts'
import type { BlobStore, OpenBlob, PutOptions, WithSource } from './blob.ts'
import { type BlobKey, blobKey } from './blob-key.ts'
import { type FileIdentity, identityOf } from './identity.ts'
import { damage } from './source.ts'

/** Number of bytes that one system call reads without blocking for long. */
const READ_BYTES = 1 << 20

/** Stores bytes in a folder on this machine, with one subfolder per file id. */
export class FolderStore implements BlobStore {
  readonly kind = 'folder'
  readonly #root: string

  constructor(root: string) {
    this.#root = resolve(root)
  }

  /**
   * Returns the absolute path of a key. It is always directly inside the folder of its id.
   * @throws EngineError `bad_input` like blobKey
   */
  path({ id, name }: BlobKey): string {
    const key = blobKey(id, name)
    return join(this.#root, key.id, key.name)
  }

  open(key: BlobKey): Promise<OpenBlob> {
    return openFile(this.path(key))
  }

  async identity(key: BlobKey): Promise<FileIdentity | undefined> {
    const looking = unlessAbsent(stat(this.path(key), { bigint: true }), NO_PATH)
    const stats = await looking.catch((cause: unknown) => {
      throw new EngineError('unavailable', 'stored file cannot be looked at', { cause })
    })
    return stats?.isFile() ? identityOf(stats) : undefined
  }

  async take(key: BlobKey, path: string, { signal }: PutOptions = {}): Promise<void> {
    signal?.throwIfAborted()
    await this.takeAll([{ key, path }])
  }

  /** Does the same as `take` for many small files, and syncs each folder only once. */
  async takeAll(files: readonly { readonly key: BlobKey; readonly path: string }[]): Promise<void> {
    const folders = new Set<string>()
    await eachOf(files, async ({ key, path }) => {
      const target = this.path(key)
      await mkdir(dirname(target), { recursive: true })
      await rename(path, target)
      folders.add(dirname(target))
    })
    await eachOf([...folders], syncFolder)
    if (folders.size > 0) await syncFolder(this.#root)
  }

  async remove(key: BlobKey): Promise<void> {
    // The folder also contains files derived from the file.
    await rm(dirname(this.path(key)), { recursive: true, force: true })
    await unlessAbsent(syncFolder(this.#root))
  }

  async *keys(): AsyncGenerator<BlobKey> {
    const ids = (await unlessAbsent(readdir(this.#root))) ?? []
    for (const id of ids) {
      // An entry that is not a folder contains no keys.
      const names = await unlessAbsent(readdir(join(this.#root, id)), NO_PATH)
      for (const name of names ?? []) yield { id, name }
    }
  }
}

/**
 * Opens a local file as a blob.
 * @throws EngineError `unavailable` if it does not exist or cannot be opened, `busy` if no file descriptors
 * are left
 */
export async function openFile(path: string): Promise<OpenBlob> {
  const handle = await open(path, 'r').catch((cause: unknown) => {
    const shortage = descriptorShortage(cause)
    throw shortage ?? new EngineError('unavailable', 'stored file cannot be opened', { cause })
  })
  try {
    const stats = await handle.stat({ bigint: true })
    if (!stats.isFile()) {
      throw new EngineError('unavailable', 'stored file is a folder, a pipe or a device')
    }
    return new FileBlob(handle, identityOf(stats))
  } catch (error) {
    await handle.close()
    throw error
  }
}

class FileBlob implements OpenBlob {
  readonly readBytes = READ_BYTES
  readonly isLocal = true
  readonly identity: FileIdentity
  readonly #handle: FileHandle

  constructor(handle: FileHandle, identity: FileIdentity) {
    this.#handle = handle
    this.identity = identity
  }

  async read(into: Uint8Array, position: number): Promise<number> {
    let filled = 0
    while (filled < into.length) {
      const { bytesRead } = await this.#handle
        .read(into, filled, into.length - filled, position + filled)
        .catch((cause: unknown) => {
          throw damage('disk cannot read', position + filled, cause)
        })
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return filled
  }

  run<Input, Output>(
    executor: Executor,
    job: Job<Input & WithSource, Output>,
    input: Input,
    options?: RunOptions,
  ): Promise<Output> {
    const source = { descriptor: this.#handle.fd, size: this.identity.size }
    return executor.run(job, { ...input, source }, options)
  }

  async close(): Promise<void> {
    await this.#handle.close()
  }
}
