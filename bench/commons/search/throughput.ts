import { join } from 'node:path'
import type { Contender, ContestOutcome } from '../../bench.ts'
import { holdContest } from '../../rounds.ts'
import { runTool } from '../../tools.ts'
import type { LoadReport, LoadRequest } from './load-child.ts'
import type { Kind, Question, WorkloadName } from './questions.ts'
import { startService } from './service.ts'
import type { Stage } from './stage.ts'
import type { TunedPeer, Tuning } from './tuning.ts'

const CONNECTIONS = 32
const MILLISECONDS = { full: 4_000, quick: 1_000, test: 1_000 } as const

/** Of ten small questions: five single records, three counts, one with a range, one nested. */
const MIX: readonly (readonly [WorkloadName, number])[] = [
  ['record', 5],
  ['count-selective', 3],
  ['count-range', 1],
  ['nested-files', 1],
]
const MIXED = 1000

/**
 * Questions per second over 32 connections that each ask as soon as they have an answer. The
 * service is asked over HTTP, the peers through their own clients; whoever asks is one process. Its
 * processor time per request is told apart from that of the service: DuckDB's is within it.
 */
export async function throughputContest(stage: Stage, tuning: Tuning): Promise<ContestOutcome> {
  const { input, peers, tell } = stage
  const questions = mixed(stage)
  const tuned = await Promise.all(MIX.map(async ([workload]) => tuning.peersFor(workload)))
  const service = await startService(input.home)
  const best = new Map<string, number>()
  const turn = (party: LoadRequest['party'], place: string, pid?: number): Contender => ({
    turn: async () => {
      const report = await load({
        party,
        place,
        questions,
        ways: waysOf(tuned.flat(), party),
        ...(pid !== undefined && { service: pid }),
        connections: CONNECTIONS,
        milliseconds: MILLISECONDS[input.name],
      })
      const perRequest = report.milliseconds / report.requests
      best.set(party, Math.min(best.get(party) ?? Infinity, perRequest))
      return {
        [party]: perRequest,
        [`${party}, waiting p50`]: report.p50,
        [`${party}, waiting p95`]: report.p95,
        [`${party}, processor of who asks`]: report.askerMicroseconds / 1000,
        ...(report.serviceMicroseconds !== undefined && {
          [`${party}, processor of the service`]: report.serviceMicroseconds / 1000,
        }),
      }
    },
  })
  try {
    const outcome = await holdContest(
      {
        workload: 'throughput',
        unit: 'ms',
        rounds: stage.rounds(5),
        contenders: [
          turn('casemill', service.address, service.pid),
          ...peers.map(({ name, place }) => turn(name, place)),
        ],
        comparisons: [
          ...peers.map(({ name }) => ({ ours: 'casemill', peer: name })),
          { ours: 'casemill, waiting p50' },
          { ours: 'casemill, waiting p95' },
          { ours: 'casemill, processor of the service' },
          { ours: 'casemill, processor of who asks' },
        ],
      },
      stage.note,
    )
    for (const [party, milliseconds] of best) {
      const perSecond = Math.round(1000 / milliseconds)
      tell(
        `${party} answered up to ${perSecond} small questions a second at ${CONNECTIONS} connections`,
      )
    }
    return outcome
  } finally {
    await service.stop()
  }
}

function mixed({ questions }: Stage): Question[] {
  const asked: Question[] = []
  for (let i = 0; asked.length < MIXED; i++) {
    for (const [workload, share] of MIX) {
      const all = questions[workload]
      for (let j = 0; j < share; j++) asked.push(all[(i * share + j) % all.length]!)
    }
  }
  return asked
}

function waysOf(tuned: readonly TunedPeer[], party: string): Partial<Record<Kind, string>> {
  const ways = tuned
    .filter(({ peer }) => peer.name === party)
    .map(({ form, kind }) => [kind, form.name])
  return Object.fromEntries(ways)
}

async function load(request: LoadRequest): Promise<LoadReport> {
  const program = join(import.meta.dirname, 'load-child.ts')
  const { output } = await runTool(process.execPath, [program, JSON.stringify(request)])
  return JSON.parse(output)
}
