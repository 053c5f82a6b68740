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

/** Objects under way at a time: most are small. */
const AHEAD = 16

/** Where a command is told that plan and shards are. */
export interface BatchOptions {
  readonly plan?: string
  readonly bucket?: string
}

/** Lends a plan for the time of `use`, and the bucket where it comes from one. */
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

/** Lends what is below a prefix of the bucket, with a folder of this machine for copies of it. */
export async function withBatchBucket<Result>(
  prefix: string,
  signal: AbortSignal,
  use: (bucket: BatchBucket) => Promise<Result>,
): Promise<Result> {
  const { objects } = readStoredSettings()
  if (!objects) {
    throw new EngineError('bad_input', 'there is no object storage; set CASEMILL_S3_BUCKET')
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
  /** On this machine. */
  readonly folder: string
  readonly signal: AbortSignal
}

/**
 * A plan and its shards in the bucket. A shard is `shard-00001/ATTEMPT/...`, with its marker stored last: what
 * has none is no shard. Each process has an attempt of its own, so that none writes over another one's objects.
 */
export class BatchBucket {
  readonly #store: ObjectStore
  readonly #place: Place
  readonly #objects: ObjectFolder

  constructor(store: ObjectStore, place: Place) {
    this.#store = store
    this.#place = place
    this.#objects = store.folder(place.prefix)
  }

  /**
   * Stores a plan below a prefix that has nothing yet.
   * @returns false when the same plan is there already
   * @throws EngineError conflict when something else is there; unavailable
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
    // Who sees the plan finds all of it.
    if (text) await this.#objects.put(TEXT, join(folder, TEXT), { signal })
    await this.#objects.put(PLAN, join(folder, PLAN), { signal })
    return true
  }

  /** @throws EngineError unavailable, and as readPlan */
  async bringPlan(): Promise<StoredPlan> {
    const { folder, prefix } = this.#place
    await this.#bring(this.#objects, PLAN, join(folder, PLAN))
    const plan = await readPlan(folder)
    if (plan.hasText) await this.#bring(this.#objects, TEXT, join(folder, TEXT))
    return { ...plan, told: (path) => [prefix, ...partsOf(relative(folder, path))].join('/') }
  }

  /** Brings the marker of a shard, when one has been stored. */
  async bringMarker(shard: number): Promise<void> {
    const objects = this.#shard(shard)
    const names = await this.#names(objects)
    const marker = names.find((name) => isMarker(`${shardName(shard)}/${name}`))
    if (marker === undefined) return
    await this.#bring(objects, marker, join(this.#place.folder, shardName(shard), MARKER))
  }

  /** Stores a shard that was done. */
  async sendShard({ shard, folder }: Shard): Promise<void> {
    const objects = this.#shard(shard)
    const attempt = randomUUID()
    const { signal } = this.#place
    const send = (name: string) => objects.put(`${attempt}/${name}`, join(folder, name), { signal })
    for (const name of await filesOf(folder)) if (name !== MARKER) await send(name)
    await send(MARKER)
  }

  /** Brings the markers of all shards. */
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

  /** Brings what shards have beside their markers. */
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
    // Whoever may write to the bucket is not to write elsewhere on this machine.
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

/** Whether a name below the prefix is that of a marker. */
function isMarker(name: string): boolean {
  const [shard = '', , file, ...more] = name.split('/')
  return /^shard-\d+$/.test(shard) && file === MARKER && more.length === 0
}

/** `shard-00001.ATTEMPT` of this machine is `shard-00001/ATTEMPT` in the bucket. */
function partsOf(path: string): readonly string[] {
  const [, shard, attempt] = /^(shard-\d+)\.(.+)$/.exec(path) ?? []
  if (shard !== undefined && attempt !== undefined) return [shard, attempt]
  return path === '' ? [] : [path]
}

/** Paths of all files in a folder, from there. */
async function filesOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}
