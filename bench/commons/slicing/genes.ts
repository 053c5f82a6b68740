import type { Contest } from '../../bench.ts'
import type { How } from './ours.ts'
import { sambambaGenesTurn, samtoolsTurn } from './peers.ts'
import type { Stage } from './stage.ts'

/** A thousand genes in one request; ours warm in this process, the peers as processes. */
export async function genesContest(stage: Stage): Promise<Contest> {
  const { bam, slice, layout, peers, genesBed } = stage
  const turn = (series: string, how: How) => async () => {
    const { milliseconds } = await slice(how, layout.genes)
    return { [series]: milliseconds }
  }
  for (const how of ['directory', 'index'] as const) await turn('', how)()
  return {
    workload: 'genes',
    unit: 'ms',
    rounds: stage.rounds(7),
    contenders: [
      { turn: turn('directory', 'directory') },
      ...(peers.samtools ? [samtoolsTurn('samtools -1 -@2', bam, ['-L', genesBed])] : []),
      { turn: turn('BAI only', 'index') },
      ...(peers.sambamba ? [sambambaGenesTurn(bam, genesBed)] : []),
    ],
    comparisons: [
      { ours: 'directory', peer: 'samtools -1 -@2', target: { atLeast: 12 } },
      { ours: 'directory', peer: 'sambamba', target: { atLeast: 10 } },
      { ours: 'BAI only', peer: 'samtools -1 -@2' },
      { ours: 'BAI only', peer: 'sambamba' },
    ],
  }
}
