import { DEFAULT_LIMITS, Slicer } from '../../../engine/commons/slicing/slicer.ts'
import { ThreadPool } from '../../../workers/pool.ts'
import type { Contender, Contest } from '../../bench.ts'
import { regionText } from './layout.ts'
import { THREADS, timeSlice } from './ours.ts'
import { samtoolsTurn } from './peers.ts'
import type { Stage } from './stage.ts'

/**
 * A file that nothing is known of but its BAI: every copied block is inflated and checked before it
 * goes out. Opening the file and reading its index are in the time.
 */
export function firstVisitContest(stage: Stage): Contest {
  const { bam, home, layout, peers, pool } = stage
  const { path, indexPath } = home.paths
  const visit = async (threads: ThreadPool) => {
    const slicer = new Slicer(threads, DEFAULT_LIMITS)
    try {
      return (await timeSlice(slicer, { path, indexPath }, [layout.mid], 'index')).milliseconds
    } finally {
      await slicer.close()
    }
  }
  const oneThread: Contender = {
    turn: async () => {
      const single = new ThreadPool({ threads: 1 })
      try {
        // The first visit of a new thread would pay for its start.
        const slicer = new Slicer(single, DEFAULT_LIMITS)
        for (const region of layout.small) {
          await timeSlice(slicer, { path, indexPath }, [region], 'index')
        }
        await slicer.close()
        return { '1 thread': await visit(single) }
      } finally {
        await single.close()
      }
    },
  }
  const ours = `${THREADS} threads`
  return {
    workload: 'first-visit',
    unit: 'ms',
    rounds: stage.rounds(5),
    contenders: [
      { turn: async () => ({ [ours]: await visit(pool) }) },
      ...(peers.samtools ? [samtoolsTurn('samtools -1 -@2', bam, [regionText(layout.mid)])] : []),
      oneThread,
    ],
    comparisons: [
      { ours, peer: 'samtools -1 -@2', target: { atLeast: 4 } },
      { ours, peer: '1 thread', target: { atLeast: 1.6 } },
    ],
  }
}
