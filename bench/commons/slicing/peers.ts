import { join } from 'node:path'
import type { Contender } from '../../bench.ts'
import { median } from '../../rounds.ts'
import { hasTool, runTool } from '../../tools.ts'
import { EMPTY_REGION } from './layout.ts'

/** Turns within a turn, for what is over in a few tens of milliseconds. */
const REPEATS = 3

export interface Peers {
  readonly samtools: boolean
  readonly sambamba: boolean
  /** The compiled htslib-loop.c, if there are a compiler and htslib. */
  readonly htslibLoop: string | undefined
}

/** Looks which programs are here. */
export async function findPeers(scratch: string): Promise<Peers> {
  return {
    samtools: hasTool('samtools'),
    sambamba: hasTool('sambamba'),
    htslibLoop: await compileLoop(scratch),
  }
}

async function compileLoop(scratch: string): Promise<string | undefined> {
  if (!hasTool('cc')) return undefined
  const program = join(scratch, 'htslib-loop')
  const source = join(import.meta.dirname, 'htslib-loop.c')
  try {
    await runTool('cc', ['-O2', '-o', program, source, '-lhts'])
    return program
  } catch {
    return undefined
  }
}

interface LoopResult {
  readonly milliseconds: readonly number[]
  readonly records: number
}

export async function runLoop(program: string, bam: string, bed: string): Promise<LoopResult> {
  const { output } = await runTool(program, [bam, bed])
  return JSON.parse(output) as LoopResult
}

/** samtools as everyone would call it for speed: lowest level, two more threads. */
export function samtoolsTurn(series: string, bam: string, what: readonly string[]): Contender {
  const options = ['view', '-1', '-@2', '-o', '/dev/null']
  return {
    turn: async () => {
      const { milliseconds } = await runTool('samtools', [...options, ...samtoolsWords(bam, what)])
      return { [series]: milliseconds }
    },
  }
}

/** A BED file goes before the BAM, regions behind it. */
export function samtoolsWords(bam: string, what: readonly string[]): string[] {
  return what[0] === '-L' ? ['-M', ...what, bam] : [bam, ...what]
}

/** sambamba for whole regions: over so soon that its start has to be measured apart. */
export function sambambaTurn(bam: string, regions: readonly string[]): Contender {
  const run = async (what: readonly string[]) => {
    const words = ['slice', '-o', '/dev/null', bam, ...what]
    return (await runTool('sambamba', words)).milliseconds
  }
  return {
    turn: async () => {
      const starts: number[] = []
      const slices: number[] = []
      for (let i = 0; i < REPEATS; i++) {
        starts.push(await run([EMPTY_REGION]))
        slices.push(await run(regions))
      }
      const [start, slice] = [median(starts), median(slices)]
      return {
        'sambamba start': start,
        'sambamba as process': slice,
        'sambamba less start': slice - start,
      }
    },
  }
}

export function sambambaGenesTurn(bam: string, bed: string): Contender {
  const words = ['slice', '-o', '/dev/null', '-L', bed, bam]
  return { turn: async () => ({ sambamba: (await runTool('sambamba', words)).milliseconds }) }
}

/** Records of a BAM file. */
export async function countRecords(path: string): Promise<number> {
  return Number((await runTool('samtools', ['view', '-c', '-@1', path])).output)
}
