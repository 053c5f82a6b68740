import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, askOnce, insist, type Patience, type Question, Unanswered } from './client.ts'

/** A project to write to, and the credentials. */
export interface Target {
  readonly origin: string
  /** The path, such as `/submission/DEMO/TRIAL`. */
  readonly path: string
  readonly code: string
  readonly token: string
}

export interface WriteReport extends Patience {
  /** Submitter ids of cases whose commit was acknowledged, at once or on request. */
  readonly kept: string[]
  /** The number of commits whose answer was lost and whose transaction was looked up. */
  asked: number
  /** Answers that no client can handle. */
  readonly wrong: string[]
  readonly lost: string[]
}

const PAUSE_MILLISECONDS = 250

interface TransactionAnswer {
  readonly success?: boolean
  readonly transaction_id?: number
}

/** Submits one case after the other until the signal ends it. */
export async function write(
  target: Target,
  name: string,
  report: WriteReport,
  { seconds, signal }: { seconds: number; signal: AbortSignal },
): Promise<void> {
  for (let n = 0; !signal.aborted; n++) {
    const id = `${name}-${n}`
    try {
      if (await submit(target, id, seconds, report)) report.kept.push(id)
    } catch (error) {
      report.lost.push(`${id}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

/** Makes a dry run, which may be repeated, and its commit, which may not, and returns whether the case was stored. */
async function submit(
  target: Target,
  id: string,
  seconds: number,
  report: WriteReport,
): Promise<boolean> {
  const { path, code } = target
  const entity = { type: 'case', submitter_id: id, projects: { code } }
  const body = JSON.stringify({ ...entity, primary_site: 'Brain', disease_type: 'Gliomas' })
  const dry = await tell(target, { path: `${path}/_dry_run`, body }, seconds, report)
  if (dry?.success !== true || dry.transaction_id === undefined) return false
  const commit = { path: `${path}/transactions/${dry.transaction_id}/commit` }
  for (;;) {
    try {
      const answer = await askOnce(target.origin, asked(target, commit))
      // An earlier commit whose answer was lost may have succeeded meanwhile.
      const isRepeated = answer.bytes.includes('committed already')
      if (!isRepeated) return taken(commit, answer, report)?.success === true
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error
    }
    report.asked++
    if (await isCommitted(target, dry.transaction_id, seconds, report)) return true
  }
}

/** Whether a dry run was committed by a successful transaction; waits for one in progress. */
async function isCommitted(
  target: Target,
  transaction: number,
  seconds: number,
  report: WriteReport,
): Promise<boolean> {
  const stateOf = async (id: number | string) => {
    const query = `query { transaction_log(id: ${id}) { committed_by state } }`
    const question = { path: '/submission/graphql', body: JSON.stringify({ query }) }
    const answer = await insist(
      () => askOnce(target.origin, asked(target, question)),
      seconds,
      report,
    )
    const { data } = JSON.parse(answer.bytes.toString())
    return data.transaction_log[0] as {
      readonly committed_by: string | null
      readonly state: string
    }
  }
  for (;;) {
    const { committed_by: by } = await stateOf(transaction)
    if (by === null) return false
    const { state } = await stateOf(by)
    if (state !== 'PENDING') return state === 'SUCCEEDED'
    await sleep(PAUSE_MILLISECONDS)
  }
}

/** Returns the body of a successful answer; any other answer is reported as wrong. */
function taken(
  question: Question,
  answer: Answer,
  report: WriteReport,
): TransactionAnswer | undefined {
  if (answer.status < 300) return JSON.parse(answer.bytes.toString())
  report.wrong.push(`${question.path}: ${answer.status} ${answer.bytes}`)
  return undefined
}

async function tell(target: Target, question: Question, seconds: number, report: WriteReport) {
  const ask = () => askOnce(target.origin, asked(target, question))
  return taken(question, await insist(ask, seconds, report), report)
}

/** Adds the credentials of a project member; the method is POST with JSON unless the request names another. */
export function asked({ token }: Target, question: Question): Question {
  const headers = { 'X-Auth-Token': token, 'Content-Type': 'application/json' }
  return { method: 'POST', headers, ...question }
}

/** Lists the submitter ids of a project's cases that start with a prefix, as the service returns them. */
export async function casesOf(target: Target, prefix: string): Promise<readonly string[]> {
  const projectId = target.path.replace(/^\/submission\//, '').replace('/', '-')
  const query = `query { case(project_id: "${projectId}", first: 0) { submitter_id } }`
  const question = { path: '/submission/graphql', body: JSON.stringify({ query }) }
  const answer = await askOnce(target.origin, asked(target, question))
  const { data } = JSON.parse(answer.bytes.toString())
  const all: readonly { readonly submitter_id: string }[] = data.case
  return all.map(({ submitter_id: id }) => id).filter((id) => id.startsWith(prefix))
}
