import { join } from 'node:path'
import type { Bench, BenchOptions, BenchOutcome, Comparison, ContestOutcome } from './bench.ts'
import { type ChildServer, startNode } from './child-server.ts'
import { DATA_FOLDER } from './data-folder.ts'
import { openBrowser, type Timed, Visit } from './explorer/browser.ts'
import { fullHome } from './explorer/full-home.ts'
import { gridFrames, heatMapFrames, longestAnswers } from './explorer/movement.ts'
import { DEMO_PAGES, type ExplorerPage, PAGES } from './explorer/pages.ts'
import { holdContest } from './rounds.ts'
import { prepareHomes } from './scale/homes.ts'

/** The explorer in Debian's Chromium: the demo, a made release of 1,000,000 files, and what moves. */
export const explorer: Bench = {
  workloads: ['demo', 'full', 'scroll', 'answers'],
  run: runExplorer,
}

/** The heap settings of the package's start script; values of a heat map of 1,000 by 1,000 are let pass. */
const HEAP = ['--max-semi-space-size=8', '--initial-old-space-size=16']
const SETTINGS = { CASEMILL_LOG_LEVEL: 'silent', CASEMILL_EXPRESSION_CELLS: '0' }

const FIRST_VIEW = 'first view'

async function runExplorer(options: BenchOptions): Promise<BenchOutcome> {
  const { quick, rounds, chosen, note } = options
  const contests: ContestOutcome[] = []
  const findings: string[] = []
  const turns = rounds ?? (quick ? 2 : 5)
  const at = async (home: string, measure: (server: ChildServer) => Promise<void>) => {
    const words = [...HEAP, 'bin/casemill.ts', '--data', home, 'serve', '--port', '0']
    const server = await startNode(words, SETTINGS)
    try {
      await measure(server)
    } finally {
      await server.stop()
    }
  }
  const [demo = ''] = await prepareHomes(join(DATA_FOLDER, 'explorer'), [1])
  await at(demo, async ({ address }) => {
    if (chosen('demo')) {
      const asked = { workload: 'demo', pages: [...PAGES, ...DEMO_PAGES], mostFirst: 1000 }
      contests.push(...(await pagesContest(address, asked, turns, note)))
    }
    if (chosen('scroll')) contests.push(await scrollContest(address, turns, note))
    if (chosen('answers')) contests.push(await answersContest(address, turns, note))
  })
  if (chosen('full') && quick) findings.push('not measured with --quick: the full release')
  if (chosen('full') && !quick) {
    await at(await fullHome(note), async ({ address }) => {
      const asked = { workload: 'full', pages: PAGES, mostFirst: 2000 }
      contests.push(...(await pagesContest(address, asked, turns, note)))
    })
  }
  return {
    input: { pages: [...PAGES, ...DEMO_PAGES].map(({ fragment }) => fragment) },
    contests,
    findings,
  }
}

interface PagesAsked {
  readonly workload: string
  readonly pages: readonly ExplorerPage[]
  /** Milliseconds until the first view. */
  readonly mostFirst: number
}

/** Milliseconds and bytes to the first view, and to each page after it, by a browser that has nothing. */
async function pagesContest(
  address: string,
  { workload, pages, mostFirst }: PagesAsked,
  rounds: number,
  note: (text: string) => void,
): Promise<readonly ContestOutcome[]> {
  const bytes: Record<string, number>[] = []
  const turn = async () => {
    const browser = await openBrowser()
    try {
      const visit = await Visit.begin(browser, address)
      const seen: [string, Timed][] = [[FIRST_VIEW, visit.first]]
      for (const page of pages) seen.push([page.name, await visit.goTo(page)])
      bytes.push(Object.fromEntries(seen.map(([name, one]) => [name, one.bytes / 1000])))
      return Object.fromEntries(seen.map(([name, one]) => [name, one.milliseconds]))
    } finally {
      await browser.close()
    }
  }
  // Once before the clock: the service reads its columns, the system its files.
  await turn()
  bytes.length = 0
  const rows = (target?: Comparison['target']): Comparison[] => [
    { ours: FIRST_VIEW, ...(target && { target }) },
    ...pages.map(({ name }) => ({ ours: name })),
  ]
  const times = await holdContest(
    {
      workload,
      unit: 'ms',
      rounds,
      contenders: [{ turn }],
      comparisons: rows({ atMost: mostFirst }),
    },
    note,
  )
  let told = 0
  const sizes = await holdContest(
    {
      workload: `${workload}, bytes`,
      unit: 'kB',
      rounds: bytes.length,
      contenders: [{ turn: async () => bytes[told++] ?? {} }],
      comparisons: rows(),
    },
    () => {},
  )
  return [times, sizes]
}

/** What a person sees as a stall. */
const STALL = 100
/** Sixty in a second. */
const FRAME = 16

/** The longest frame while a picture is scrolled by a hand that does not rest. */
const scrollContest = (address: string, rounds: number, note: (text: string) => void) =>
  holdContest(
    {
      workload: 'scroll',
      unit: 'ms',
      rounds,
      contenders: [{ turn: () => gridFrames(address) }, { turn: () => heatMapFrames(address) }],
      comparisons: [
        { ours: 'grid, longest frame', target: { atMost: STALL } },
        { ours: 'grid, median frame' },
        { ours: 'grid, processor time of a frame', target: { atMost: FRAME } },
        { ours: 'heat map, longest frame', target: { atMost: STALL } },
        { ours: 'heat map, median frame' },
        { ours: 'heat map, processor time of a frame', target: { atMost: FRAME } },
      ],
    },
    note,
  )

/** How long typing and clicking wait for the next picture on the screen. */
const answersContest = (address: string, rounds: number, note: (text: string) => void) =>
  holdContest(
    {
      workload: 'answers',
      unit: 'ms',
      rounds,
      contenders: [{ turn: () => longestAnswers(address) }],
      comparisons: [{ ours: 'longest answer to a key or click', target: { atMost: STALL } }],
    },
    note,
  )
