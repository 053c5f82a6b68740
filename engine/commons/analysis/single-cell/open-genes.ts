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
  /** Distinguishes them from those of other files, and of other states of this file. */
  readonly key: string
}

export interface GenesLease {
  readonly genes: OpenGenes
  /** Gives the file back (idempotent). */
  release(): void
}

interface Opened extends OpenGenes {
  /** The state of the HDF5 file that the numbers are of. */
  readonly identity: FileIdentity
  readonly file: FileHandle
  readonly bytes: number
  /** When that was last seen to be the state of the HDF5 file. */
  checkedAt: number
}

export interface OpenGenesLimits {
  readonly openFiles: number
  /** Of directories. */
  readonly bytes: number
}

const DEFAULT_LIMITS: OpenGenesLimits = { openFiles: 64, bytes: 128 << 20 }

/**
 * Keeps numbers by gene open between answers, at most so many and with at most so much memory. Those
 * of a file that has changed are opened anew, while answers under way end on the ones they have.
 */
export class OpenGenesFiles {
  /** By path of the directory; that there is none is not kept. */
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
   * The numbers by gene of a file in this state; `undefined` where there are none of that.
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

  /** As acquire, for a file whose state was looked at not longer ago than that. */
  async acquireTrusted(paths: GenePaths, milliseconds: number): Promise<GenesLease | undefined> {
    const lease = this.#files.take(paths.directory)
    if (!lease) return undefined
    const { value: genes, release } = lease
    if (genes && performance.now() - genes.checkedAt <= milliseconds) return { genes, release }
    release()
    return undefined
  }

  /** Drops what is known of a file; answers under way keep it until they end. */
  forget(paths: GenePaths): void {
    this.#files.forget(paths.directory)
  }

  /** Closes unused files now and the others when they are given back. */
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
