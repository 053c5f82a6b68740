import { setTimeout as sleep } from 'node:timers/promises'
import { askOnce, insist, type Patience, type Question } from './client.ts'

/** A set whose last change was acknowledged. */
interface KeptSet {
  readonly id: string
  /** Empty if the set was deleted. */
  readonly members: readonly string[]
}

export interface SetReport extends Patience {
  readonly kept: KeptSet[]
  /** Answers that no client can handle, and sets that are not as acknowledged. */
  readonly wrong: string[]
  readonly lost: string[]
}

const PAUSE_MILLISECONDS = 300
/** Every so many sets, one is deleted. */
const DELETED = 4

interface KeepOptions {
  /** Ids of cases, of which each set has two. */
  readonly cases: readonly string[]
  readonly seconds: number
  readonly signal: AbortSignal
}

/** Makes one set of cases after the other, adds a case, and deletes some, until the signal ends it. */
export async function keepSets(
  origin: string,
  report: SetReport,
  { cases, seconds, signal }: KeepOptions,
): Promise<void> {
  const tell = async (question: Question) => {
    const headers = { 'Content-Type': 'application/json' }
    return insist(() => askOnce(origin, { headers, ...question }), seconds, report)
  }
  const idOf = (body: Buffer): string => JSON.parse(body.toString()).data.set_id
  for (let n = 0; !signal.aborted; n++) {
    const members = [cases[n % cases.length], cases[(n + 1) % cases.length]].map(String)
    const [first, second] = members.map((id) => ({
      type: 'case',
      filters: { op: 'in', content: { field: 'cases.case_id', value: [id] } },
    }))
    try {
      const made = await tell({ method: 'POST', path: '/sets', body: JSON.stringify(first) })
      if (made.status !== 201) throw new Error(`${made.status} ${made.bytes}`)
      const id = idOf(made.bytes)
      // A set has each member once, so a case may be added again.
      const { filters } = second ?? {}
      const body = JSON.stringify({ filters })
      const added = await tell({ method: 'POST', path: `/sets/${id}/append`, body })
      // A request whose answer was lost may still be at work.
      if (added.status !== 200 && added.status !== 409) {
        throw new Error(`append: ${added.status} ${added.bytes}`)
      }
      const isDeleted = n % DELETED === DELETED - 1
      if (isDeleted) {
        const { status, bytes } = await tell({ method: 'DELETE', path: `/sets/${id}` })
        if (status !== 204 && status !== 404) throw new Error(`delete: ${status} ${bytes}`)
      }
      const kept = { id, members: isDeleted ? [] : members }
      const wrong = await difference(origin, kept, seconds, report)
      if (wrong === undefined) report.kept.push(kept)
      else report.wrong.push(wrong)
    } catch (error) {
      report.lost.push(error instanceof Error ? error.message : String(error))
    }
    await sleep(PAUSE_MILLISECONDS)
  }
}

/** Returns how a set differs from what was acknowledged, if it does. */
export async function difference(
  origin: string,
  { id, members }: KeptSet,
  seconds: number,
  patience: Patience,
): Promise<string | undefined> {
  const question = { path: `/sets/${id}/ids` }
  const { status, bytes } = await insist(() => askOnce(origin, question), seconds, patience)
  if (members.length === 0) return status === 404 ? undefined : `a deleted set is ${status}`
  const [, ...found] = bytes.toString().trim().split('\n')
  const isSame = status === 200 && found.join() === members.toSorted().join()
  return isSame ? undefined : `a set of ${members.join()} is ${status} ${bytes}`
}
