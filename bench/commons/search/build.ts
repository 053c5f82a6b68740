import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Contest } from '../../bench.ts'
import { runTool } from '../../tools.ts'
import type { BuildReport } from './build-child.ts'
import type { Stage } from './stage.ts'

/** From sorted documents to a release on the disk. The peers' loading is told for orientation. */
export function buildContest({ input, scratch, rounds, tell }: Stage): Contest {
  const program = join(import.meta.dirname, 'build-child.ts')
  const home = join(scratch, 'built')
  const told = (what: string) => Math.round(input.seconds[what] ?? Number.NaN)
  tell(`files and cases were loaded into DuckDB in ${told('duck')} s`)
  if (input.postgres) tell(`and from there into PostgreSQL in ${told('postgres')} s`)
  return {
    workload: 'build',
    unit: 'ms',
    rounds: rounds(1),
    contenders: [
      {
        turn: async () => {
          const request = JSON.stringify({ documents: input.documents, home })
          const { output } = await runTool(process.execPath, [program, request])
          await rm(home, { recursive: true, force: true })
          const { milliseconds, memory } = JSON.parse(output) as BuildReport
          tell(`the build held ${Math.round(memory)} MB at most`)
          return { build: milliseconds }
        },
      },
    ],
    comparisons: [{ ours: 'build', target: { atMost: 120_000 } }],
  }
}
