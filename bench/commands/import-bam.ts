import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Contender, Contest } from '../bench.ts'
import { hasTool, runTool } from '../tools.ts'
import { md5Of, type Stage } from './stage.ts'

const PROGRAM = join(import.meta.dirname, '..', '..', 'bin', 'casemill.ts')

/**
 * One file into a new data folder: every block and the order are proved, the bytes copied and hashed.
 * Beside it a copy alone, and what makes an index of the same file.
 */
export function importBamContest({ bam, scratch, rounds }: Stage): Contest {
  const home = join(scratch, 'home')
  const copy = join(scratch, 'copy.bam')
  const contenders: Contender[] = [
    {
      turn: async () => {
        const words = [PROGRAM, '--data', home, 'import', 'bam', bam.path, '--access', 'open']
        const { milliseconds, output } = await runTool(process.execPath, words)
        if ((await storedMd5(home, bam.bytes)) !== bam.md5) {
          throw new Error(`the import ended with ${output.trim()}, but stored other bytes`)
        }
        await rm(home, { recursive: true })
        return { casemill: milliseconds }
      },
    },
    {
      turn: async () => {
        // Written through to the disk, as the import writes.
        const words = [`if=${bam.path}`, `of=${copy}`, 'bs=1M', 'conv=fsync', 'status=none']
        const { milliseconds } = await runTool('dd', words)
        await rm(copy)
        return { 'copy, to the disk': milliseconds }
      },
    },
  ]
  if (hasTool('samtools')) {
    contenders.push({
      turn: async () => {
        const words = ['index', '-@2', bam.path, join(scratch, 'index.bai')]
        return { 'samtools index -@2': (await runTool('samtools', words)).milliseconds }
      },
    })
  }
  return {
    workload: 'import-bam',
    unit: 'ms',
    rounds: rounds(5),
    contenders,
    comparisons: [
      { ours: 'casemill', peer: 'copy, to the disk', as: 'times as long', target: { atMost: 1 } },
      { ours: 'casemill', peer: 'samtools index -@2' },
    ],
  }
}

/** Of the one stored file of that size. */
async function storedMd5(home: string, bytes: number): Promise<string | undefined> {
  for (const name of await readdir(home, { recursive: true })) {
    const path = join(home, name)
    if ((await stat(path)).size === bytes) return md5Of(path)
  }
  return undefined
}
