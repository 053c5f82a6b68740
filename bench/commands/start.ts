import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Contest } from '../bench.ts'
import { startNode } from '../child-server.ts'
import { processorTime } from '../commons/search/service.ts'
import type { Stage } from './stage.ts'

const PROGRAM = join(import.meta.dirname, '..', '..', 'bin', 'casemill.ts')
/** The heap settings of the package's start script. */
const HEAP = ['--max-semi-space-size=8', '--initial-old-space-size=16']

/** `npm start` without npm, in a folder without a demo: makes it, and answers. */
export function firstStartContest({ scratch, rounds }: Stage): Contest {
  let turn = 0
  return {
    workload: 'first-start',
    unit: 'ms',
    rounds: rounds(7),
    contenders: [
      {
        turn: async () => {
          const folder = join(scratch, `first-${turn++}`)
          const { wall, processor } = await startIn(folder)
          await rm(folder, { recursive: true })
          return { 'first answer': wall, 'first answer, processor time': processor }
        },
      },
    ],
    comparisons: [
      { ours: 'first answer', target: { atMost: 5000 } },
      { ours: 'first answer, processor time' },
    ],
  }
}

/** The same where the demo is there. */
export function laterStartContest({ scratch, rounds }: Stage): Contest {
  const folder = join(scratch, 'later')
  return {
    workload: 'later-start',
    unit: 'ms',
    rounds: rounds(15),
    contenders: [
      {
        turn: async () => {
          const { wall, processor } = await startIn(folder)
          return { 'first answer': wall, 'first answer, processor time': processor }
        },
      },
    ],
    comparisons: [
      { ours: 'first answer', target: { atMost: 1000 } },
      { ours: 'first answer, processor time' },
    ],
  }
}

/** Milliseconds from the start of the process until it has answered a count of cases. */
async function startIn(folder: string): Promise<{ wall: number; processor: number }> {
  await mkdir(folder, { recursive: true })
  const words = [...HEAP, PROGRAM, 'serve', '--port', '0']
  const begun = performance.now()
  const service = await startNode(words, { CASEMILL_LOG_LEVEL: 'silent' }, folder)
  try {
    const response = await fetch(`${service.address}/cases?size=0`)
    const { data } = (await response.json()) as { data?: { pagination: { total: number } } }
    const wall = performance.now() - begun
    if (!data?.pagination.total) throw new Error(`the demo answers ${response.status}, no cases`)
    return { wall, processor: processorTime(service.pid) / 1000 }
  } finally {
    await service.stop()
  }
}
