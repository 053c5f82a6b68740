import type { Contest } from '../bench.ts'
import { runTool } from '../tools.ts'
import type { Stage } from './stage.ts'

/** What scripts ask first, beside this Node with nothing to do. */
export function versionContest({ packed, rounds }: Stage): Contest {
  const turn = (series: string, words: readonly string[]) => ({
    turn: async () => ({ [series]: (await runTool(process.execPath, words)).milliseconds }),
  })
  return {
    workload: 'version',
    unit: 'ms',
    rounds: rounds(25),
    contenders: [turn('casemill --version', [packed, '--version']), turn('node -e 0', ['-e', '0'])],
    comparisons: [
      { ours: 'casemill --version', peer: 'node -e 0', as: 'times as long', target: { atMost: 2 } },
    ],
  }
}
