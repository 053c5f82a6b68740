import type { Comparison, Contender, Contest } from '../../bench.ts'
import { median } from '../../rounds.ts'
import { differenceBetween, pinnedOf } from './answers.ts'
import { OURS, oursOver } from './ours.ts'
import { PINS } from './pins.ts'
import type { Question, WorkloadName } from './questions.ts'
import type { Stage } from './stage.ts'
import type { Contestant, Way } from './way.ts'

/** How a workload is measured and what it is held against. */
export interface Plan {
  readonly rounds: number
  /** By the name of the contestant: at least so many times as fast. */
  readonly targets?: Readonly<Record<string, number>>
  /** Who is not asked, since it would take minutes. */
  readonly without?: readonly string[]
}

/** Series of a workload whose questions are told apart. */
interface Part {
  /** Goes behind the names of the series. */
  readonly suffix: string
  readonly questions: readonly Question[]
}

/** Questions that are answered by everybody before anything is measured. */
const COMPARED = 3
/** A turn asks until one of these is reached. */
const MAX_ASKED = 40
const TURN_MILLISECONDS = 400
/** A way that took longer is not tried again. */
const PATIENCE = 1_000

/** One workload, asked of the service and of its peers in turn. */
export async function planContest(
  stage: Stage,
  workload: WorkloadName,
  { rounds, targets = {}, without = [] }: Plan,
): Promise<Contest> {
  stage.note(`${workload}: comparing answers`)
  const contenders: Contender[] = []
  const comparisons: Comparison[] = []
  for (const { suffix, questions } of partsOf(stage, workload)) {
    const [first] = questions
    const peers = stage.peers
      .contestants(first!.kind)
      .filter(({ name }) => !without.includes(name))
      .filter(({ isPart }) => !isPart || !('units' in first!) || first.units !== 'uqfpkm')
    const ours = oursOver(stage.service)
    const ways = await comparedWays(stage, `${workload}${suffix}`, { ours, peers, questions })
    for (const [name, way] of ways) {
      contenders.push(await contenderOf(`${name}${suffix}`, way, questions))
      if (name === OURS) continue
      const target = targets[name]
      comparisons.push({
        ours: `${OURS}${suffix}`,
        peer: `${name}${suffix}`,
        ...(target === undefined ? {} : { target: { atLeast: target } }),
      })
    }
  }
  return { workload, unit: 'ms', rounds: stage.rounds(rounds), contenders, comparisons }
}

function partsOf({ questions }: Stage, workload: WorkloadName): readonly Part[] {
  const asked = questions[workload]
  if (!asked.some((question) => question.kind === 'values')) {
    return [{ suffix: '', questions: asked }]
  }
  return asked.map((question) => {
    const isCentred = question.kind === 'values' && question.units !== 'uqfpkm'
    return { suffix: isCentred ? ', centred' : ', uqfpkm', questions: [question] }
  })
}

interface Party {
  readonly ours: Contestant
  readonly peers: readonly Contestant[]
  readonly questions: readonly Question[]
}

/**
 * The way that each was fastest with.
 * @throws Error when an answer is not the pinned one, or differs from ours
 */
async function comparedWays(
  stage: Stage,
  told: string,
  { ours, peers, questions }: Party,
): Promise<ReadonlyMap<string, Way>> {
  const [own] = ours.ways
  const chosen = new Map<string, Way>([[OURS, own!]])
  const expected = []
  for (const question of questions.slice(0, COMPARED)) {
    const answer = await own!.answer(question)
    mustBePinned(stage, told, question, pinnedOf(question, answer))
    expected.push([question, answer] as const)
  }
  for (const { name, ways, isPart } of peers) {
    const tried: (readonly [milliseconds: number, way: Way])[] = []
    for (const way of ways) {
      const asked = isPart ? [] : expected
      for (const [question, answer] of asked) {
        const difference = differenceBetween(answer, await way.answer(question))
        if (difference === undefined) continue
        throw new Error(`${told}: ${name}, ${way.name}: ${difference}; nothing is measured`)
      }
      tried.push([ways.length > 1 ? await timeOf(way, questions) : 0, way])
    }
    tried.sort(([time], [other]) => time - other)
    const [best] = tried
    chosen.set(name, best![1])
    if (tried.length === 1) continue
    const times = tried.map(([time, way]) => `${way.name} ${time.toPrecision(3)} ms`)
    stage.tell(`${told}: ${name} by ${times.join(', ')}`)
  }
  return chosen
}

function mustBePinned(
  { input, questions }: Stage,
  told: string,
  question: Question,
  facts: readonly unknown[],
): void {
  for (const [workload, pins] of Object.entries(PINS[input.name])) {
    const pin = pins[questions[workload as WorkloadName].indexOf(question)]
    if (pin === undefined || JSON.stringify(pin) === JSON.stringify(facts)) continue
    throw new Error(`${told}: ${JSON.stringify(facts)} instead of ${JSON.stringify(pin)}`)
  }
}

async function timeOf(way: Way, questions: readonly Question[]): Promise<number> {
  const few = questions.slice(0, 1)
  const [first = 0] = await way.times(few)
  if (first > PATIENCE) return first
  return median(await way.times([...few, ...few, ...few]))
}

/** A turn goes through the questions, on from where the turn before has ended. */
async function contenderOf(
  series: string,
  way: Way,
  questions: readonly Question[],
): Promise<Contender> {
  const time = await timeOf(way, questions)
  const count = Math.max(1, Math.min(MAX_ASKED, Math.floor(TURN_MILLISECONDS / time)))
  let next = 0
  return {
    turn: async () => {
      const asked = Array.from({ length: count }, () => questions[next++ % questions.length]!)
      return { [series]: median(await way.times(asked)) }
    },
  }
}
