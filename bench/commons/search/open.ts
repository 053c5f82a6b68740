import { join } from 'node:path'
import type { Contest } from '../../bench.ts'
import { runTool } from '../../tools.ts'
import { fetchAll } from '../curl.ts'
import type { OpenReport } from './open-child.ts'
import { urlOf } from './request.ts'
import { startService } from './service.ts'
import type { Stage } from './stage.ts'

/**
 * A release is opened by a new process, its files in the page cache: until it is open, until the
 * first count is there, and as a service from the start of the process to the first answer.
 */
export function openContest({ input, questions, rounds }: Stage): Contest {
  const question = questions['count-selective'][0]!
  const program = join(import.meta.dirname, 'open-child.ts')
  const request = JSON.stringify({ home: input.home, question })
  return {
    workload: 'open',
    unit: 'ms',
    rounds: rounds(7),
    contenders: [
      {
        turn: async () => {
          const { output } = await runTool(process.execPath, [program, request])
          const { open, firstAnswer } = JSON.parse(output) as OpenReport
          return { open, 'open and first answer': firstAnswer }
        },
      },
      {
        turn: async () => {
          const start = performance.now()
          const service = await startService(input.home)
          try {
            await fetchAll([`${service.address}${urlOf(question)}`])
            return { 'service, to its first answer': performance.now() - start }
          } finally {
            await service.stop()
          }
        },
      },
    ],
    comparisons: [
      { ours: 'open', target: { atMost: 1000 } },
      { ours: 'open and first answer' },
      { ours: 'service, to its first answer' },
    ],
  }
}
