import { open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { unlessAbsent } from '../../engine/shared/internal.ts'
import { digestOf } from './part-file.ts'
import type { Trip } from './trip.ts'
import type { Outcome, Wanted } from './wanted.ts'

/** Returns the path of a file. Prefers the name in the manifest or record, so that a second run finds the file. */
export function targetPath(wanted: Wanted, served: string | undefined, trip: Trip): string {
  const { id, folder } = wanted
  return join(trip.folder, folder, trip.claim(folder, wanted.name ?? served ?? id, id))
}

/** Returns whether the file's folder contains anything, complete or not. */
export async function hasFolder({ folder }: Wanted, trip: Trip): Promise<boolean> {
  const names = await unlessAbsent(readdir(join(trip.folder, folder)))
  return names !== undefined && names.length > 0
}

/** Returns the outcome for a file that already exists, if no request is needed to recognise it. */
export async function findKnown(wanted: Wanted, trip: Trip): Promise<Outcome | undefined> {
  const { name, size, md5 } = wanted
  if (name === undefined || size === undefined) return undefined
  return findPresent(wanted, targetPath(wanted, name, trip), { size, md5 }, trip)
}

/** Returns the outcome for an existing file with the expected size and md5. */
export async function findPresent(
  { id }: Wanted,
  path: string,
  { size, md5 }: { readonly size: number | undefined; readonly md5: string | undefined },
  trip: Trip,
): Promise<Outcome | undefined> {
  if (md5 === undefined) return undefined
  const handle = await unlessAbsent(open(path, 'r'))
  if (!handle) return undefined
  try {
    const stat = await handle.stat()
    const isCandidate = stat.isFile() && (size === undefined || stat.size === size)
    if (!isCandidate || (await digestOf(handle, trip.signal)) !== md5) return undefined
    await removeParts(path)
    trip.onBytes(stat.size)
    return { id, path, bytes: stat.size, md5, status: 'present', verified: true }
  } finally {
    await handle.close()
  }
}

/** Removes leftovers of an interrupted run next to a complete file. */
export async function removeParts(path: string): Promise<void> {
  for (const ending of ['.part', '.part.json', '.part.next']) {
    await rm(`${path}${ending}`, { force: true })
  }
}
