import type { FileHandle } from 'node:fs/promises'
import { type FileIdentity, sameIdentity } from '../../../shared/blobs/identity.ts'
import type { LocalSource } from '../../../shared/blobs/source.ts'
import { onlyOnce } from '../../../shared/concurrency/only-once.ts'
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
  /** Tells them from those of other files, and of other states of this file. */
  readonly key: string
}

export interface GenesLease {
  readonly genes: OpenGenes
  /** Gives the file back (idempotent). */
  release(): void
}

interface Opened extends OpenGenes {
  readonly file: FileHandle
  readonly bytes: number
}

interface Entry {
  readonly identity: FileIdentity
  readonly opened: Promise<Opened | undefined>
  /** Once it is open. */
  bytes: number
  checkedAt: number
  users: number
  retired: boolean
}

export interface OpenGenesLimits {
  readonly openFiles: number
  /** Of directories. */
  readonly bytes: number
}

const DEFAULT_LIMITS: OpenGenesLimits = { openFiles: 64, bytes: 128 << 20 }

/**
 * Keeps numbers by gene open between answers, at most so many and with at most so much memory; the
 * longest unused go first. Those of a file that has changed are opened anew, while answers under way
 * end on the ones they have.
 */
export class OpenGenesFiles {
  readonly #limits: OpenGenesLimits
  /** By path, in order of use. */
  readonly #entries = new Map<string, Entry>()
  readonly #closing = new Set<Promise<void>>()

  constructor(limits: OpenGenesLimits = DEFAULT_LIMITS) {
    this.#limits = limits
  }

  /**
   * The numbers by gene of a file in this state; `undefined` where there are none of that.
   * @throws EngineError corrupt_source, unavailable
   */
  async acquire(paths: GenePaths, identity: FileIdentity): Promise<GenesLease | undefined> {
    const known = this.#entries.get(paths.directory)
    if (known && !sameIdentity(known.identity, identity)) this.forget(paths)
    const entry = this.#entries.get(paths.directory) ?? this.#add(paths, identity)
    entry.checkedAt = performance.now()
    return this.#use(paths, entry)
  }

  /** As acquire, for a file whose state was looked at not longer ago than that. */
  async acquireTrusted(paths: GenePaths, milliseconds: number): Promise<GenesLease | undefined> {
    const entry = this.#entries.get(paths.directory)
    if (!entry || performance.now() - entry.checkedAt > milliseconds) return undefined
    return this.#use(paths, entry)
  }

  async #use(paths: GenePaths, entry: Entry): Promise<GenesLease | undefined> {
    this.#entries.delete(paths.directory)
    this.#entries.set(paths.directory, entry)
    entry.users++
    const release = onlyOnce(() => {
      entry.users--
      this.#dispose(entry)
      this.#trim()
    })
    try {
      const genes = await entry.opened
      if (genes) return { genes, release }
    } catch (error) {
      this.#drop(paths, entry)
      release()
      throw error
    }
    this.#drop(paths, entry)
    release()
    return undefined
  }

  #add(paths: GenePaths, identity: FileIdentity): Entry {
    const opened = openGenes(paths, identity)
    const entry = { identity, opened, bytes: 0, checkedAt: 0, users: 0, retired: false }
    this.#entries.set(paths.directory, entry)
    opened.then(
      (genes) => {
        entry.bytes = genes?.bytes ?? 0
      },
      () => {},
    )
    return entry
  }

  /** Drops what is known of a file; answers under way keep it until they end. */
  forget(paths: GenePaths): void {
    const entry = this.#entries.get(paths.directory)
    if (entry) this.#drop(paths, entry)
  }

  #drop(paths: GenePaths, entry: Entry): void {
    if (this.#entries.get(paths.directory) === entry) this.#entries.delete(paths.directory)
    entry.retired = true
    this.#dispose(entry)
  }

  #trim(): void {
    let bytes = 0
    for (const entry of this.#entries.values()) bytes += entry.bytes
    for (const [path, entry] of this.#entries) {
      const { openFiles, bytes: most } = this.#limits
      if (this.#entries.size <= openFiles && bytes <= most) return
      if (entry.users > 0) continue
      bytes -= entry.bytes
      this.#entries.delete(path)
      entry.retired = true
      this.#dispose(entry)
    }
  }

  #dispose(entry: Entry): void {
    if (!entry.retired || entry.users > 0) return
    const closing = entry.opened
      .then((genes) => genes?.file.close())
      .catch(() => {})
      .finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }

  /** Closes unused files now and the others when they are given back. */
  async close(): Promise<void> {
    for (const [path, entry] of this.#entries) {
      this.#entries.delete(path)
      entry.retired = true
      this.#dispose(entry)
    }
    await Promise.all(this.#closing)
  }
}

async function openGenes(paths: GenePaths, identity: FileIdentity): Promise<Opened | undefined> {
  const loaded = await loadGeneDirectory(paths.directory)
  if (!loaded || !sameIdentity(loaded.identity, identity)) return undefined
  const file = await openGeneNumbers(paths.numbers)
  if (!file) return undefined
  const { directory, bytes } = loaded
  const { size } = await file.stat().catch(async (error: unknown) => {
    await file.close()
    throw error
  })
  const key = JSON.stringify([paths.numbers, identity])
  return { directory, source: { descriptor: file.fd, size }, key, file, bytes }
}
