import { randomFrom } from '../../../fixtures/random.ts'
import { runTool } from './tools.ts'

/** 0-based, half-open. */
export interface Region {
  readonly name: string
  readonly start: number
  readonly end: number
}

const SEED = 4026

/** Random regions of a file, the same in each run; half of them start or end at a read. */
export async function drawRegions(path: string, count: number): Promise<readonly Region[]> {
  const random = randomFrom(SEED)
  const text = (await runTool('samtools', ['view', path], { cwd: '/' })).toString()
  const reads = text.split('\n').flatMap((line) => {
    const [, , name = '*', position = '0'] = line.split('\t')
    return name === '*' ? [] : [{ name, start: Number(position) - 1 }]
  })
  return Array.from({ length: count }, () => {
    const { name, start } = reads[random.below(reads.length)] as (typeof reads)[number]
    const from = random.chance(0.5) ? start : Math.max(0, start - random.below(100_000))
    return { name, start: from, end: from + 1 + random.below(random.chance(0.5) ? 300 : 5_000_000) }
  })
}

/** The region as samtools reads it. */
export const regionText = ({ name, start, end }: Region): string => `${name}:${start + 1}-${end}`
