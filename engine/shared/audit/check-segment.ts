import { idsOf, textsOf } from './read-segment.ts'
import {
  hashOf,
  ID_KINDS,
  NO_LINE,
  type RecordLine,
  readLine,
  type SegmentMark,
} from './record-line.ts'

/** Content of one segment, and what is wrong with it. */
export interface CheckedSegment {
  /** The segment up to its last whole line. */
  readonly mark: SegmentMark
  /** First line, if it is in order. */
  readonly head: Extract<RecordLine, { readonly kind: 'head' }> | undefined
  /** Lines about deleted days. */
  readonly sweeps: readonly Extract<RecordLine, { readonly kind: 'sweep' }>[]
  /** Hashes of the lines that were asked for, by the number of lines up to them. */
  readonly hashes: ReadonlyMap<number, string>
  readonly problems: readonly string[]
  /** Whether the file ends in a line that was not written completely, as after a crash. */
  readonly isTorn: boolean
}

/**
 * Reads a segment and checks that each line has the hash of the line before it, and that all lists are there.
 * @param wanted numbers of lines, up to which the hash is returned
 */
export async function checkSegment(
  root: string,
  segment: string,
  wanted: ReadonlySet<number> = NONE,
): Promise<CheckedSegment> {
  const problems: string[] = []
  const hashes = new Map<number, string>()
  let lines = 0
  let before: string | undefined
  const sweeps: CheckedSegment['sweeps'][number][] = []
  let head: CheckedSegment['head']
  let isTorn = false
  let hasEnded = false
  for await (const { text, isWhole } of textsOf(root, segment)) {
    if (!isWhole) {
      isTorn = true
      break
    }
    const number = lines
    const line = readLine(text)
    const problem = problemOf(line, number, before)
    if (problem) problems.push(`line ${number + 1} ${problem}`)
    before = hashOf(text)
    lines++
    if (wanted.has(lines)) hashes.set(lines, before)
    if (!line) continue
    if (hasEnded) problems.push(`line ${number + 1} comes after the end`)
    hasEnded ||= line.kind === 'end'
    if (number === 0) {
      head = line.kind === 'head' && line.segment === segment ? line : undefined
      if (!head) problems.push('line 1 is not the head of this segment')
      else if (head.before !== (head.former?.sha256 ?? NO_LINE)) {
        problems.push('line 1 does not have the hash of the former segment')
      }
    } else if (line.kind === 'head') problems.push(`line ${number + 1} is a second head`)
    if (line.kind === 'sweep') sweeps.push(line)
    for (const list of await badLists(root, segment, line)) {
      problems.push(`line ${number + 1} names a list of ${list} that is missing or changed`)
    }
    if (problems.length >= MAX_PROBLEMS) break
  }
  if (lines === 0) problems.push('has no lines')
  const mark = { segment, lines, sha256: before ?? '' }
  return { mark, head, sweeps, hashes, problems, isTorn }
}

const NONE: ReadonlySet<number> = new Set()

/** Maximum number of problems that are reported for a segment. After that, it is not read further. */
const MAX_PROBLEMS = 20

function problemOf(
  line: RecordLine | undefined,
  number: number,
  before: string | undefined,
): string | undefined {
  if (!line) return 'is not a line of a record'
  if (line.number !== number) return `has the number ${line.number}; expected ${number}`
  if (before !== undefined && line.before !== before)
    return 'does not have the hash of the line before'
  return undefined
}

async function badLists(root: string, segment: string, line: RecordLine): Promise<string[]> {
  if (line.kind !== 'answer') return []
  const bad: string[] = []
  for (const kind of ID_KINDS) {
    const recorded = line[kind]
    if (recorded && !(await idsOf(root, segment, recorded))) bad.push(kind)
  }
  return bad
}
