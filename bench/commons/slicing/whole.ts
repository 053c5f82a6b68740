import type { NamedInterval } from '../../../engine/shared/input/region.ts'
import type { Contest } from '../../bench.ts'
import { median } from '../../rounds.ts'
import { regionText } from './layout.ts'
import type { How } from './ours.ts'
import { sambambaTurn, samtoolsTurn } from './peers.ts'
import type { Stage } from './stage.ts'

/** As many as sambamba has within its turn. */
const REPEATS = 3

/** One large region, or two whole references, in a warm process whose ledger knows the file. */
export async function wholeContest(
  stage: Stage,
  workload: 'mid' | 'chromosomes',
): Promise<Contest> {
  const { bam, slice, layout, peers } = stage
  const intervals: readonly NamedInterval[] = workload === 'mid' ? [layout.mid] : layout.chromosomes
  const regions = intervals.map(regionText)
  const turn = (series: string, how: How) => async () => {
    const times: number[] = []
    for (let i = 0; i < REPEATS; i++) {
      times.push((await slice(how, intervals)).milliseconds)
    }
    return { [series]: median(times) }
  }
  for (const how of ['directory', 'index'] as const) await turn('', how)()
  return {
    workload,
    unit: 'ms',
    rounds: stage.rounds(7),
    contenders: [
      { turn: turn('directory', 'directory') },
      ...(peers.sambamba ? [sambambaTurn(bam, regions)] : []),
      { turn: turn('BAI only', 'index') },
      ...(peers.samtools ? [samtoolsTurn('samtools -1 -@2', bam, regions)] : []),
    ],
    comparisons: [
      { ours: 'directory', peer: 'sambamba less start', target: { atLeast: 1.5 } },
      { ours: 'BAI only', peer: 'sambamba less start' },
      { ours: 'directory', peer: 'samtools -1 -@2' },
    ],
  }
}
