import { type FileHandle, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type ArrayFile, type ReadOptions, readArrays } from '../../shared/arrays/array-file.ts'
import type { ArraySchema } from '../../shared/arrays/array-schema.ts'
import { type Bits, newBits } from '../../shared/arrays/bitset.ts'
import type { BufferPool } from '../../shared/concurrency/buffer-pool.ts'
import { eachOf } from '../../shared/concurrency/each-of.ts'
import { descriptorShortage } from '../../shared/descriptors.ts'
import { EngineError } from '../../shared/errors.ts'
import {
  ASSOCIATION_NAMES,
  DATASET_NAMES,
  type DatasetName,
  type TableName,
} from '../datasets/define.ts'
import { datasetOf } from '../datasets/index.ts'
import { ArrayCache } from './array-cache.ts'
import { readArrowArrays } from './arrow-reader.ts'
import { Dictionary } from './dictionary.ts'
import { DOCUMENT_ARRAYS, type DocumentArrays, type DocumentsHandle } from './documents.ts'
import { foldText } from './fold.ts'
import {
  ARRAYS_ENDING,
  ARROW_ENDING,
  BITMAP_ARRAYS,
  bitmapsKey,
  columnKey,
  columnSchema,
  type DatasetLayout,
  documentsKey,
  EXPRESSION_NAME,
  INDEX_ARRAYS,
  indexKey,
  isSetKey,
  LEVEL_ARRAYS,
  LINK_ARRAYS,
  levelKey,
  linkKey,
  partsOfSetKey,
  type ReleaseManifest,
  STEP_ARRAYS,
  type StepArrays,
  VERSIONS_KEY,
  VERSIONS_NAME,
} from './layout.ts'
import {
  type ArrayKey,
  type ArraySize,
  type LoadedArrays,
  type LoadedPart,
  partOf,
} from './loaded.ts'
import { damage, MANIFEST_NAME, readManifest } from './manifest.ts'
import { LINE_ARRAYS, LINES_KEY, type LinesHandle } from './manifest-lines.ts'
import { ReleaseMemory } from './release-memory.ts'
import { idTypeOf } from './schema.ts'

interface ReleaseOptions {
  /** Bytes of shared memory for arrays. */
  readonly memory?: number
  /** Returns whether the release may be opened although a file is damaged. By default it may not. */
  readonly mayLack?: (path: string) => boolean
  /** Marks the rows of a set in an empty bitmap. By default there are no sets. */
  readonly markMembers?: MarkMembers | undefined
}

/**
 * Marks rows of a release that are members of a stored set.
 * @param key of the set (setKey)
 */
export type MarkMembers = (key: ArrayKey, release: Release, rows: Bits) => Promise<void>

const NO_SETS: MarkMembers = async () => {}

/** A claim on a release, which keeps its files open until the claim ends. */
interface Lease {
  /** Ends the lease. Repeated calls do nothing. */
  release(): void
}

/** The history of replaced files, for jobs. */
interface VersionsFile {
  readonly descriptor: number
  readonly bytes: number
  /** Index of the history. Absent in releases built before there was one. */
  readonly arrays: StepArrays | undefined
}

/** A file of the release which the caller parses. */
export interface ExtraFile {
  readonly descriptor: number
  readonly bytes: number
  readonly crc32: number
}

type ColumnPart = Extract<LoadedPart, { readonly kind: 'column' }>

/** Kind of a part, with its layout. */
type PartLayout<One = LoadedPart> = One extends LoadedPart ? Pick<One, 'kind' | 'layout'> : never

const DEFAULT_MEMORY = 384 << 20

const NO_DOCUMENTS: DocumentArrays = {
  lengths: new Uint16Array(0),
  starts: new Float64Array(1),
  checksums: new Uint32Array(0),
}

/** An open release. Only the manifest is read on opening; arrays are read and verified on first use. */
export class Release {
  readonly manifest: ReleaseManifest
  readonly #folder: string
  readonly #rows: Readonly<Record<TableName, number>>
  readonly #layouts: ReadonlyMap<ArrayKey, PartLayout>
  readonly #cache: ArrayCache<LoadedPart>
  readonly #files = new Map<string, FileHandle>()
  readonly #documents = new Map<DatasetName, Promise<DocumentsHandle>>()
  readonly #ids = new Map<DatasetName, { readonly part: ColumnPart; readonly ids: Dictionary }>()
  readonly #errors: EngineError[] = []
  readonly #markMembers: MarkMembers
  readonly #memory: ReleaseMemory
  #manifestBytes = 0
  #closing: PromiseWithResolvers<void> | undefined

  private constructor(
    folder: string,
    manifest: ReleaseManifest,
    { memory = DEFAULT_MEMORY, markMembers = NO_SETS }: ReleaseOptions,
  ) {
    this.#folder = folder
    this.#markMembers = markMembers
    this.manifest = manifest
    this.#rows = rowsOf(manifest)
    this.#layouts = layoutsOf(manifest)
    this.#memory = new ReleaseMemory(memory)
    this.#cache = new ArrayCache(memory, () => this.#memory.arrays())
  }

  /**
   * Opens the release in a folder after checking that every file is there with its size.
   * @throws EngineError corrupt_source naming the file; not_found if the folder has no release
   */
  static async open(folder: string, options: ReleaseOptions = {}) {
    const { mayLack = () => false } = options
    const release = new Release(folder, await readManifest(folder), options)
    try {
      await release.#start(mayLack)
      return release
    } catch (error) {
      await release.#closeFiles()
      throw error
    }
  }

  get id(): string {
    return this.manifest.id
  }

  /** Bytes of arrays in memory. */
  get memory(): number {
    return this.#cache.bytes
  }

  /** Shared memory that chunks of responses are written to. */
  get buffers(): BufferPool {
    return this.#memory.buffers
  }

  /** Returns the number of records in a table. */
  rowsOf(table: TableName): number {
    return this.#rows[table]
  }

  /** Errors of damaged files that the release was opened without. */
  get errors(): readonly EngineError[] {
    return this.#errors
  }

  async #start(mayLack: (path: string) => boolean): Promise<void> {
    const { files } = this.manifest
    this.#manifestBytes = (await stat(join(this.#folder, MANIFEST_NAME))).size
    const texts = DATASET_NAMES.filter((dataset) => this.#rows[dataset] > 0)
    const opened = new Set([
      ...texts.map((dataset) => `${documentsKey(dataset)}.text`),
      ...[`${LINES_KEY}.text`, VERSIONS_NAME, EXPRESSION_NAME].filter((name) => files[name]),
    ])
    await eachOf(Object.keys(files), async (path) => {
      try {
        await this.#requireWhole(path)
        if (opened.has(path)) await this.#openFile(path)
      } catch (error) {
        if (!(error instanceof EngineError) || !mayLack(path) || descriptorShortage(error))
          throw error
        this.#errors.push(error)
      }
    })
  }

  /**
   * Checks again that the manifest and those of these files that the release has are of the right size.
   * @throws EngineError corrupt_source naming the file, if one is not
   */
  async requireIntact(paths: Iterable<string>): Promise<void> {
    await this.#requireWhole(MANIFEST_NAME)
    for (const path of paths) if (this.manifest.files[path]) await this.#requireWhole(path)
  }

  async #requireWhole(path: string): Promise<void> {
    const written = path === MANIFEST_NAME ? this.#manifestBytes : this.manifest.files[path]?.bytes
    const { size } = await stat(join(this.#folder, path)).catch((cause: unknown) => {
      throw damage(path, 'cannot be opened', cause)
    })
    if (size !== written) throw damage(path, `has ${size} bytes instead of ${written}`)
  }

  async #openFile(path: string): Promise<void> {
    const handle = await open(join(this.#folder, path), 'r').catch((cause: unknown) => {
      throw damage(path, 'cannot be opened', cause)
    })
    this.#files.set(path, handle)
  }

  /**
   * Returns the descriptor of a file, or undefined if the release lacks it.
   * @throws EngineError corrupt_source if it has the file but could not open it
   */
  #descriptorOf(path: string): number | undefined {
    const descriptor = this.#files.get(path)?.fd
    if (descriptor === undefined && this.manifest.files[path]) {
      throw this.#errors.find(({ at }) => at === path) ?? damage(path, 'cannot be opened')
    }
    return descriptor
  }

  /**
   * Loads arrays for a job. Arrays that the release lacks are left out. Arrays loaded under a lease are valid
   * until the lease ends, after which their memory may be reused. Arrays loaded without a lease stay in
   * memory.
   * @throws EngineError corrupt_source naming the file; unavailable for a table that the release was built
   * without
   */
  async load(
    keys: Iterable<ArrayKey>,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<LoadedArrays> {
    this.#requireOpen()
    const parts: Record<ArrayKey, LoadedPart> = {}
    const absent = new Set<ArrayKey>()
    for (const key of keys) {
      if (!this.#layouts.has(key) && !isSetKey(key)) {
        this.#requireKey(key)
        continue
      }
      const part = this.#cache.ready(key)
      if (part) parts[key] = part
      else absent.add(key)
    }
    if (absent.size > 0) {
      await eachOf([...absent], async (key) => {
        signal?.throwIfAborted()
        parts[key] = await this.#part(key)
      })
    }
    return { releaseId: this.id, rows: this.#rows, parts, memory: this.#memory.wasm }
  }

  /** Returns whether the arrays of a key have the same bytes in another release. */
  hasSameArrays(key: ArrayKey, other: Release): boolean {
    const [own, others] = [this, other].map((one) => one.manifest.files[one.#fileOf(key)])
    return own !== undefined && own.bytes === others?.bytes && own.crc32 === others.crc32
  }

  /**
   * Reads the dictionary of a column without caching it. Returns undefined if the release lacks the column.
   * @throws EngineError corrupt_source naming the file, if it is damaged
   */
  async dictionary(key: ArrayKey): Promise<Dictionary | undefined> {
    this.#requireOpen()
    const layout = this.#layouts.get(key)
    if (layout?.kind !== 'column') return undefined
    const { facts, arrays } = partOf('column', await this.#readPart(key, {}))
    return new Dictionary({ distinct: layout.layout.distinct, facts, arrays })
  }

  /** Loads the arrays that another release has in memory, as far as this one has them and memory permits. */
  async warmAs(other: Release, signal?: AbortSignal): Promise<void> {
    const lease = this.retain()
    try {
      let bytes = 0
      const keys: ArrayKey[] = []
      for (const key of (other.#cache.keys() as ArrayKey[]).toReversed()) {
        if (!this.#layouts.has(key)) continue
        bytes += this.manifest.files[this.#fileOf(key)]?.bytes ?? 0
        if (bytes > this.#cache.size) break
        keys.push(key)
      }
      await this.load(keys, { signal })
    } finally {
      lease.release()
    }
  }

  /** Returns whether these very arrays are still in memory. If so, they are as valid as if loaded now. */
  holds({ releaseId, parts }: LoadedArrays): boolean {
    this.#requireOpen()
    if (releaseId !== this.id) return false
    for (const key in parts) if (this.#cache.ready(key) !== parts[key]) return false
    return true
  }

  /** Returns the sizes of arrays. Arrays that the release lacks have size 0. */
  sizeOf(keys: Iterable<ArrayKey>): ArraySize {
    let bytes = 0
    let absent = 0
    for (const key of keys) {
      const size = this.manifest.files[this.#fileOf(key)]?.bytes ?? 0
      bytes += size
      if (!this.#cache.ready(key)) absent += size
    }
    return { bytes, absent, memory: this.#cache.size }
  }

  /**
   * Rejects arrays that the release should have but was built without, which would otherwise look empty.
   * @throws EngineError unavailable if they are requested
   */
  #requireKey(key: ArrayKey): void {
    const join = JOINS.get(key)
    const isLacking = join
      ? this.#layouts.has(join.ids)
      : !this.manifest.associations && ASSOCIATION_KEY.test(key)
    if (!isLacking) return
    const what = join?.what ?? 'mutations were counted by case and gene'
    const message = `release "${this.id}" was made before ${what}; bring it up to date with casemill upgrade`
    throw new EngineError('unavailable', message)
  }

  #part(key: ArrayKey): Promise<LoadedPart> {
    if (isSetKey(key)) return this.#members(key)
    const bytes = this.manifest.files[this.#fileOf(key)]?.bytes ?? 0
    return this.#cache.get(key, bytes, (target) => this.#readPart(key, { target }))
  }

  #members(key: ArrayKey): Promise<LoadedPart> {
    const words = newBits(this.#rows[partsOfSetKey(key).dataset]).length
    const bytes = words * Int32Array.BYTES_PER_ELEMENT
    return this.#cache.get(key, bytes, async (target) => {
      // Memory that something else was in before.
      target.fill(0)
      const rows = new Int32Array(target.buffer, target.byteOffset, words)
      await this.#markMembers(key, this, rows)
      return { kind: 'members', layout: undefined, facts: {}, arrays: { rows } }
    })
  }

  async #readPart(key: ArrayKey, options: ReadOptions): Promise<LoadedPart> {
    const part = this.#layouts.get(key)
    switch (part?.kind) {
      case 'column':
        return { ...part, ...(await this.#read(key, columnSchema(part.layout), options)) }
      case 'bitmaps':
        return { ...part, ...(await this.#read(key, BITMAP_ARRAYS, options)) }
      case 'index':
        return { ...part, ...(await this.#read(key, INDEX_ARRAYS, options)) }
      case 'level':
        return { ...part, ...(await this.#read(key, LEVEL_ARRAYS, options)) }
      case 'link':
        return { ...part, ...(await this.#read(key, LINK_ARRAYS, options)) }
      case 'lines':
        return { ...part, ...(await this.#read(key, LINE_ARRAYS, options)) }
      case 'steps':
        return { ...part, ...(await this.#read(key, STEP_ARRAYS, options)) }
      case 'members':
      case undefined:
        throw new TypeError(`the release has no arrays "${key}"`)
    }
  }

  #fileOf(key: ArrayKey): string {
    const path = `${key}${ARROW_ENDING}`
    return this.manifest.files[path] ? path : `${key}${ARRAYS_ENDING}`
  }

  async #read<Schema extends ArraySchema>(
    key: ArrayKey,
    schema: Schema,
    options: ReadOptions,
  ): Promise<ArrayFile<Schema>> {
    const path = this.#fileOf(key)
    const read = path.endsWith(ARROW_ENDING) ? readArrowArrays : readArrays
    try {
      // The recorded CRC32 also rejects an intact file from another release.
      const { crc32 } = this.manifest.files[path] ?? {}
      return await read(join(this.#folder, path), schema, { ...options, crc32 })
    } catch (cause) {
      throw damage(path, 'cannot be read', cause)
    }
  }

  /**
   * Returns the documents of a dataset for a DocumentReader. Their positions are loaded on first use and stay
   * in memory, at about six bytes per document.
   * @throws EngineError corrupt_source naming the file, if it is damaged
   */
  async documents(dataset: DatasetName): Promise<DocumentsHandle> {
    this.#requireOpen()
    let handle = this.#documents.get(dataset)
    if (!handle) {
      handle = this.#openDocuments(dataset)
      this.#documents.set(dataset, handle)
      // Failures are not cached.
      handle.catch(() => this.#documents.delete(dataset))
    }
    return handle
  }

  async #openDocuments(dataset: DatasetName): Promise<DocumentsHandle> {
    const key = documentsKey(dataset)
    const path = `${key}.text`
    const rows = this.#rows[dataset]
    if (rows === 0) return { descriptor: -1, path, rows, arrays: NO_DOCUMENTS }
    const descriptor = this.#descriptorOf(path) ?? -1
    const { arrays } = await this.#read(key, DOCUMENT_ARRAYS, { shared: true })
    return { descriptor, path, rows, arrays }
  }

  /** Returns the download-manifest lines for manifestLines, or undefined if there are no files. */
  async lines(): Promise<LinesHandle | undefined> {
    this.#requireOpen()
    const path = `${LINES_KEY}.text`
    const descriptor = this.#descriptorOf(path)
    if (descriptor === undefined) return undefined
    const { arrays } = partOf('lines', await this.#part(LINES_KEY))
    return { descriptor, path, rows: this.#rows.files, arrays }
  }

  /** Returns the history of replaced files, or undefined if none was replaced. Valid as long as loaded arrays. */
  async versions(): Promise<VersionsFile | undefined> {
    this.#requireOpen()
    const descriptor = this.#descriptorOf(VERSIONS_NAME)
    if (descriptor === undefined) return undefined
    const { files } = this.manifest
    const isIndexed = this.#layouts.has(VERSIONS_KEY)
    const steps = isIndexed ? partOf('steps', await this.#part(VERSIONS_KEY)) : undefined
    return { descriptor, bytes: files[VERSIONS_NAME]?.bytes ?? 0, arrays: steps?.arrays }
  }

  /** Returns the expression values of cases, or undefined if the release has none. */
  expression(): ExtraFile | undefined {
    this.#requireOpen()
    const descriptor = this.#descriptorOf(EXPRESSION_NAME)
    const written = this.manifest.files[EXPRESSION_NAME]
    return descriptor === undefined || !written ? undefined : { descriptor, ...written }
  }

  /** Returns the row of a record. The id is compared according to its field's type. */
  async find(dataset: DatasetName, id: string): Promise<number | undefined> {
    const description = datasetOf(dataset)
    const key = columnKey(dataset, description.idField)
    const lease = this.retain()
    try {
      if (!this.#layouts.has(key)) return undefined
      const ready = this.#cache.ready(key)
      const ids = ready
        ? this.#idsOf(dataset, partOf('column', ready))
        : this.#dictionaryOf(dataset, partOf('column', await this.#part(key)))
      const code = ids.find(foldText(idTypeOf(description), id))
      return code === 0 ? undefined : code - 1
    } finally {
      lease.release()
    }
  }

  /** Returns the dictionary of the ids in memory. It is recreated after the ids were dropped and read again. */
  #idsOf(dataset: DatasetName, part: ColumnPart): Dictionary {
    const known = this.#ids.get(dataset)
    if (known?.part === part) return known.ids
    const ids = this.#dictionaryOf(dataset, part)
    this.#ids.set(dataset, { part, ids })
    return ids
  }

  #dictionaryOf(dataset: DatasetName, { facts, arrays }: ColumnPart): Dictionary {
    return new Dictionary({ distinct: this.#rows[dataset], facts, arrays })
  }

  /** Keeps the files open beyond `close`, and loaded arrays in memory, until the lease is released. */
  retain(): Lease {
    this.#requireOpen()
    const end = this.#cache.lease()
    return {
      release: () => {
        end()
        this.#finishClosing()
      },
    }
  }

  #requireOpen(): void {
    // After `close`, only holders of a lease may go on.
    if (this.#closing && this.#cache.leases === 0) {
      throw new EngineError('unavailable', `release "${this.id}" is closed`)
    }
  }

  /** Closes the files once the last lease has been released, and resolves then. */
  close(): Promise<void> {
    this.#closing ??= Promise.withResolvers()
    this.#finishClosing()
    return this.#closing.promise
  }

  #finishClosing(): void {
    if (!this.#closing || this.#cache.leases > 0) return
    this.#closeFiles().then(this.#closing.resolve, this.#closing.reject)
  }

  async #closeFiles(): Promise<void> {
    const handles = [...this.#files.values()]
    this.#files.clear()
    await Promise.all(handles.map((handle) => handle.close()))
  }
}

const ASSOCIATION_KEY = new RegExp(`^(levels|links)/(${ASSOCIATION_NAMES.join('|')})/`)

/** Links derived from a column of ids, by key. A release may have been built with the column only. */
const JOINS: ReadonlyMap<ArrayKey, { readonly ids: ArrayKey; readonly what: string }> = new Map(
  DATASET_NAMES.flatMap((name) =>
    datasetOf(name).joins.flatMap((join) => {
      if (join.kind === 'reverse' || !join.idAt) return []
      const what = `${name} led to their ${join.at}`
      return [[linkKey(name, join.at), { ids: columnKey(name, join.idAt), what }] as const]
    }),
  ),
)

const TABLE_NAMES: readonly TableName[] = [...DATASET_NAMES, ...ASSOCIATION_NAMES]

function rowsOf(manifest: ReleaseManifest): Record<TableName, number> {
  const layouts = tablesOf(manifest)
  const rows = TABLE_NAMES.map((name) => [name, layouts[name]?.rows ?? 0])
  return Object.fromEntries(rows) as Record<TableName, number>
}

const tablesOf = ({
  datasets,
  associations,
}: ReleaseManifest): Partial<Record<TableName, DatasetLayout>> => ({ ...datasets, ...associations })

function layoutsOf(manifest: ReleaseManifest): Map<ArrayKey, PartLayout> {
  const layouts = new Map<ArrayKey, PartLayout>()
  const tables = tablesOf(manifest)
  for (const table of TABLE_NAMES) {
    const { levels = {}, links = {} } = tables[table] ?? {}
    for (const [path, layout] of Object.entries(levels)) {
      layouts.set(levelKey(table, path), { kind: 'level', layout })
    }
    for (const [at, layout] of Object.entries(links)) {
      layouts.set(linkKey(table, at), { kind: 'link', layout })
    }
  }
  for (const dataset of DATASET_NAMES) {
    const { columns = {} } = manifest.datasets[dataset] ?? {}
    for (const [path, layout] of Object.entries(columns)) {
      layouts.set(columnKey(dataset, path), { kind: 'column', layout })
      if (layout.bitmapped) layouts.set(bitmapsKey(dataset, path), { kind: 'bitmaps', layout })
      if (layout.indexed) layouts.set(indexKey(dataset, path), { kind: 'index', layout })
    }
  }
  for (const [key, kind] of [
    [LINES_KEY, 'lines'],
    [VERSIONS_KEY, 'steps'],
  ] as const) {
    if (manifest.files[`${key}.arrays`]) layouts.set(key, { kind, layout: undefined })
  }
  return layouts
}
