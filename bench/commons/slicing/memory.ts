import { join } from 'node:path'
import type { Contender, Contest } from '../../bench.ts'
import { runTool } from '../../tools.ts'
import type { MemoryReport } from './memory-child.ts'
import type { How } from './ours.ts'
import type { Stage } from './stage.ts'

/** The heap settings of the service: those of its start script and those that it makes itself. */
const SERVICE_HEAP = [
  '--max-semi-space-size=8',
  '--initial-old-space-size=16',
  '--heap-growing-percent=40',
]

/**
 * Growth of a process by slices of any size, over what it needs when idle. The first time contains
 * what a process that has only made small slices still gathers (heaps, compiled code, what was
 * learned of the blocks); again, in the same process, is the need of the slices themselves.
 */
export function memoryContest(stage: Stage): Contest {
  const turn = (series: string, how: How): Contender => ({
    turn: async () => {
      const { path, indexPath, directoryPath } = stage.home.paths
      const paths = how === 'directory' ? { path, indexPath, directoryPath } : { path, indexPath }
      const program = join(import.meta.dirname, 'memory-child.ts')
      const request = JSON.stringify({ paths, layout: stage.layoutName })
      const { output } = await runTool(process.execPath, [...SERVICE_HEAP, program, request])
      const [first, second] = JSON.parse(output) as MemoryReport
      return {
        [series]: first.peak - first.idle,
        [`${series}, again`]: second.peak - second.idle,
        [`${series}, idle process`]: first.idle,
      }
    },
  })
  return {
    workload: 'memory',
    unit: 'MB',
    rounds: stage.rounds(3),
    contenders: [turn('growth, directory', 'directory'), turn('growth, first visit', 'index')],
    comparisons: [
      { ours: 'growth, directory', target: { atMost: 16 } },
      { ours: 'growth, directory, again', target: { atMost: 16 } },
      { ours: 'growth, first visit', target: { atMost: 16 } },
      { ours: 'growth, first visit, again', target: { atMost: 16 } },
    ],
  }
}
