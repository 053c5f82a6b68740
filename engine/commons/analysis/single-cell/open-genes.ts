import type { FileHandle } from 'node:fs/promises'
import { type FileIdentity, sameIdentity } from '../../../shared/blobs/identity.ts'
import type { LocalSource } from '../../../shared/blobs/source.ts'
import { LeasedCache } from '../../../shared/concurrency/leased-cache.ts'
import {
  type GeneDirectory,
  type GenePaths,
  loadGeneDirectory,
  openGeneNumbers,
} from './gene-file.ts'

/** The copy of a file's values sorted by gene, open for reading. */
export interface OpenGenes {
  readonly directory: GeneDirectory
  readonly source: LocalSource
  /** Cache key, unique for the file and its state. */
  readonly key: string
}

export interface GenesLease {
  readonly genes: OpenGenes
  /** Releases the lease. Repeated calls do nothing. */
  release(): void
}

interface Opened extends OpenGenes {
  /** State of the HDF5 file that the copy was made from. */
  readonly identity: FileIdentity
  readonly file: FileHandle
  readonly bytes: number
  /** Time in milliseconds when `identity` was last confirmed as the current state of the HDF5 file. */
  checkedAt: number
}

interface OpenGenesLimits {
  readonly openFiles: number
  readonly bytes: number
}

const DEFAULT_LIMITS: OpenGenesLimits = { openFiles: 64, bytes: 128 << 20 }

/**
 * Keeps copies of values sorted by gene open between responses, within limits on their number and memory. If a
 * file changes, its copy is opened again, and responses in progress continue with the old one.
 */
export class OpenGenesFiles {
  /** Open copies by path of the directory. A missing copy is not cached. */
  readonly #files: LeasedCache<string, Opened | undefined>

  constructor(limits: OpenGenesLimits = DEFAULT_LIMITS) {
    this.#files = new LeasedCache({
      entries: limits.openFiles,
      bytes: limits.bytes,
      bytesOf: (genes) => genes?.bytes ?? 0,
      dispose: async (genes) => genes?.file.close(),
    })
  }

  /**
   * Leases the copy for this state of a file. Returns undefined if there is no such copy.
   * @throws EngineError corrupt_source, unavailable
   */
  async acquire(paths: GenePaths, identity: FileIdentity): Promise<GenesLease | undefined> {
    const known = this.#files.peek(paths.directory)
    if (known && !sameIdentity(known.identity, identity)) this.forget(paths)
    const lease = await this.#files.acquire(paths.directory, () => openGenes(paths))
    const genes = lease.value
    if (!genes || !sameIdentity(genes.identity, identity)) {
      lease.forget()
      lease.release()
      return undefined
    }
    genes.checkedAt = performance.now()
    return { genes, release: lease.release }
  }

  /** Leases a copy whose state has been confirmed within this many milliseconds. */
  async acquireTrusted(paths: GenePaths, milliseconds: number): Promise<GenesLease | undefined> {
    const lease = this.#files.take(paths.directory)
    if (!lease) return undefined
    const { value: genes, release } = lease
    if (genes && performance.now() - genes.checkedAt <= milliseconds) return { genes, release }
    release()
    return undefined
  }

  /** Removes a file from the cache. It is closed when the last response has released it. */
  forget(paths: GenePaths): void {
    this.#files.forget(paths.directory)
  }

  /** Closes files that are not leased. Each other file is closed when it is released. */
  async close(): Promise<void> {
    await this.#files.close()
  }
}

async function openGenes(paths: GenePaths): Promise<Opened | undefined> {
  const loaded = await loadGeneDirectory(paths.directory)
  if (!loaded) return undefined
  const file = await openGeneNumbers(paths.numbers)
  if (!file) return undefined
  const { size } = await file.stat().catch(async (error: unknown) => {
    await file.close()
    throw error
  })
  const { directory, identity, bytes } = loaded
  const key = JSON.stringify([paths.numbers, identity])
  const source = { descriptor: file.fd, size }
  return { directory, source, key, identity, file, bytes, checkedAt: -Infinity }
}
