import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender, Contest } from '../../bench.ts'
import type { ChildServer } from '../../child-server.ts'
import { quantile } from '../../rounds.ts'
import { type FetchOptions, fetchAll, readOn } from '../curl.ts'
import { type Servers, sliceUrl } from './http.ts'
import { freshHome } from './input.ts'
import { regionText } from './layout.ts'
import { startCasemill } from './servers.ts'
import type { Stage } from './stage.ts'

/** The time that the huge slice has for getting under way. */
const HEAD_START_MILLISECONDS = 100
const WARM_PASSES = 6

/** Small slices of a file whose blocks are all proved, alone and beside a huge slice of it. */
export async function besideContest(stage: Stage, { casemill }: Servers): Promise<Contest> {
  const small = smallUrls(stage, casemill)
  for (let i = 0; i < WARM_PASSES; i++) await fetchAll(small)
  const pair = (options: FetchOptions, suffix: string): Contender[] => [
    { turn: async () => ({ [`alone p95${suffix}`]: await slowest(small, options) }) },
    {
      turn: async () => {
        const huge = readOn(hugeUrl(stage, casemill))
        try {
          await sleep(HEAD_START_MILLISECONDS)
          const p95 = await slowest(small, options)
          if (!huge.running()) throw new Error('the huge slice is over before the small ones')
          return { [`beside p95${suffix}`]: p95 }
        } finally {
          await huge.stop()
        }
      },
    },
  ]
  const compare = (suffix: string) =>
    ({
      ours: `beside p95${suffix}`,
      peer: `alone p95${suffix}`,
      as: 'times as long',
      target: { atMost: 3 },
    }) as const
  return {
    workload: 'beside',
    unit: 'ms',
    rounds: stage.rounds(7),
    contenders: [...pair({}, ''), ...pair({ atOnce: true }, ', 50 at once')],
    comparisons: [compare(''), compare(', 50 at once')],
  }
}

/**
 * The same for a file that the service sees for the first time: every slice proves its blocks, and
 * the service makes the block directory in the background, alone and beside alike. Each turn has a
 * service and a data folder of its own.
 */
export function besideFirstContest(stage: Stage, tell: (finding: string) => void): Contest {
  const turn = (series: string, withHuge: boolean): Contender => ({
    turn: async () => {
      const home = await freshHome(stage.home)
      const server = await startCasemill(home.folder)
      try {
        await warmElsewhere(stage, server)
        const huge = withHuge ? readOn(hugeUrl(stage, server)) : undefined
        await sleep(HEAD_START_MILLISECONDS)
        const p95 = await slowest(smallUrls(stage, server), {})
        if (huge && huge.rounds() > 0) tell('beside-first: the huge slice was over too soon')
        if (existsSync(home.paths.directoryPath!)) {
          tell('beside-first: the block directory was complete before the last small slice')
        }
        await huge?.stop()
        return { [series]: p95 }
      } finally {
        await server.stop()
      }
    },
  })
  return {
    workload: 'beside-first',
    unit: 'ms',
    rounds: stage.rounds(5),
    contenders: [turn('alone p95', false), turn('beside p95', true)],
    comparisons: [
      { ours: 'beside p95', peer: 'alone p95', as: 'times as long', target: { atMost: 3 } },
    ],
  }
}

const smallUrls = (stage: Stage, server: ChildServer) =>
  stage.layout.small.map((region) => sliceUrl(server, stage, [regionText(region)]))

const hugeUrl = (stage: Stage, server: ChildServer) =>
  sliceUrl(server, stage, stage.layout.chromosomes.map(regionText))

async function slowest(urls: readonly string[], options: FetchOptions): Promise<number> {
  const fetched = await fetchAll(urls, options)
  return quantile(
    fetched.map(({ milliseconds }) => milliseconds),
    0.95,
  )
}

/** Warms code and threads by slices of a reference that is not measured. */
async function warmElsewhere(stage: Stage, server: ChildServer): Promise<void> {
  const urls = Array.from({ length: 150 }, (_, i) => {
    return sliceUrl(server, stage, [`chr21:${i * 20_000 + 1}-${i * 20_000 + 10_000}`])
  })
  await fetchAll(urls)
}
