import type { Contender, Contest, ContestOutcome } from '../../bench.ts'
import { holdContest, quantile } from '../../rounds.ts'
import { fetchAll } from '../curl.ts'
import { asker } from './contest.ts'
import { type Question, type QuestionSet, WORKLOADS, type WorkloadName } from './questions.ts'
import { urlOf } from './request.ts'
import { type Service, startService } from './service.ts'
import type { Stage } from './stage.ts'
import type { Tuning } from './tuning.ts'

/** Small answers, asked one after the other. */
const SMALL: ReadonlySet<WorkloadName> = new Set([
  'count-selective',
  'nested-files',
  'facets-selective',
  'deep-page',
  'record',
])
/** Of each of them in one turn. */
const ASKED = 50
const WARM_PASSES = 5
const WARM_PASSES_LARGE = 2

/** Large answers, one in a turn, until the first byte and the last. */
const LARGE: readonly WorkloadName[] = ['aliquots', 'tsv', 'manifest']

/** Answers of the service over one kept connection; beside the small ones, peers that are asked without HTTP. */
export async function httpContest(stage: Stage, tuning: Tuning): Promise<ContestOutcome> {
  const workloads = WORKLOADS.filter((workload) => SMALL.has(workload))
  const service = await startService(stage.input.home)
  try {
    const contenders: Contender[] = []
    for (const workload of workloads) {
      contenders.push(await serviceTurn(service, workload, stage.questions[workload]))
      contenders.push(await peersTurn(stage, tuning, workload, `${workload}, better peer`))
    }
    for (const workload of LARGE) {
      const contender = largeTurn(service, workload, stage.questions[workload][0]!)
      for (let pass = 0; pass < WARM_PASSES_LARGE; pass++) await contender.turn()
      contenders.push(contender)
    }
    const contest: Contest = {
      workload: 'http',
      unit: 'ms',
      rounds: stage.rounds(9),
      contenders,
      comparisons: [
        ...workloads.flatMap((workload) => [
          { ours: `${workload}, HTTP`, peer: `${workload}, better peer` },
          { ours: `${workload}, HTTP p95` },
        ]),
        ...LARGE.flatMap((workload) => [
          { ours: `${workload}, HTTP` },
          {
            ours: `${workload}, HTTP first byte`,
            ...(workload === 'aliquots' && { target: { atMost: 100 } }),
          },
        ]),
      ],
    }
    return await holdContest(contest, stage.note)
  } finally {
    await service.stop()
  }
}

async function serviceTurn(
  { address }: Service,
  workload: WorkloadName,
  questions: readonly Question[],
): Promise<Contender> {
  let next = 0
  const turn = async () => {
    const urls = Array.from({ length: ASKED }, () => {
      return `${address}${urlOf(questions[next++ % questions.length]!)}`
    })
    const times = (await fetchAll(urls)).map(({ milliseconds }) => milliseconds)
    return {
      [`${workload}, HTTP`]: quantile(times, 0.5),
      [`${workload}, HTTP p95`]: quantile(times, 0.95),
    }
  }
  for (let pass = 0; pass < WARM_PASSES; pass++) await turn()
  return { turn }
}

function largeTurn({ address }: Service, workload: WorkloadName, question: Question): Contender {
  return {
    turn: async () => {
      const [fetched] = await fetchAll([`${address}${urlOf(question)}`])
      const { milliseconds, firstByte } = fetched!
      return { [`${workload}, HTTP`]: milliseconds, [`${workload}, HTTP first byte`]: firstByte }
    },
  }
}

/** The better of the peers, in their own processes, under a name. */
export async function peersTurn(
  { questions }: Stage,
  tuning: Tuning,
  set: QuestionSet,
  name: string,
): Promise<Contender> {
  const tuned = await tuning.peersFor(set)
  const turns = tuned.map(({ form }) => asker(form, questions[set]))
  return {
    turn: async () => {
      let better = Infinity
      for (const turn of turns) better = Math.min(better, quantile((await turn()).all, 0.5))
      return { [name]: better }
    },
  }
}
