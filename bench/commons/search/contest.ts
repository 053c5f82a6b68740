import type { Comparison, Contender, Contest } from '../../bench.ts'
import { quantile } from '../../rounds.ts'
import { type Form, NOWHERE } from './form.ts'
import type { Question, WorkloadName } from './questions.ts'
import type { Stage } from './stage.ts'
import type { TunedPeer, Tuning } from './tuning.ts'

/** How a workload is measured and what it is held against. */
export interface Plan {
  readonly rounds: number
  /** At least so many times as fast as the better peer. */
  readonly target?: number
  /** Milliseconds until the first byte of ours. */
  readonly firstByte?: number
  /** Ways of a peer that are told besides the fastest one. */
  readonly told?: readonly string[]
}

/** A turn asks again and again until one of these is reached. */
const MAX_ASKED = 40
const TURN_MILLISECONDS = 400

const BETTER = 'better peer'

/** One workload, asked of the engine and of the peers in turn. */
export async function planContest(
  stage: Stage,
  tuning: Tuning,
  workload: WorkloadName,
  plan: Plan,
): Promise<Contest> {
  const questions = stage.questions[workload]
  const tuned = await tuning.peersFor(workload)
  const asked = (form: Form) => asker(form, questions)
  const ours = asked(stage.ours)
  // Once for the compiler; the peers have been asked already.
  await ours()
  const peers = tuned.map(({ peer, form }) => [peer.name, asked(form)] as const)
  const told = toldForms(questions[0]!, plan, tuned)
  const contenders: Contender[] = [
    { turn: async () => seriesOf('ours', await ours()) },
    { turn: () => peersTurn(peers) },
    ...told.map(([name, form]) => {
      const turn = asked(form)
      return { turn: async () => ({ [name]: quantile((await turn()).all, 0.5) }) }
    }),
  ]
  const others = [...peers, ...told].map(([name]) => name)
  return {
    workload,
    unit: 'ms',
    rounds: stage.rounds(plan.rounds),
    contenders,
    comparisons: comparisonsOf(plan, others),
  }
}

interface Times {
  readonly all: readonly number[]
  readonly firstBytes: readonly number[]
}

type Turn = () => Promise<Times>

/** Goes through the questions, on from where the turn before has ended. */
export function asker(form: Form, questions: readonly Question[]): Turn {
  let next = 0
  return async () => {
    const all: number[] = []
    const firstBytes: number[] = []
    const end = performance.now() + TURN_MILLISECONDS
    while (all.length < MAX_ASKED && (all.length === 0 || performance.now() < end)) {
      const question = questions[next++ % questions.length]!
      const start = performance.now()
      const { firstByte } = await form.ask(question, NOWHERE)
      all.push(performance.now() - start)
      if (firstByte !== undefined) firstBytes.push(firstByte)
    }
    return { all, firstBytes }
  }
}

function seriesOf(name: string, { all, firstBytes }: Times): Record<string, number> {
  return {
    [name]: quantile(all, 0.5),
    [`${name} p95`]: quantile(all, 0.95),
    ...(firstBytes.length > 0 && { [`${name}, first byte`]: quantile(firstBytes, 0.5) }),
  }
}

/** One peer after the other, and the better of both in this round. */
async function peersTurn(
  peers: readonly (readonly [name: string, turn: Turn])[],
): Promise<Record<string, number>> {
  const series: Record<string, number> = {}
  const better = { p50: Infinity, p95: Infinity }
  for (const [name, turn] of peers) {
    const { all } = await turn()
    const p50 = quantile(all, 0.5)
    const p95 = quantile(all, 0.95)
    Object.assign(series, { [name]: p50, [`${name} p95`]: p95 })
    better.p50 = Math.min(better.p50, p50)
    better.p95 = Math.min(better.p95, p95)
  }
  return { ...series, [BETTER]: better.p50, [`${BETTER} p95`]: better.p95 }
}

/** The ways that the plan wants to see, unless they are the chosen ones. */
function toldForms(
  { kind }: Question,
  { told = [] }: Plan,
  tuned: readonly TunedPeer[],
): (readonly [name: string, form: Form])[] {
  return tuned.flatMap(({ peer, form: chosen }) =>
    peer
      .forms(kind)
      .filter(({ name }) => told.includes(name) && name !== chosen.name)
      .map((form) => [`${peer.name}: ${form.name}`, form] as const),
  )
}

function comparisonsOf({ target, firstByte }: Plan, others: readonly string[]): Comparison[] {
  const aim = target === undefined ? {} : { target: { atLeast: target } }
  return [
    { ours: 'ours', peer: BETTER, ...aim },
    { ours: 'ours p95', peer: `${BETTER} p95` },
    ...others.map((peer) => ({ ours: 'ours', peer })),
    ...(firstByte === undefined
      ? []
      : [{ ours: 'ours, first byte', target: { atMost: firstByte } }]),
  ]
}
