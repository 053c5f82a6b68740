import {
  chooseCurves,
  compareCurves,
} from '../../../engine/commons/analysis/survival/chosen-curves.ts'
import { donorsOf, membersIn } from '../../../engine/commons/analysis/survival/curve-members.ts'
import { readCurves } from '../../../engine/commons/analysis/survival/curves.ts'
import { DonorTables } from '../../../engine/commons/analysis/survival/donor-tables.ts'
import { kaplanMeier } from '../../../engine/commons/analysis/survival/kaplan-meier.ts'
import { keysOf } from '../../../engine/commons/query/keys.ts'
import { arraysOf } from '../../../engine/commons/release/arrays.ts'
import { Release } from '../../../engine/commons/release/release.ts'
import { Releases } from '../../../engine/commons/release/releases.ts'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import type { Contest, ContestOutcome } from '../../bench.ts'
import { holdContest, median } from '../../rounds.ts'
import { planContest } from './contest.ts'
import { OURS, targetOf } from './ours.ts'
import type { Stage } from './stage.ts'

/** Times of one turn. */
const ASKED = 20

const ALONE = `${OURS}, without JSON`

/**
 * The service beside R, and, since R prints nothing, what finds, estimates and compares the curves
 * in this process on one thread, with the donors in memory as R has them.
 */
export async function holdSurvival(stage: Stage, rounds: number): Promise<ContestOutcome> {
  const contest = await planContest(stage, 'survival', { rounds, targets: { 'R survival': 15 } })
  const releases = new Releases(stage.input.home)
  const release = await Release.open(releases.folder((await releases.current()) ?? ''))
  try {
    const estimate = await estimatorOf(stage, release)
    const turn = async () => {
      const times: number[] = []
      for (let i = 0; i < ASKED; i++) {
        const start = performance.now()
        await estimate()
        times.push(performance.now() - start)
      }
      return { [ALONE]: median(times) }
    }
    await turn()
    const peers = contest.comparisons.flatMap(({ peer }) => peer ?? [])
    const alone: Contest = {
      ...contest,
      contenders: [...contest.contenders, { turn }],
      comparisons: [
        ...contest.comparisons,
        ...peers.map((peer) => ({ ours: ALONE, peer, target: { atLeast: 15 } })),
      ],
    }
    return await holdContest(alone, stage.note)
  } finally {
    await release.close()
  }
}

async function estimatorOf({ questions }: Stage, release: Release): Promise<() => Promise<void>> {
  const { body = '' } = targetOf(questions.survival[0]!)
  const filters = await readCurves(JSON.parse(body))
  const keys = filters.flatMap((filter) => [
    ...keysOf({ dataset: 'cases', filter, facets: [], sort: [], from: 0, size: 0 }),
  ])
  const executor = inlineExecutor
  const table = await new DonorTables(executor).of(release)
  const loaded = await release.load(new Set(keys))
  const arrays = arraysOf(loaded)
  const context = { table, loaded, executor }
  const { signal } = new AbortController()
  let asked = 0
  return async () => {
    // Never the same, so that nothing is at hand from the time before.
    const key = `bench ${asked++}`
    const curves = filters.map((filter, i) => ({ key: `${key}.${i}`, filter, cost: 0 }))
    const chosen = await chooseCurves({ key, curves }, context, signal)
    for (const curve of chosen.curves) kaplanMeier(membersIn(donorsOf(curve, table, arrays)), table)
    await compareCurves(chosen, false, context, signal)
  }
}
