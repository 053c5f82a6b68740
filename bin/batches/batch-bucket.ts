import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import type { Command } from 'commander'
import { checkPrefix, writeBlob } from '../../engine/commons/internal.ts'
import { EngineError } from '../../engine/shared/index.ts'
import { inOrder, type ObjectFolder, ObjectStore } from '../../engine/shared/internal.ts'
import { readStoredSettings } from '../stored-settings.ts'
import { PLAN, type Plan, readPlan, type StoredPlan, TEXT, writePlan } from './plan.ts'
import { MARKER, type Shard, shardName } from './shards.ts'

/** Number of concurrent transfers. Most objects are small. */
const AHEAD = 16

/** Options that locate the plan and its shards. */
export interface BatchOptions {
  readonly plan?: string
  readonly bucket?: string
}

/** Opens a plan, together with its bucket if it has one, and passes them to `use`. */
export async function withPlan(
  command: Command,
  { plan: folder, bucket: prefix }: BatchOptions,
  signal: AbortSignal,
  use: (plan: StoredPlan, bucket: BatchBucket | undefined) => Promise<void>,
): Promise<void> {
  if (prefix !== undefined) {
    return withBatchBucket(prefix, signal, async (bucket) => use(await bucket.bringPlan(), bucket))
  }
  if (folder === undefined) return command.error('give --plan FOLDER, or --bucket PREFIX')
  return use(await readPlan(folder), undefined)
}

/** Opens a prefix of the bucket, with a temporary local folder, and passes it to `use`. */
export async function withBatchBucket<Result>(
  prefix: string,
  signal: AbortSignal,
  use: (bucket: BatchBucket) => Promise<Result>,
): Promise<Result> {
  const { objects } = readStoredSettings()
  if (!objects) {
    throw new EngineError('bad_input', 'no object storage is configured; set CASEMILL_S3_BUCKET')
  }
  checkPrefix(prefix)
  const store = new ObjectStore(objects)
  const copies = await mkdtemp(join(tmpdir(), 'casemill-batch-'))
  try {
    return await use(new BatchBucket(store, { prefix, folder: join(copies, 'plan'), signal }))
  } finally {
    await store.close()
    await rm(copies, { recursive: true, force: true })
  }
}

interface Place {
  readonly prefix: string
  /** Local folder. */
  readonly folder: string
  readonly signal: AbortSignal
}

/**
 * A plan and its shards in the bucket. The objects of a shard are named `shard-00001/ATTEMPT/...`. The marker of
 * a shard is stored last, and a shard without a marker does not count. Each process uses an attempt of its own,
 * so that no process overwrites objects of another.
 */
class BatchBucket {
  readonly #store: ObjectStore
  readonly #place: Place
  readonly #objects: ObjectFolder

  constructor(store: ObjectStore, place: Place) {
    this.#store = store
    this.#place = place
    this.#objects = store.folder(place.prefix)
  }

  /**
   * Stores a plan under an empty prefix.
   * @returns false if the same plan is there already
   * @throws EngineError `conflict` if something else is there; `unavailable`
   */
  async sendPlan(plan: Plan, text: Uint8Array | undefined): Promise<boolean> {
    const { folder, prefix, signal } = this.#place
    await writePlan(folder, plan, text)
    const names = await this.#names(this.#objects)
    if (names.includes(PLAN)) {
      const known = await this.#bring(this.#objects, PLAN, `${folder}.known`)
      if ((await readFile(known)).equals(await readFile(join(folder, PLAN)))) return false
    }
    // A text without a plan was left by a process that was killed.
    if (names.some((name) => name !== TEXT)) {
      const message = `the bucket has another plan, or other objects, below "${prefix}"; give another prefix`
      throw new EngineError('conflict', message)
    }
    // The plan is stored last, so that everything it refers to exists when a process reads it.
    if (text) await this.#objects.put(TEXT, join(folder, TEXT), { signal })
    await this.#objects.put(PLAN, join(folder, PLAN), { signal })
    return true
  }

  /**
   * Downloads the plan.
   * @throws EngineError `unavailable`; the errors of readPlan
   */
  async bringPlan(): Promise<StoredPlan> {
    const { folder, prefix } = this.#place
    await this.#bring(this.#objects, PLAN, join(folder, PLAN))
    const plan = await readPlan(folder)
    if (plan.hasText) await this.#bring(this.#objects, TEXT, join(folder, TEXT))
    return { ...plan, shownPath: (path) => [prefix, ...partsOf(relative(folder, path))].join('/') }
  }

  /** Downloads the marker of a shard if it exists. */
  async bringMarker(shard: number): Promise<void> {
    const objects = this.#shard(shard)
    const names = await this.#names(objects)
    const marker = names.find((name) => isMarker(`${shardName(shard)}/${name}`))
    if (marker === undefined) return
    await this.#bring(objects, marker, join(this.#place.folder, shardName(shard), MARKER))
  }

  /** Uploads a finished shard. */
  async sendShard({ shard, folder }: Shard): Promise<void> {
    const objects = this.#shard(shard)
    const attempt = randomUUID()
    const { signal } = this.#place
    const send = (name: string) => objects.put(`${attempt}/${name}`, join(folder, name), { signal })
    for (const name of await filesOf(folder)) if (name !== MARKER) await send(name)
    await send(MARKER)
  }

  /** Downloads the markers of all shards. */
  async bringMarkers(): Promise<void> {
    const markers = (await this.#names(this.#objects)).filter(isMarker)
    const { folder, signal } = this.#place
    const next = markers.values()
    const brought = inOrder(
      () => {
        const { value: name } = next.next()
        if (name === undefined) return undefined
        const [shard = '', attempt = ''] = name.split('/')
        return this.#bring(this.#objects, name, join(folder, `${shard}.${attempt}`, MARKER))
      },
      { ahead: AHEAD, signal },
    )
    for await (const _ of brought) signal.throwIfAborted()
  }

  /** Downloads the files of shards, without their markers. */
  async bringContents(shards: readonly Shard[]): Promise<void> {
    for (const { folder } of shards) {
      const [shard = '', attempt = ''] = partsOf(relative(this.#place.folder, folder))
      const objects = this.#store.folder(`${this.#place.prefix}/${shard}/${attempt}`)
      for (const name of await this.#names(objects)) {
        if (name !== MARKER) await this.#bring(objects, name, join(folder, name))
      }
    }
  }

  #shard(shard: number): ObjectFolder {
    return this.#store.folder(`${this.#place.prefix}/${shardName(shard)}`)
  }

  async #names(objects: ObjectFolder): Promise<readonly string[]> {
    const names: string[] = []
    for await (const { key } of objects.list()) {
      this.#place.signal.throwIfAborted()
      names.push(key)
    }
    return names
  }

  async #bring(objects: ObjectFolder, name: string, path: string): Promise<string> {
    // Object names are not trusted: a name must not lead out of the local folder.
    if (name.split('/').some((part) => /^\.*$/.test(part))) {
      throw new EngineError(
        'conflict',
        `object "${name}" in the bucket belongs to no batch; remove it`,
      )
    }
    const blob = await objects.open(name)
    try {
      await mkdir(dirname(path), { recursive: true })
      await writeBlob(blob, path, { signal: this.#place.signal })
      return path
    } finally {
      await blob.close()
    }
  }
}

/** Returns whether an object name below the prefix is the name of a marker. */
function isMarker(name: string): boolean {
  const [shard = '', , file, ...more] = name.split('/')
  return /^shard-\d+$/.test(shard) && file === MARKER && more.length === 0
}

/** Converts a local path `shard-00001.ATTEMPT` to the parts of `shard-00001/ATTEMPT` in the bucket. */
function partsOf(path: string): readonly string[] {
  const [, shard, attempt] = /^(shard-\d+)\.(.+)$/.exec(path) ?? []
  if (shard !== undefined && attempt !== undefined) return [shard, attempt]
  return path === '' ? [] : [path]
}

/** Returns the relative paths of all files in a folder. */
async function filesOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}
