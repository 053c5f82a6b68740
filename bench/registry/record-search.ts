import type { Bench, BenchOptions, BenchOutcome, Contest, ContestOutcome } from '../bench.ts'
import { holdContest } from '../rounds.ts'
import {
  changesContest,
  memoryContest,
  questionsContest,
  type Stage,
} from './record-search/contests.ts'
import { hasProducts, type InputName, productsOf } from './record-search/input.ts'
import { askIndex, indexOf } from './record-search/ours.ts'
import { PINS } from './record-search/pins.ts'
import { questionsOf, WORKLOADS } from './record-search/questions.ts'
import { openPeers } from './record-search/sqlite.ts'

const APART: Readonly<Record<string, (stage: Stage) => Contest>> = {
  memory: memoryContest,
  change: changesContest,
}

/** Words, filters and pages of drug products in memory, beside what SQLite has for that. */
export const recordSearch: Bench = {
  workloads: [...WORKLOADS, ...Object.keys(APART)],
  run: runRecordSearch,
}

async function runRecordSearch(options: BenchOptions): Promise<BenchOutcome> {
  const { quick, rounds, note, chosen } = options
  const name: InputName = quick ? 'quick' : 'full'
  if (!hasProducts) {
    const findings = ['nothing was measured: the drug products are missing beside the checkout']
    return { input: {}, contests: [], findings }
  }
  const products = productsOf(name)
  note('making the index and the tables of the peers')
  const index = indexOf(products)
  const peers = openPeers(products)
  try {
    const stage: Stage = {
      name,
      products,
      index,
      peers,
      rounds: (usual) => rounds ?? (quick ? Math.ceil(usual / 4) : usual),
    }
    const contests: ContestOutcome[] = []
    for (const workload of WORKLOADS.filter(chosen)) {
      note(`${workload}: comparing what everybody answers with the pins`)
      checkAnswers(stage, workload)
      contests.push(await holdContest(questionsContest(stage, workload), note))
    }
    for (const [workload, plan] of Object.entries(APART)) {
      if (chosen(workload)) contests.push(await holdContest(plan(stage), note))
    }
    return { input: { products: products.length, pins: PINS[name] }, contests, findings: [] }
  } finally {
    peers.close()
  }
}

/** @throws Error when somebody finds more or less than is pinned */
function checkAnswers({ name, index, peers }: Stage, workload: (typeof WORKLOADS)[number]): void {
  for (const [i, question] of questionsOf(workload).entries()) {
    const totals = [askIndex(index, question), peers.like(question), peers.fullText(question)]
    const wrong = totals.find(({ total }) => total !== PINS[name][workload][i])
    if (wrong) throw new Error(`${JSON.stringify(question)} has ${wrong.total} answers`)
  }
}
