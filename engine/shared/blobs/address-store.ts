import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeDurably } from '../durable.ts'
import { EngineError } from '../errors.ts'
import { isObject } from '../input/unknowns.ts'
import { unlessAbsent } from '../unless-absent.ts'
import type { AddressedBytes, Addresses } from './address.ts'
import type { BlobStore, OpenBlob, PutOptions } from './blob.ts'
import { ADDRESS_NAME, type BlobKey } from './blob-key.ts'
import type { FolderStore } from './folder-store.ts'
import { type FileIdentity, sameIdentity } from './identity.ts'
import type { MadeStore } from './made-store.ts'
import { ObjectBlob } from './object-blob.ts'
import { PageMemory } from './page-memory.ts'

/** Address of a file's bytes, and their identity when the file was imported. */
interface StoredAddress {
  readonly name: string
  readonly address: string
  readonly identity: FileIdentity
}

/** Milliseconds for which the identity at an address is trusted. Range requests are conditional on it anyway. */
const TRUST_MILLISECONDS = 30_000
/** Maximum number of addresses whose identity is remembered. */
const MAX_REMEMBERED = 256

/** A folder in which a file may be replaced by the address of its bytes. Bytes in the folder take precedence. */
export class AddressStore implements BlobStore {
  readonly kind = 'folder'
  readonly #local: FolderStore | MadeStore
  readonly #folder: FolderStore
  readonly #addresses: Addresses
  readonly #pages = new PageMemory()
  readonly #seen = new Map<string, { readonly at: number; readonly bytes: AddressedBytes }>()

  constructor(local: FolderStore | MadeStore, folder: FolderStore, addresses: Addresses) {
    this.#local = local
    this.#folder = folder
    this.#addresses = addresses
  }

  async open(key: BlobKey): Promise<OpenBlob> {
    try {
      return await this.#local.open(key)
    } catch (error) {
      const isAbsent = error instanceof EngineError && error.code === 'unavailable'
      const stored = isAbsent ? await readAddress(this.#folder, key) : undefined
      if (!stored) throw error
      const { identity, reader } = await this.#look(stored)
      return new ObjectBlob(reader, stored.address, identity, this.#pages)
    }
  }

  async identity(key: BlobKey): Promise<FileIdentity | undefined> {
    const local = await this.#local.identity(key)
    if (local) return local
    const stored = await readAddress(this.#folder, key)
    return stored && (await this.#look(stored)).identity
  }

  /**
   * Opens an address, or returns it if it is already in memory.
   * @throws EngineError `unavailable` if the bytes at the address have changed or cannot be read
   */
  async #look({ address, identity }: StoredAddress): Promise<AddressedBytes> {
    const seen = this.#seen.get(address)
    const isFresh = seen && performance.now() - seen.at < TRUST_MILLISECONDS
    const bytes = isFresh ? seen.bytes : await this.#addresses.open(address).catch(explain)
    if (!sameIdentity(bytes.identity, identity)) {
      this.#seen.delete(address)
      throw new EngineError(
        'unavailable',
        'the file at its address changed after it was stored; import it again',
      )
    }
    if (!isFresh) {
      this.#seen.delete(address)
      this.#seen.set(address, { at: performance.now(), bytes })
      const [oldest] = this.#seen.keys()
      if (this.#seen.size > MAX_REMEMBERED && oldest !== undefined) this.#seen.delete(oldest)
    }
    return bytes
  }

  async path(key: BlobKey): Promise<string> {
    return this.#local.path(key)
  }

  take(key: BlobKey, path: string, options?: PutOptions): Promise<void> {
    return this.#local.take(key, path, options)
  }

  remove(key: BlobKey): Promise<void> {
    return this.#local.remove(key)
  }

  keys(): AsyncIterable<BlobKey> {
    return this.#local.keys()
  }
}

/** Wraps an error of an address as `unavailable`: the caller requested a file, not the address. */
function explain(cause: unknown): never {
  if (!(cause instanceof EngineError)) throw cause
  throw new EngineError(
    'unavailable',
    `the file is at an address that cannot be read: ${cause.message}`,
    {
      cause,
    },
  )
}

/** Stores an address in the folder of a file, in place of its bytes. */
export function writeAddress(
  folder: FolderStore,
  id: string,
  stored: StoredAddress,
): Promise<void> {
  const place = dirname(folder.path({ id, name: stored.name }))
  return writeDurably(place, ADDRESS_NAME, `${JSON.stringify(stored)}\n`)
}

async function readAddress(
  folder: FolderStore,
  { id, name }: BlobKey,
): Promise<StoredAddress | undefined> {
  const place = join(dirname(folder.path({ id, name })), ADDRESS_NAME)
  const text = await unlessAbsent(readFile(place, 'utf8'))
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value) && isObject(value.identity)) {
      const { name: named, address, identity } = value
      const { size, modified, inode } = identity
      const isWhole =
        typeof address === 'string' &&
        typeof size === 'number' &&
        typeof modified === 'string' &&
        typeof inode === 'string'
      // The bytes at the address are those of one file only. Other files of the folder are elsewhere.
      if (isWhole && named !== name) return undefined
      if (isWhole) return { name, address, identity: { size, modified, inode } }
    }
  } catch (cause) {
    throw new EngineError('corrupt_source', 'the address of a stored file is damaged', { cause })
  }
  throw new EngineError('corrupt_source', 'the address of a stored file is damaged')
}
