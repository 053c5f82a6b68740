import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { eachOf } from '../../shared/concurrency/each-of.ts'
import { EngineError } from '../../shared/errors.ts'
import { damage, MANIFEST_NAME, readManifest } from '../release/manifest.ts'
import {
  type Content,
  contentOf,
  contentsText,
  objectName,
  type ReleaseContents,
  sha256Of,
} from './contents.ts'
import { noteProved } from './local-contents.ts'
import { Objects, type ObjectsContext } from './objects.ts'
import type { OfferedRelease, Offers } from './offers.ts'

export interface PublishRun {
  /** Whether to upload objects again that already exist, because they may be damaged. */
  readonly isAnew?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((step: PublishStep) => void) | undefined
}

export interface PublishStep {
  readonly phase: 'proving' | 'sending'
  /** Number of bytes processed. */
  readonly done: number
  readonly total: number
}

export interface PublishedRelease {
  readonly id: string
  readonly bytes: number
  readonly files: number
  /** Number of uploaded files. Equal files count once. */
  readonly sentFiles: number
  readonly sentBytes: number
  /** Number of removed objects that no release uses any more. */
  readonly removed: number
}

/** Concurrent reads or uploads. A large file has several parts of 8 MiB in memory. */
const AT_ONCE = 4
/** Longest wait for a withdrawal to end. */
const WAIT_MILLISECONDS = 60_000
const LOOK_MILLISECONDS = 500

/**
 * Uploads a local release to the bucket and offers it to all nodes. Uploads the files first, then the file list,
 * and then stores the row that makes the offer visible. After an interruption nothing is visible, and the next
 * call resumes.
 * @throws EngineError not_found; corrupt_source for a damaged file; already_exists if the id is or was used
 *   for another release; conflict if a withdrawal does not end; unavailable
 */
export async function publishRelease(
  id: string,
  context: ObjectsContext,
  run: PublishRun = {},
): Promise<PublishedRelease> {
  const contents = await contentsHere(id, context, run)
  const text = contentsText(contents)
  const list: Content = { bytes: Buffer.byteLength(text), sha256: sha256Of(text) }
  const { offers, releases, bucket, clock } = context
  const bytes = Object.values(contents.files).reduce((sum, file) => sum + file.bytes, 0)
  const { dataRelease } = await readManifest(releases.folder(id))
  const facts = { id, bytes, dataRelease, offeredAt: clock().toISOString() }
  const offer = { ...facts, manifestSha256: list.sha256, manifestBytes: list.bytes }
  await offers.requireSameManifest(offer)
  await noteProved(releases, { id, came: 'published', text })
  const sent = { sentFiles: 0, sentBytes: 0 }
  for (let isAnew = run.isAnew; ; isAnew = false) {
    // The withdrawal of another release does not remove files of an offered release.
    const isOffered = (await offers.find(id)) !== undefined
    const number = isOffered ? 0 : await withdrawalsEnded(offers, run.signal)
    const there = await Objects.read(context, run)
    const more = await sendFiles(contents, there, context, { ...run, isAnew })
    sent.sentFiles += more.sentFiles
    sent.sentBytes += more.sentBytes
    if (!there.has(list) || isAnew) {
      await bucket.putBytes(objectName(list), Buffer.from(text), run.signal)
    }
    run.signal?.throwIfAborted()
    if (!(await offers.offer(offer, number))) continue
    const removed = await there.sweep(run)
    return { id, bytes, files: Object.keys(contents.files).length, ...sent, removed }
  }
}

/**
 * Waits until no withdrawal is removing objects. Returns the number of withdrawals.
 * @throws EngineError conflict if a withdrawal does not end
 */
async function withdrawalsEnded(offers: Offers, signal: AbortSignal | undefined): Promise<number> {
  const end = performance.now() + WAIT_MILLISECONDS
  for (;;) {
    const { number, underWay } = await offers.withdrawals()
    if (underWay === undefined) return number
    if (performance.now() >= end) {
      const message = `the withdrawal of release "${underWay}" has not ended; call casemill release withdraw ${underWay} again, then publish`
      throw new EngineError('conflict', message)
    }
    await sleep(LOOK_MILLISECONDS, undefined, { signal })
  }
}

/** Lists the release's files, verified against the checksums of the manifest. */
async function contentsHere(
  id: string,
  { releases }: ObjectsContext,
  { signal, onProgress }: PublishRun,
): Promise<ReleaseContents> {
  const folder = releases.folder(id)
  const manifest = await readManifest(folder)
  const files: Record<string, Content> = {}
  const paths = [MANIFEST_NAME, ...Object.keys(manifest.files)]
  const total = Object.values(manifest.files).reduce((sum, file) => sum + file.bytes, 0)
  let done = 0
  await eachOf(
    paths,
    async (path) => {
      const { crc32, ...content } = await contentOf(join(folder, path), signal).catch((cause) => {
        signal?.throwIfAborted()
        throw damage(path, 'cannot be read', cause)
      })
      const written = manifest.files[path]
      if (written && (written.bytes !== content.bytes || written.crc32 !== crc32)) {
        throw damage(path, 'is not what was written')
      }
      files[path] = content
      done += written?.bytes ?? 0
      onProgress?.({ phase: 'proving', done, total })
    },
    { atOnce: AT_ONCE },
  )
  return { format: 1, id, files }
}

async function sendFiles(
  { id, files }: ReleaseContents,
  there: Objects,
  { releases, bucket }: ObjectsContext,
  { isAnew = false, signal, onProgress }: PublishRun,
): Promise<{ readonly sentFiles: number; readonly sentBytes: number }> {
  // Equal files share an object.
  const missing = new Map<string, { readonly path: string; readonly content: Content }>()
  for (const [path, content] of Object.entries(files)) {
    if (isAnew || !there.has(content)) missing.set(objectName(content), { path, content })
  }
  const total = [...missing.values()].reduce((sum, { content }) => sum + content.bytes, 0)
  let done = 0
  await eachOf(
    [...missing],
    async ([name, { path }]) => {
      signal?.throwIfAborted()
      await bucket.put(name, join(releases.folder(id), path), {
        signal,
        onProgress: (bytes) => {
          done += bytes
          onProgress?.({ phase: 'sending', done, total })
        },
      })
    },
    { atOnce: AT_ONCE },
  )
  return { sentFiles: missing.size, sentBytes: total }
}

/**
 * Returns an offered release.
 * @throws EngineError not_found, listing the offered ones, if it is not offered
 */
export async function findOffer(offers: Offers, id: string): Promise<OfferedRelease> {
  const offer = await offers.find(id)
  if (offer) return offer
  throw await notOffered(offers, id)
}

/** Creates the error for a release that is not offered. The message lists the offered releases. */
export async function notOffered(offers: Offers, id: string): Promise<EngineError> {
  const ids = (await offers.list()).map((each) => `"${each.id}"`)
  const there = ids.length === 0 ? 'there is none' : `there are ${ids.join(', ')}`
  const message = `no release "${id.slice(0, 80)}" is offered; ${there}; casemill release publish offers one`
  return new EngineError('not_found', message, { at: 'id' })
}
