import { createReadStream } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { unlessAbsent } from '../unless-absent.ts'
import { hashOf, type RecordedIds, type RecordLine, readLine } from './record-line.ts'

const DAY = /^\d{4}-\d{2}-\d{2}$/
const NAME = /^\d{8}T\d{9}Z-\d+-[0-9a-f]{8}\.\d+\.ndjson$/
/** Maximum length of a line in bytes. Lines of this version have at most about 20 KiB. */
const MAX_LINE_BYTES = 1 << 20

/** Returns the days of a record, ascending. */
export async function daysOf(root: string): Promise<readonly string[]> {
  const names = (await unlessAbsent(readdir(root))) ?? []
  return names.filter((name) => DAY.test(name)).sort()
}

/** Returns the names of the segments of a day, ascending. */
export async function segmentsOf(root: string, day: string): Promise<readonly string[]> {
  const names = (await unlessAbsent(readdir(join(root, day)))) ?? []
  return names
    .filter((name) => NAME.test(name))
    .sort()
    .map((name) => `${day}/${name}`)
}

/** A line of a segment with its text, or the rest of a file after its last line feed. */
interface SegmentText {
  readonly text: string
  /** Whether the text ends with a line feed. If not, its writing was interrupted. */
  readonly isWhole: boolean
}

/** Yields the lines of a segment in order. A line that is too long is cut. */
export async function* textsOf(root: string, segment: string): AsyncGenerator<SegmentText> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of createReadStream(join(root, segment)) as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let start = 0
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      yield { text: bytes.toString('utf8', start, end), isWhole: true }
      start = end + 1
    }
    rest = bytes.subarray(start)
    if (rest.length > MAX_LINE_BYTES) break
  }
  if (rest.length > 0) yield { text: rest.toString('utf8', 0, MAX_LINE_BYTES), isWhole: false }
}

/** Yields the lines of a segment that are whole and can be read. */
export async function* linesOf(root: string, segment: string): AsyncGenerator<RecordLine> {
  for await (const { text, isWhole } of textsOf(root, segment)) {
    const line = isWhole ? readLine(text) : undefined
    if (line) yield line
  }
}

/**
 * Returns the ids that a line records. Reads the list of many.
 * @returns undefined if the list is missing or has changed
 */
export async function idsOf(
  root: string,
  segment: string,
  recorded: RecordedIds,
): Promise<readonly string[] | undefined> {
  if ('ids' in recorded) return recorded.ids
  if (!/^[0-9a-f]{64}$/.test(recorded.sha256)) return undefined
  // The list may be of the day before if the line was written at midnight.
  const day = segment.slice(0, 10)
  const former = new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)
  for (const one of [day, former]) {
    const path = join(root, one, 'lists', `${recorded.sha256}.txt`)
    const text = await unlessAbsent(readFile(path, 'utf8'))
    if (text === undefined) continue
    const ids = text.trimEnd().split('\n')
    return hashOf(text) === recorded.sha256 && ids.length === recorded.count ? ids : undefined
  }
  return undefined
}
