import { type Answer, askOnce, insist, type Patience, type Question } from './client.ts'

/** A registry to edit, and the credentials. */
export interface Registry {
  readonly origin: string
  /** The key of an editor of drugs and of staging tables. */
  readonly key: string
}

export interface EditReport extends Patience {
  /** Ids of drugs whose second name was acknowledged. */
  readonly kept: string[]
  /** Answers that no client can handle, and acknowledged edits that are not read. */
  readonly wrong: string[]
  readonly lost: string[]
}

const RX = '/rest/rx/development'

const firstName = (id: string) => `Made ${id}`
const secondName = (id: string) => `Renamed ${id}`

/** Creates and renames one drug after the other until the signal ends it; acknowledged names must be readable. */
export async function edit(
  registry: Registry,
  name: string,
  report: EditReport,
  { seconds, signal }: { seconds: number; signal: AbortSignal },
): Promise<void> {
  for (let n = 0; !signal.aborted; n++) {
    const id = `${name}-${n}`
    try {
      if (!(await create(registry, id, seconds, report))) continue
      const drug = { id, name: secondName(id), type: 'DRUG' }
      const question = { method: 'PUT', path: `${RX}/update`, body: JSON.stringify(drug) }
      // Renaming to the same name twice is harmless.
      const answer = await insist(() => ask(registry, question), seconds, report)
      if (answer.status !== 201) report.wrong.push(told(question, answer))
      else if (await isRenamed(registry, id, seconds, report)) report.kept.push(id)
      else report.wrong.push(`${id} has not the name that was acknowledged`)
    } catch (error) {
      report.lost.push(`${id}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

/** Creates a drug, and returns whether it exists, even if the answer to an earlier request was lost. */
async function create(
  registry: Registry,
  id: string,
  seconds: number,
  report: EditReport,
): Promise<boolean> {
  const drug = { id, name: firstName(id), type: 'DRUG' }
  const question = { method: 'POST', path: `${RX}/create`, body: JSON.stringify(drug) }
  let times = 0
  const once = () => {
    times++
    return ask(registry, question)
  }
  const answer = await insist(once, seconds, report)
  if (answer.status === 201) return true
  // An earlier request whose answer was lost has created the drug.
  if (times > 1 && (await nameOf(registry, id, seconds, report)) === firstName(id)) return true
  report.wrong.push(told(question, answer))
  return false
}

/** Whether any node returns the second name of a drug. */
export async function isRenamed(
  registry: Registry,
  id: string,
  seconds: number,
  report: Patience,
): Promise<boolean> {
  return (await nameOf(registry, id, seconds, report)) === secondName(id)
}

async function nameOf(
  registry: Registry,
  id: string,
  seconds: number,
  patience: Patience,
): Promise<unknown> {
  const question = { method: 'GET', path: `${RX}/id/${id}` }
  const { status, bytes } = await insist(() => ask(registry, question), seconds, patience)
  return status === 200 ? JSON.parse(bytes.toString()).name : undefined
}

function ask({ origin, key }: Registry, question: Question): Promise<Answer> {
  const headers = { 'X-SEERAPI-Key': key, 'Content-Type': 'application/json' }
  return askOnce(origin, { ...question, headers })
}

const told = ({ path, body }: Question, { status, bytes }: Answer) =>
  `${path} ${body}: ${status} ${bytes.toString().slice(0, 300)}`
