import { statSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender, Contest } from '../../bench.ts'
import { type Service, startService } from '../search/service.ts'
import { SELECTIONS, TABLES } from './layout.ts'
import { valuesPath } from './matrix.ts'
import { oursOver } from './ours.ts'
import type { Question, WorkloadName } from './questions.ts'
import { SETTINGS, type Stage } from './stage.ts'

/** What a request may hold above the matrix, in megabytes. */
export const MAX_GROWTH = 64

const SETTLE_MILLISECONDS = 500

const OF_MATRIX: readonly WorkloadName[] = [...TABLES, ...SELECTIONS]

/** A service of its own, and what of its memory is not for one request. */
interface WarmService extends Service {
  /** Waits until nothing is under way, and sets the peak back. */
  rest(): Promise<void>
  /**
   * Megabytes that were held at most since then above what was held then, or above the service
   * without any request but with its matrix, whichever is more.
   */
  growth(): number
}

/** Starts a service and has it read its whole matrix. */
export async function startWarm({ input, questions }: Stage): Promise<WarmService> {
  const service = await startService(input.home, SETTINGS)
  await ask(service, questions['top-genes'].slice(0, 1))
  const idle = service.memory().now
  await ask(service, questions['selection-all'])
  const matrix = statSync(valuesPath(input.matrix)).size / 1e6
  let before = idle
  return {
    ...service,
    async rest() {
      await sleep(SETTLE_MILLISECONDS)
      writeFileSync(`/proc/${service.pid}/clear_refs`, '5')
      before = service.memory().now
    },
    growth: () => service.memory().peak - Math.min(before, idle + matrix),
  }
}

const ask = ({ address }: Pick<Service, 'address'>, questions: readonly Question[]) =>
  oursOver({ address }).ways[0]!.times(questions)

/**
 * How far a service grows for one request. Columns of the release that a first request reads are kept
 * for all, so those that do not ask for the matrix are asked twice and held against the first time.
 */
export function memoryContest(stage: Stage): Contest {
  const turn = (workload: WorkloadName): Contender => ({
    turn: async () => {
      const service = await startWarm(stage)
      try {
        const asked = stage.questions[workload].slice(0, 1)
        if (!OF_MATRIX.includes(workload)) {
          await ask(service, asked)
          await service.rest()
          const before = service.memory().now
          await ask(service, asked)
          return { [`growth, ${workload}`]: service.memory().peak - before }
        }
        await service.rest()
        await ask(service, asked)
        return { [`growth, ${workload}`]: service.growth() }
      } finally {
        await service.stop()
      }
    },
  })
  const asked = [
    ...OF_MATRIX,
    'survival',
    ...(stage.input.cells ? ['cells'] : []),
  ] as WorkloadName[]
  return {
    workload: 'memory',
    unit: 'MB',
    rounds: stage.rounds(2),
    contenders: asked.map(turn),
    comparisons: asked.map((workload) => ({
      ours: `growth, ${workload}`,
      target: { atMost: MAX_GROWTH },
    })),
  }
}
