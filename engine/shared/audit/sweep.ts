import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../durable.ts'
import { EngineError } from '../errors.ts'
import { unlessAbsent } from '../unless-absent.ts'
import { checkSegment } from './check-segment.ts'
import { daysOf, segmentsOf } from './read-segment.ts'
import type { SegmentMark, SweepEntry } from './record-line.ts'
import type { SegmentRegister } from './segment-register.ts'

interface Sweep {
  readonly root: string
  readonly register: SegmentRegister
  /** First day to keep, as `YYYY-MM-DD`. */
  readonly before: string
  readonly node: () => Promise<string>
  readonly record: (swept: Pick<SweepEntry, 'day' | 'segments'>) => Promise<void>
}

/**
 * Deletes the days before one. Before, records how each segment ended, in the record and in the register, so that
 * the chain stays whole. Lists of ids stay a day longer than the segments, because a line of midnight may name a
 * list of the day before. Other processes may sweep the same folder at the same time: each of them records what it
 * deletes, and what is gone already is none of its concern.
 * @returns the days whose segments were deleted
 * @throws EngineError `corrupt_source` for a day whose lines are not intact; it and later days are kept
 */
export async function sweepDays(sweep: Sweep): Promise<readonly string[]> {
  const { root, register, before } = sweep
  const swept: string[] = []
  for (const day of (await daysOf(root)).filter((one) => one < before)) {
    const names = await segmentsOf(root, day)
    const segments = await intact(root, names)
    if (segments.length > 0) {
      await sweep.record({ day, segments })
      await register.sweep(await sweep.node(), segments)
      for (const { segment } of segments) await rm(join(root, segment), { force: true })
      await unlessAbsent(syncFolder(join(root, day)))
      swept.push(day)
    }
    if (nextDay(day) < before) await rm(join(root, day), { recursive: true, force: true })
  }
  return swept
}

const nextDay = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)

async function intact(root: string, names: readonly string[]): Promise<readonly SegmentMark[]> {
  const segments: SegmentMark[] = []
  for (const name of names) {
    const checked = await unlessAbsent(checkSegment(root, name))
    if (!checked) continue
    const { mark, problems } = checked
    if (problems.length > 0) {
      // Lists may go while a segment is read that another process has deleted.
      if (!(await unlessAbsent(stat(join(root, name))))) continue
      const message = `${problems[0]} in ${name} of the audit record; the day is kept until you have looked at it`
      throw new EngineError('corrupt_source', message)
    }
    segments.push(mark)
  }
  return segments
}
