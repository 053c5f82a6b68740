import { Broken, ResponseError, Spoiled } from './errors.ts'
import type { Extent } from './extents.ts'
import { areOfOneFile, type Facts, readFacts, strongTag } from './facts.ts'
import { workOn } from './lanes.ts'
import type { Answer } from './link.ts'
import { PartFile } from './part-file.ts'
import { retrying } from './retry.ts'
import { findKnown, findPresent, hasFolder, targetPath } from './target.ts'
import type { Trip } from './trip.ts'
import type { Outcome, Wanted } from './wanted.ts'

/** Size in bytes of a range request. The connections share the ranges of a file. */
const RANGE_BYTES = 16 << 20
/** How often to fetch a file if its bytes were wrong, and if it changed during the transfer. */
const TURNS_WHEN_WRONG = 2
const TURNS_WHEN_CHANGED = 4

/** A file after the first response. */
interface Opened {
  readonly part: PartFile
  readonly facts: Facts
}

/**
 * Fetches a file in ranges over the free connections. Resumes an earlier run, and verifies the md5 before the
 * file gets its name.
 * @throws ResponseError, Broken, Spoiled if it cannot be fetched
 */
export async function fetchFile(wanted: Wanted, trip: Trip): Promise<Outcome> {
  const known = await findKnown(wanted, trip)
  if (known) return known
  for (let turn = 1; ; turn++) {
    try {
      return await fetchOnce(wanted, trip)
    } catch (error) {
      trip.signal.throwIfAborted()
      if (!(error instanceof Spoiled) || turn >= error.turns) throw error
    }
  }
}

async function fetchOnce(wanted: Wanted, trip: Trip): Promise<Outcome> {
  const opened = await openFile(wanted, trip)
  if ('status' in opened) return opened
  const { part, facts } = opened
  let isFinished = false
  try {
    await fetchGaps(wanted, opened, trip)
    const md5 = await part.digest(trip.signal)
    const expected = wanted.md5 ?? facts.md5
    if (expected !== undefined && md5 !== expected) {
      trip.onBytes(-part.bytes)
      await part.discard()
      isFinished = true
      throw new Spoiled(`the bytes have md5 ${md5} instead of ${expected}`, TURNS_WHEN_WRONG)
    }
    await part.finish()
    isFinished = true
    const { path, bytes } = part
    return { id: wanted.id, path, bytes, md5, status: 'complete', verified: expected !== undefined }
  } finally {
    if (!isFinished) {
      trip.onBytes(-part.bytes)
      await part.saveProgress()
    }
    await part.close()
  }
}

/** Sends the first request of a file: for its first range, or for one byte if all bytes may already be present. */
async function openFile(wanted: Wanted, trip: Trip): Promise<Opened | Outcome> {
  const isKnown = await hasFolder(wanted, trip)
  let last = isKnown ? 0 : RANGE_BYTES - 1
  if (wanted.size === 0) last = -1
  return retrying(trip, () =>
    trip.lanes.use(async () => {
      const answer = await askForFirst(wanted, last, trip)
      try {
        const facts = readFacts(answer)
        demandAgreement(wanted, facts, answer.status)
        if (wanted.size === undefined) trip.onExpected(facts.size ?? 0)
        const path = targetPath(wanted, facts.name, trip)
        const md5 = wanted.md5 ?? facts.md5
        const present = isKnown && (await findPresent(wanted, path, { ...facts, md5 }, trip))
        if (present) return present
        const part = await PartFile.open(path, facts)
        trip.onBytes(part.bytes)
        try {
          if (facts.range) await takeRange(answer, facts.range, part, trip)
          else await takeWhole(answer, facts.size ?? wanted.size, part, trip)
        } catch (error) {
          await part.close()
          throw error
        }
        return { part, facts }
      } finally {
        answer.close()
      }
    }),
  )
}

/** Requests the first bytes. An empty file has no first byte, so the server answers with 416. */
async function askForFirst({ id }: Wanted, last: number, { link }: Trip): Promise<Answer> {
  const path = dataPath(id)
  if (last < 0) return link.ask({ path, isGuarded: true })
  const headers = { Range: `bytes=0-${last}` }
  try {
    return await link.ask({ path, headers, isGuarded: true })
  } catch (error) {
    if (!(error instanceof ResponseError) || error.status !== 416) throw error
    return link.ask({ path, isGuarded: true })
  }
}

/** Writes the first range unless it is present. If it breaks off, the rest is fetched with the other gaps. */
async function takeRange(answer: Answer, range: Extent, part: PartFile, trip: Trip) {
  if (!part.gaps(range[1], RANGE_BYTES).some(([from]) => from === 0)) return
  try {
    await part.write(answer.body, range, trip.onBytes)
  } catch (error) {
    if (error instanceof Broken) return
    await part.saveProgress()
    throw error
  }
}

/** Fetches the whole file in one stream. If the server has no ranges, the transfer cannot be resumed. */
async function takeWhole(answer: Answer, size: number | undefined, part: PartFile, trip: Trip) {
  trip.onBytes(-part.bytes)
  await part.reset()
  try {
    const end = await part.write(answer.body, [0, size ?? Number.MAX_SAFE_INTEGER], trip.onBytes)
    if (size !== undefined && end < size) throw new Broken('the connection ended early')
  } catch (error) {
    trip.onBytes(-part.bytes)
    await part.discard()
    throw error
  }
}

/** Fetches all missing ranges of a file of known size. */
async function fetchGaps(wanted: Wanted, opened: Opened, trip: Trip): Promise<void> {
  const { part, facts } = opened
  const gaps = facts.range ? part.gaps(facts.size ?? 0, RANGE_BYTES) : []
  const failed = new AbortController()
  const signal = AbortSignal.any([trip.signal, failed.signal])
  const fetchGap = async (gap: Extent) => {
    try {
      await fetchExtent(wanted, gap, opened, { ...trip, signal })
    } catch (error) {
      failed.abort(error)
      throw error
    }
  }
  await workOn(gaps, trip.lanes.count, fetchGap).catch((error) => {
    // The other tasks fail because they are stopped, so only the first error is thrown.
    throw failed.signal.reason ?? error
  })
}

async function fetchExtent(wanted: Wanted, gap: Extent, opened: Opened, trip: Trip) {
  const { part, facts } = opened
  let [start, end] = gap
  const tag = strongTag(facts.etag)
  await retrying(trip, (advanced) =>
    trip.lanes.use(async () => {
      const answer = await trip.link
        .ask({
          path: dataPath(wanted.id),
          headers: {
            Range: `bytes=${start}-${end - 1}`,
            ...(tag !== undefined && { 'If-Range': tag }),
          },
          isGuarded: true,
          signal: trip.signal,
        })
        .catch(ifOutOfRange)
      try {
        demandSameFile(facts, readFacts(answer), [start, end])
        const onBytes = (count: number) => {
          start += count
          advanced()
          trip.onBytes(count)
        }
        await part.write(answer.body, [start, end], onBytes)
        if (start < end) throw new Broken('the connection ended early')
      } finally {
        answer.close()
      }
    }),
  )
}

function dataPath(id: string): string {
  return `data/${encodeURIComponent(id)}`
}

/**
 * Checks that the file on the server is the one that the manifest or record describes.
 * @throws ResponseError if it is another one
 */
function demandAgreement({ size, md5 }: Wanted, facts: Facts, status: number | undefined): void {
  if (status === 206 && facts.range?.[0] !== 0) {
    throw new ResponseError(206, 'the server sent a different range than requested')
  }
  if (size !== undefined && facts.size !== undefined && size !== facts.size) {
    throw new ResponseError(200, `the server has ${facts.size} bytes, expected are ${size}`)
  }
  if (md5 !== undefined && facts.md5 !== undefined && md5 !== facts.md5) {
    throw new ResponseError(200, `the server has a file of md5 ${facts.md5}, expected is ${md5}`)
  }
}

function demandSameFile(before: Facts, now: Facts, [start, end]: Extent): void {
  const isRange = now.range?.[0] === start && now.range[1] <= end
  if (!isRange || !areOfOneFile(before, now)) throw changed()
}

function ifOutOfRange(error: unknown): never {
  if (error instanceof ResponseError && (error.status === 416 || error.status === 412))
    throw changed()
  throw error
}

function changed(): Spoiled {
  return new Spoiled('the file changes on the server while it is fetched', TURNS_WHEN_CHANGED)
}
