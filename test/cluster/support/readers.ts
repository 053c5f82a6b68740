import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, askInWay, insist, type Patience, type Question, sumOf } from './client.ts'

/** The answer of a single node. */
interface Told {
  /** The release that the answer names; empty if the answer does not depend on one. */
  readonly release: string
  readonly status: number
  readonly sum: string
}

/** A request, and the right answers for each release: of one version of the program, or of several. */
export interface Expected {
  readonly question: Question
  readonly answers: ReadonlyMap<string, readonly Told[]>
}

/** The results of the readers. */
export interface ReadReport extends Patience {
  complete: number
  /** The number of complete answers by the release that they name. */
  readonly byRelease: Map<string, number>
  /** Complete answers that differ from a single node's for the same release. */
  readonly wrong: string[]
  /** Requests that were unanswered for too long. */
  readonly lost: string[]
}

/** The maximum number of reports of one kind. */
const MAX_TOLD = 10

/** Sends each request to a single node twice, and leaves out those with different answers. */
export async function answersOf(
  origin: string,
  questions: readonly Question[],
): Promise<readonly Told[]> {
  const told: Told[] = []
  for (const question of questions) {
    const [first, second] = [await askInWay(origin, question), await askInWay(origin, question)]
    if (first.status >= 400) {
      throw new Error(`${question.path}: ${first.status} ${first.bytes.toString().slice(0, 200)}`)
    }
    if (sumOf(first.bytes) !== sumOf(second.bytes)) throw new Error(`${question.path} varies`)
    told.push({ release: releaseOf(first), status: first.status, sum: sumOf(first.bytes) })
  }
  return told
}

const releaseOf = ({ headers }: Answer) => headers.get('x-casemill-release') ?? ''

/** Compares an answer with a single node's byte by byte, and returns the difference, if any. */
function fault({ question, answers }: Expected, answer: Answer): string | undefined {
  const release = releaseOf(answer)
  const sum = sumOf(answer.bytes)
  const isRight = (told: Told) => told.status === answer.status && told.sum === sum
  if (answers.get(release)?.some(isRight)) return undefined
  const text = answer.bytes.toString('latin1', 0, 200)
  return `${question.path}: of release "${release}" ${answer.status} with ${answer.bytes.length} bytes, ${JSON.stringify(text)}`
}

/**
 * Sends the requests in turn until the signal ends it, each until it is answered completely.
 * @param seconds after which a question that nobody answers is lost
 */
export async function read(
  origin: string,
  expected: readonly Expected[],
  report: ReadReport,
  { first, seconds, signal }: { first: number; seconds: number; signal: AbortSignal },
): Promise<void> {
  for (let i = first; !signal.aborted; i++) {
    const next = expected[i % expected.length]
    if (!next) return
    try {
      const answer = await insist(() => askInWay(origin, next.question), seconds, report)
      const wrong = fault(next, answer)
      const release = releaseOf(answer)
      if (wrong === undefined) {
        report.complete++
        report.byRelease.set(release, (report.byRelease.get(release) ?? 0) + 1)
      } else if (report.wrong.length < MAX_TOLD) {
        report.wrong.push(wrong)
      }
    } catch (error) {
      report.lost.push(String(error))
    }
    await sleep(5)
  }
}
