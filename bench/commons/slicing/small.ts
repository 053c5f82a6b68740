import type { Comparison, Contender, Contest } from '../../bench.ts'
import { median } from '../../rounds.ts'
import { runTool } from '../../tools.ts'
import { EMPTY_REGION, regionText } from './layout.ts'
import type { How } from './ours.ts'
import { runLoop } from './peers.ts'
import type { Stage } from './stage.ts'

/** Passes over all small slices before the clock starts: the JIT needs several hundred of them. */
const WARM_PASSES = 5

/** Slices of the size of a gene, one after another, in a warm process; per slice. */
export async function smallContest(stage: Stage): Promise<Contest> {
  const { slice, layout, peers } = stage
  const pass = async (how: How) => {
    const times: number[] = []
    const firstBytes: number[] = []
    for (const region of layout.small) {
      const { milliseconds, firstByte } = await slice(how, [region])
      times.push(milliseconds)
      firstBytes.push(firstByte)
    }
    return { mean: mean(times), firstByte: median(firstBytes) }
  }
  for (let i = 0; i < WARM_PASSES; i++) {
    await pass('directory')
    await pass('index')
  }
  const contenders: Contender[] = [
    {
      turn: async () => {
        const { mean, firstByte } = await pass('directory')
        return { directory: mean, 'directory, first byte': firstByte }
      },
    },
    {
      turn: async () => {
        const { mean, firstByte } = await pass('index')
        return { 'BAI only': mean, 'BAI only, first byte': firstByte }
      },
    },
  ]
  const peer = peers.htslibLoop ? 'htslib -1 loop' : 'samtools -1 less start'
  if (peers.htslibLoop) contenders.push(loopTurn(stage, peers.htslibLoop, peer))
  else if (peers.samtools) contenders.push(processTurn(stage, peer))
  const comparisons: Comparison[] = [
    { ours: 'directory', peer, target: { atLeast: 12 } },
    { ours: 'BAI only', peer, target: { atLeast: 4 } },
    { ours: 'directory, first byte', target: { atMost: 1 } },
    { ours: 'BAI only, first byte', target: { atMost: 4 } },
  ]
  return { workload: 'small', unit: 'ms', rounds: stage.rounds(15), contenders, comparisons }
}

function loopTurn({ bam, smallBed }: Stage, program: string, series: string): Contender {
  return {
    turn: async () => ({ [series]: mean((await runLoop(program, bam, smallBed)).milliseconds) }),
  }
}

/** Without a compiler: samtools as a process for each slice, less what a slice of nothing takes. */
function processTurn({ bam, layout }: Stage, series: string): Contender {
  const run = async (region: string) => {
    const words = ['view', '-1', '-o', '/dev/null', bam, region]
    return (await runTool('samtools', words)).milliseconds
  }
  return {
    turn: async () => {
      const differences: number[] = []
      for (const region of layout.small) {
        const start = await run(EMPTY_REGION)
        differences.push((await run(regionText(region))) - start)
      }
      return { [series]: mean(differences) }
    },
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
