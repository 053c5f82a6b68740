import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { EngineError } from '../../engine/shared/index.ts'
import { explainSystemError, syncFolder, unlessAbsent } from '../../engine/shared/internal.ts'
import { inputOf, isThere, requirePlannedInput, type StoredPlan } from './plan.ts'
import { writeSynced } from './synced-file.ts'

// A shard is a folder that appears atomically, by a rename. Its marker names the plan and has the result.

const Marker = z.strictObject({ plan: z.string(), shard: z.int().positive(), result: z.json() })

/** A finished shard and its folder. */
export interface Shard {
  readonly folder: string
  /** Name of the folder for messages. */
  readonly name: string
  readonly shard: number
  readonly result: unknown
}

/** Does the work of a shard in a folder of its own. Resolves to the result for the marker. */
type Work = (folder: string) => Promise<unknown>

export const MARKER = 'marker.json'
export const shardName = (shard: number) => `shard-${String(shard).padStart(5, '0')}`

/**
 * Runs a shard unless it is already finished. First removes what killed processes left. A process that is still
 * working on the shard then fails, because its folder is gone.
 * @param shard number, starting at 1
 * @returns the shard, and whether it was already finished
 * @throws EngineError `conflict` if an input has changed, or the folder has a shard of another plan or other
 *   content; the error of the work, after which nothing of the shard remains
 */
export async function makeShard(
  plan: StoredPlan,
  shard: number,
  work: Work,
): Promise<Shard & { readonly isKnown: boolean }> {
  const target = join(plan.folder, shardName(shard))
  const known = await readShard(target, plan)
  if (known) return { ...known, isKnown: true }
  const numbers = new Set(plan.shards[shard - 1]?.map(({ input }) => input))
  const inputs = [...numbers].map((input) => inputOf(plan, input))
  for (const input of inputs) await requirePlannedInput(input)
  const part = join(plan.folder, `.${shardName(shard)}.${randomUUID()}.part`)
  await removeParts(plan.folder, shard)
  await mkdir(part).catch((cause: unknown) => {
    throw explainSystemError(cause)
  })
  try {
    const result = await work(part)
    // An input that changed during the work may have been read partly before and partly after the change.
    for (const input of inputs) await requirePlannedInput(input)
    const marker = JSON.stringify({ plan: plan.id, shard, result })
    await writeSynced(join(part, MARKER), Buffer.from(`${marker}\n`))
    await syncFolder(part)
    await rename(part, target)
    await syncFolder(plan.folder)
    return { folder: target, name: plan.shownPath(target), shard, result, isKnown: false }
  } catch (cause) {
    const isGone = !(await isFolder(part))
    await rm(part, { recursive: true, force: true })
    if (isThere(cause)) return doneMeanwhile(target, plan)
    if (isGone) throw takenOver(shard, cause)
    throw explainSystemError(cause, plan.folder)
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await unlessAbsent(readdir(path))) !== undefined
}

/**
 * Returns the shard if another process has finished it first. The results of both are equivalent.
 * @throws EngineError `conflict` if the folder is not a finished shard
 */
async function doneMeanwhile(target: string, plan: StoredPlan) {
  const other = await readShard(target, plan)
  if (other) return { ...other, isKnown: true }
  const message = `the folder "${plan.shownPath(target)}" is in the way of the shard; move it away, and run this command again`
  throw new EngineError('conflict', message)
}

const takenOver = (shard: number, cause: unknown) =>
  new EngineError(
    'conflict',
    `another process has started shard ${shard} again, so this one ends; wait for the other one`,
    { cause },
  )

/** Removes the folders that killed processes left of a shard. */
async function removeParts(folder: string, shard: number): Promise<void> {
  const begin = `.${shardName(shard)}.`
  for (const name of await readdir(folder)) {
    if (!name.startsWith(begin) || !name.endsWith('.part')) continue
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Reads the shard in a folder. Returns undefined if the folder does not exist. */
async function readShard(folder: string, plan: StoredPlan): Promise<Shard | undefined> {
  if (!(await isFolder(folder))) return undefined
  const name = plan.shownPath(folder)
  const bytes = await unlessAbsent(readFile(join(folder, MARKER)))
  const marker = bytes === undefined ? undefined : parseMarker(bytes.toString())
  if (!marker) {
    const message = `the folder "${name}" has no shard marker; move it away, and run the shard again`
    throw new EngineError('conflict', message)
  }
  const { shard, result } = marker
  if (marker.plan !== plan.id || shard > plan.shards.length) {
    const message = `"${name}" is a shard of another plan; move it away, and run the shard again`
    throw new EngineError('conflict', message)
  }
  return { folder, name, shard, result }
}

function parseMarker(text: string): z.infer<typeof Marker> | undefined {
  try {
    return Marker.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

const textOf = (content: unknown) => JSON.stringify(content)

/** Maximum number of shards named in a message. */
const MAX_TOLD = 10

/**
 * Returns all shards of a plan in order. If a shard exists twice, for example after folders were merged, it
 * counts once if both have the same content.
 * @throws EngineError `not_found` if shards are missing; `conflict` if a shard belongs to another plan, or
 *   exists twice with different content
 */
export async function allShards(
  plan: StoredPlan,
  contentOf: (result: unknown) => unknown = (result) => result,
): Promise<readonly Shard[]> {
  const found = new Map<number, Shard>()
  const names = (await readdir(plan.folder)).filter((name) => name.startsWith('shard-')).sort()
  for (const name of names) {
    const one = await readShard(join(plan.folder, name), plan)
    if (!one) continue
    const other = found.get(one.shard)
    if (other && textOf(contentOf(other.result)) !== textOf(contentOf(one.result))) {
      const message = `shard ${one.shard} exists twice with different content, in "${other.name}" and "${one.name}"; move both away, and run it again`
      throw new EngineError('conflict', message)
    }
    found.set(one.shard, other ?? one)
  }
  const shards = plan.shards.map((_, i) => found.get(i + 1))
  const missing = shards.flatMap((shard, i) => (shard ? [] : [i + 1]))
  if (missing.length === 0) return shards.filter((shard) => shard !== undefined)
  const numbers = missing.slice(0, MAX_TOLD).join(', ')
  const more = missing.length > MAX_TOLD ? ` and ${missing.length - MAX_TOLD} more` : ''
  const [what, are] = missing.length === 1 ? ['shard', 'is'] : ['shards', 'are']
  const message = `${what} ${numbers}${more} of ${plan.shards.length} ${are} missing in "${plan.shownPath(plan.folder)}"; run them with casemill shard, then join again`
  throw new EngineError('not_found', message)
}
