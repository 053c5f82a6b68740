import { createHash } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { type Extract, extract } from 'tar-stream'
import { Broken, isDiskError, ResponseError, reasonOfFile } from './errors.ts'
import { partPath } from './part-file.ts'
import { retrying } from './retry.ts'
import { findKnown, removeParts, targetPath } from './target.ts'
import type { Trip } from './trip.ts'
import type { Outcome, Wanted } from './wanted.ts'

/** Files up to this size in bytes are fetched in archives. Each connection keeps one such file in memory. */
const SMALL_BYTES = 1 << 20
/** Maximum number and total size of files in one archive. */
const GROUP_FILES = 200
const GROUP_BYTES = 16 << 20

/** A small file whose name, md5 and size are known, so that it can be fetched in an archive. */
type Small = Wanted & Required<Pick<Wanted, 'name' | 'md5' | 'size'>>

/** Returns whether a file is small enough to be downloaded in an archive. Its name and md5 must be known. */
export function isSmall(wanted: Wanted): wanted is Small {
  const { name, md5, size } = wanted
  return name !== undefined && md5 !== undefined && size !== undefined && size <= SMALL_BYTES
}

/** Divides files into groups, one per archive. All ids in a group are different. */
export function groupSmall(files: readonly Small[]): Small[][] {
  const groups: Small[][] = []
  let ids = new Set<string>()
  let bytes = 0
  for (const file of files) {
    const group = groups.at(-1)
    const id = file.id.toLowerCase()
    if (!group || ids.has(id) || ids.size >= GROUP_FILES || bytes + file.size > GROUP_BYTES) {
      groups.push([file])
      ids = new Set()
      bytes = 0
    } else group.push(file)
    ids.add(id)
    bytes += file.size
  }
  return groups
}

/**
 * Fetches small files in one archive, and reports those that arrived or already existed.
 * @returns the missing files, which must be requested one by one, because the server rejects a whole archive
 *   if it rejects one of its files
 */
export async function fetchGroup(files: readonly Small[], trip: Trip): Promise<Wanted[]> {
  const missing = new Map<string, Small>()
  for (const file of files) {
    const present = await findKnown(file, trip).catch(ifInTheWay)
    if (present) await trip.onOutcome(present)
    else missing.set(file.id.toLowerCase(), file)
  }
  // An archive with a single file has no advantage.
  if (missing.size < 2) return [...missing.values()]
  try {
    await retrying(trip, (advanced) => trip.lanes.use(() => fetchArchive(missing, advanced, trip)))
  } catch (error) {
    trip.signal.throwIfAborted()
    if (!(error instanceof ResponseError || error instanceof Broken)) throw error
  }
  return [...missing.values()]
}

/** Requests an archive of all missing files. Stores the files that arrive with the right md5. */
async function fetchArchive(missing: Map<string, Small>, advanced: () => void, trip: Trip) {
  const ids = [...missing.values()].map(({ id }) => id)
  const answer = await trip.link.ask({ path: 'data?tarfile', json: { ids }, isGuarded: true })
  const members = extract()
  // The loop below throws the same error, so this promise's rejection must not count as unhandled.
  const reading = extracted(answer.body, members)
  reading.catch(() => {})
  try {
    for await (const entry of members) {
      const file = missing.get(entry.header.name.split('/', 1)[0]?.toLowerCase() ?? '')
      const isFile = entry.header.type === 'file' && entry.header.name.split('/').length === 2
      if (!file || !isFile || entry.header.size !== file.size) {
        entry.resume()
        continue
      }
      const outcome = await store(file, await buffer(entry), trip).catch(ifInTheWay)
      if (!outcome) continue
      missing.delete(file.id.toLowerCase())
      advanced()
      await trip.onOutcome(outcome)
    }
    await reading
  } catch (error) {
    trip.signal.throwIfAborted()
    if (error instanceof Broken || isDiskError(error)) throw error
    throw new ResponseError(200, 'the server sent an archive that cannot be read')
  } finally {
    answer.close()
  }
}

async function store(file: Small, bytes: Buffer, trip: Trip): Promise<Outcome | undefined> {
  const md5 = createHash('md5').update(bytes).digest('hex')
  if (md5 !== file.md5) return undefined
  const path = targetPath(file, undefined, trip)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(partPath(path), bytes)
  await rename(partPath(path), path)
  await removeParts(path)
  trip.onBytes(bytes.length)
  const { id } = file
  return { id, path, bytes: bytes.length, md5, status: 'complete', verified: true }
}

/** Ignores an error that concerns a single file. The file is requested again by itself, which shows the reason. */
function ifInTheWay(error: unknown): undefined {
  if (reasonOfFile(error) === undefined) throw error
}

/** Extracts an archive. Decompresses it first if needed, because some servers compress it unasked. */
async function extracted(body: AsyncIterable<Buffer>, members: Extract): Promise<void> {
  const chunks = body[Symbol.asyncIterator]()
  const first = await chunks.next()
  const bytes: Buffer = first.done ? Buffer.alloc(0) : first.value
  async function* whole() {
    yield bytes
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) await pipeline(whole, createGunzip(), members)
  else await pipeline(whole, members)
}
