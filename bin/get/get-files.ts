import { setMaxListeners } from 'node:events'
import { reasonOfFile } from './errors.ts'
import { fetchFile } from './fetch-file.ts'
import { fetchGroup, groupSmall, isSmall } from './fetch-group.ts'
import { Lanes, workOn } from './lanes.ts'
import { describeFiles, findLatest, LOOK_UP_IDS } from './look-up.ts'
import { uniteWanted } from './manifest.ts'
import { safeName } from './names.ts'
import type { Trip } from './trip.ts'
import type { Outcome, Wanted } from './wanted.ts'

export interface GetFiles extends Omit<Trip, 'lanes' | 'claim'> {
  readonly wanted: readonly Wanted[]
  /** Maximum number of concurrent requests. */
  readonly connections: number
  readonly latest: boolean
  readonly related: boolean
}

/**
 * Fetches all files over a fixed number of connections: small files in groups and large ones in ranges. The
 * failure of a file is reported in its outcome and does not affect the others.
 * @throws errors that affect all files: a failed look-up, a full disk, the signal
 */
export async function getFiles(order: GetFiles): Promise<void> {
  const { connections, signal, onOutcome } = order
  setMaxListeners(0, signal)
  const trip: Trip = { ...order, lanes: new Lanes(connections), claim: namesOnce() }
  await workOn(planWork(order, trip), connections, async (files) => {
    const small = files.filter(isSmall)
    const rest = small.length === files.length ? await fetchGroup(small, trip) : files
    for (const file of rest) await onOutcome(await fetchOutcome(file, trip))
  })
}

/** Looks files up in batches, only as far ahead as needed, and yields groups to fetch together. */
async function* planWork(
  order: GetFiles,
  trip: Trip,
): AsyncGenerator<readonly Wanted[], void, undefined> {
  const { wanted, latest, related, onExpected } = order
  for (let from = 0; from < wanted.length; from += LOOK_UP_IDS) {
    const batch = wanted.slice(from, from + LOOK_UP_IDS)
    const chosen = latest ? uniteWanted([await findLatest(batch, trip)]) : batch
    const files = await describeFiles(chosen, { related }, trip)
    onExpected(files.reduce((sum, { size = 0 }) => sum + size, 0))
    for (const file of files) if (!isSmall(file)) yield [file]
    yield* groupSmall(files.filter(isSmall))
  }
}

async function fetchOutcome(file: Wanted, trip: Trip): Promise<Outcome> {
  try {
    return await fetchFile(file, trip)
  } catch (error) {
    trip.signal.throwIfAborted()
    const reason = reasonOfFile(error)
    if (reason === undefined) throw error
    const { id } = file
    return {
      id,
      path: null,
      bytes: null,
      md5: null,
      status: 'failed',
      verified: false,
      error: reason,
    }
  }
}

/** Reserves names. Each name in a folder belongs to one file, ignoring case as some file systems do. */
function namesOnce(): Trip['claim'] {
  const owners = new Map<string, string>()
  return (folder, given, id) => {
    const name = safeName(given, id)
    for (const each of [name, safeName(`${id}_${name}`, id)]) {
      const key = `${folder}/${each}`.toLowerCase()
      const owner = owners.get(key)
      if (owner === id) return each
      if (owner !== undefined) continue
      owners.set(key, id)
      return each
    }
    return id
  }
}
