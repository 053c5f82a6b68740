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

/** Numbers by gene, open for reading. */
export interface OpenGenes {
  readonly directory: GeneDirectory
  readonly source: LocalSource
  /** Key that is unique to the file and its state. */
  readonly key: string
}

export interface GenesLease {
  readonly genes: OpenGenes
  /** Gives the file back. Repeated calls do nothing. */
  release(): void
}

interface Opened extends OpenGenes {
  /** State of the HDF5 file that the numbers belong to. */
  readonly identity: FileIdentity
  readonly file: FileHandle
  readonly bytes: number
  /** Time when `identity` was last confirmed to be the state of the HDF5 file. */
  checkedAt: number
}

interface OpenGenesLimits {
  readonly openFiles: number
  /** Memory for directories in bytes. */
  readonly bytes: number
}

const DEFAULT_LIMITS: OpenGenesLimits = { openFiles: 64, bytes: 128 << 20 }

/**
 * Keeps numbers by gene open between responses, up to a number of files and an amount of memory. If a file
 * has changed, its numbers are opened again, while running responses finish on those that they have.
 */
export class OpenGenesFiles {
  /** Open files keyed by path of the directory. Missing ones are not cached. */
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
   * Leases the numbers by gene for this state of a file. Returns undefined if there are none.
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

  /** Leases numbers whose state was confirmed at most this long ago. */
  async acquireTrusted(paths: GenePaths, milliseconds: number): Promise<GenesLease | undefined> {
    const lease = this.#files.take(paths.directory)
    if (!lease) return undefined
    const { value: genes, release } = lease
    if (genes && performance.now() - genes.checkedAt <= milliseconds) return { genes, release }
    release()
    return undefined
  }

  /** Drops a file. Running responses keep it until they end. */
  forget(paths: GenePaths): void {
    this.#files.forget(paths.directory)
  }

  /** Closes unused files now, and the others when they are given back. */
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
