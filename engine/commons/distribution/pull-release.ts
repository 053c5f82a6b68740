import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ObjectFolder } from '../../shared/blobs/object-folder.ts'
import { eachOf } from '../../shared/concurrency/each-of.ts'
import type { DiskSpace } from '../../shared/disk-space.ts'
import { syncFolder } from '../../shared/durable.ts'
import { EngineError } from '../../shared/errors.ts'
import { unlessAbsent } from '../../shared/unless-absent.ts'
import { linkFile } from '../release/copy-file.ts'
import { readManifest } from '../release/manifest.ts'
import type { Releases } from '../release/releases.ts'
import {
  type Content,
  contentOf,
  fetchContents,
  objectName,
  type ReleaseContents,
  writeBlob,
} from './contents.ts'
import { noteProved, PULLING, provedContents, proveFolder } from './local-contents.ts'
import type { OfferedRelease } from './offers.ts'

export interface PullContext {
  readonly releases: Releases
  readonly bucket: ObjectFolder
  readonly space: DiskSpace
  /** Returns releases that may be in the folder. Files that they contain need not be fetched again. */
  readonly known: () => Promise<readonly OfferedRelease[]>
}

interface PullRun {
  readonly signal?: AbortSignal | undefined
  /** Called with the number of bytes received since the last call. */
  readonly onBytes?: ((bytes: number) => void) | undefined
}

/** Concurrent downloads, each in reads of 4 MiB. */
const AT_ONCE = 8

/**
 * Pulls an offered release into the folder and verifies each file. If the folder already has the release but it
 * is not verified, its files are read instead of fetched. Files are written to a temporary folder, which is
 * renamed when it is complete. An interrupted pull resumes with the missing files. Only one process may pull at
 * a time.
 * @throws EngineError corrupt_source if bytes differ from the offer; conflict if the folder has another
 *   release with that id; unavailable
 */
export async function pullRelease(
  offer: OfferedRelease,
  context: PullContext,
  run: PullRun = {},
): Promise<void> {
  const { releases, bucket } = context
  const { signal } = run
  if (await provedContents(releases, offer)) return
  const { id } = offer
  const { contents, text } = await fetchContents(bucket, offer, signal)
  const folder = releases.folder(id)
  if (await unlessAbsent(stat(folder))) {
    await proveFolder(folder, contents, signal)
    return await noteProved(releases, { id, came: 'published', text })
  }
  const temporary = join(releases.path, `${PULLING}${id}`)
  await mkdir(temporary, { recursive: true })
  await fill(temporary, contents, context, run)
  // Reading the manifest shows whether this version of casemill can read the release.
  await readManifest(temporary)
  await noteProved(releases, { id, came: 'pulled', text })
  await rename(temporary, folder)
  await syncFolder(releases.path)
}

async function fill(
  temporary: string,
  { files }: ReleaseContents,
  context: PullContext,
  { signal, onBytes }: PullRun,
): Promise<void> {
  const { bucket, space, releases } = context
  const paths = Object.keys(files)
  const folders = new Set(paths.map((path) => dirname(join(temporary, path))))
  for (const folder of folders) await mkdir(folder, { recursive: true })
  const here = await contentsOfOthers(context)
  await eachOf(
    paths,
    async (path) => {
      signal?.throwIfAborted()
      const wanted = files[path] as Content
      const target = join(temporary, path)
      const other = here.get(objectName(wanted))
      if (await isHere(target, wanted, signal)) return
      const part = `${target}.part`
      // Removes the partial file of an interrupted pull.
      await rm(part, { force: true })
      if (other && (await isLinked(join(releases.path, other), target, wanted, signal))) return
      await space.require(wanted.bytes)
      const blob = await bucket.open(objectName(wanted))
      try {
        if (blob.identity.size !== wanted.bytes) throw wrong(path)
        const { sha256 } = await writeBlob(blob, part, { signal, onBytes })
        if (sha256 !== wanted.sha256) throw wrong(path)
        await rename(part, target)
      } finally {
        await blob.close()
      }
    },
    { atOnce: AT_ONCE },
  )
  for (const folder of folders) await syncFolder(folder)
}

/** Returns whether a file is complete. If a file has other content, removes it. */
async function isHere(path: string, wanted: Content, signal?: AbortSignal): Promise<boolean> {
  const found = await unlessAbsent(contentOf(path, signal))
  if (!found) return false
  if (found.bytes === wanted.bytes && found.sha256 === wanted.sha256) return true
  await rm(path)
  return false
}

/** Hard-links a file of another release if it still has the wanted content. Returns whether it did. */
async function isLinked(
  from: string,
  to: string,
  wanted: Content,
  signal?: AbortSignal,
): Promise<boolean> {
  const found = await contentOf(from, signal).catch(() => undefined)
  if (found?.bytes !== wanted.bytes || found.sha256 !== wanted.sha256) return false
  await linkFile(from, to, found)
  return true
}

/** Returns the paths of verified files in the releases folder, keyed by object name. */
async function contentsOfOthers({ releases, known }: PullContext): Promise<Map<string, string>> {
  const paths = new Map<string, string>()
  for (const offer of await known()) {
    const contents = await provedContents(releases, offer)
    for (const [path, content] of Object.entries(contents?.files ?? {})) {
      paths.set(objectName(content), join(offer.id, path))
    }
  }
  return paths
}

function wrong(path: string): EngineError {
  const message = `"${path}" in the bucket is not what was offered; casemill release publish --anew sends it again`
  return new EngineError('corrupt_source', message, { at: path })
}
