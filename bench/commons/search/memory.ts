import { setTimeout as sleep } from 'node:timers/promises'
import type { Contest } from '../../bench.ts'
import { fetchAll } from '../curl.ts'
import { WORKLOADS } from './questions.ts'
import { urlOf } from './request.ts'
import { type Service, startService } from './service.ts'
import type { Stage } from './stage.ts'

/** Single records that are asked for; the other workloads are asked in full. */
const RECORDS = 100
const PASSES = 2
const SETTLE_MILLISECONDS = 1_000

/**
 * What the service holds: when it listens, after it has answered every question of every workload
 * twice over HTTP, and at most in between.
 */
export function memoryContest({ input, questions, rounds }: Stage): Contest {
  const paths = WORKLOADS.flatMap((workload) =>
    questions[workload].slice(0, RECORDS).map((each) => urlOf(each)),
  )
  const ask = async ({ address }: Service) => {
    for (const path of paths) await fetchAll([`${address}${path}`])
  }
  return {
    workload: 'memory',
    unit: 'MB',
    rounds: rounds(1),
    contenders: [
      {
        turn: async () => {
          const service = await startService(input.home)
          try {
            const idle = service.memory().now
            for (let pass = 0; pass < PASSES; pass++) await ask(service)
            await sleep(SETTLE_MILLISECONDS)
            const { now, peak } = service.memory()
            return { 'after all questions': now, 'at most': peak, 'when it listens': idle }
          } finally {
            await service.stop()
          }
        },
      },
    ],
    comparisons: [
      { ours: 'after all questions', target: { atMost: 600 } },
      { ours: 'at most' },
      { ours: 'when it listens' },
    ],
  }
}
