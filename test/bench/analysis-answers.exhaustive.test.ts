import { afterAll, beforeAll, expect, test } from 'vitest'
import { differenceBetween, pinnedOf } from '../../bench/commons/analysis/answers.ts'
import { openDuck } from '../../bench/commons/analysis/duckdb/peer.ts'
import { oursOver } from '../../bench/commons/analysis/ours.ts'
import { PINS } from '../../bench/commons/analysis/pins.ts'
import { WORKLOADS } from '../../bench/commons/analysis/questions.ts'
import { type Engine, openEngine } from '../../engine/index.ts'
import { inlineExecutor } from '../../engine/shared/index.ts'
import { readConfig } from '../../server/config.ts'
import { createLog } from '../../server/http/log.ts'
import { type RunningServer, startServer } from '../../server/main.ts'
import { available } from '../available.ts'
import { type AnalysisInput, makeAnalysisInput } from './support/analysis-input.ts'

// Checks for the service what analysis-pins.test.ts checks for the peers: over HTTP, as the benchmark requests it.

let made: AnalysisInput
let engine: Engine
let server: RunningServer

beforeAll(async () => {
  made = await makeAnalysisInput()
  const flags = { port: 0, logLevel: 'silent', drainSeconds: 0, expressionCells: 0 }
  const config = readConfig({ flags })
  engine = await openEngine({ dataFolder: made.input.home, executor: inlineExecutor })
  await engine.start()
  const status = { commit: '', tag: '' }
  server = await startServer({ engine, config, status, log: createLog(config) })
})

afterAll(async () => {
  await server?.close()
  await engine?.close()
  await made?.remove()
})

const answered = WORKLOADS.filter((workload) => available.numpy || workload !== 'cells')

test.each(answered)('the service answers what is pinned for %s', async (workload) => {
  const [way] = oursOver(server).ways
  const pins = PINS.test[workload] ?? []
  expect(pins.length).toBeGreaterThan(0)
  for (const [i, pin] of pins.entries()) {
    const question = made.questions[workload][i]!
    expect(pinnedOf(question, await way!.answer(question))).toEqual(pin)
  }
})

/** The workloads for which DuckDB has no statement. */
const OF_OTHERS = ['cells', 'survival', 'differential', 'coexpression']

test.each(WORKLOADS.filter((workload) => !OF_OTHERS.includes(workload)))(
  'the service gives the answers of DuckDB to %s',
  async (workload) => {
    const [ours] = oursOver(server).ways
    const duck = await openDuck(made.input.duck, made.folder)
    try {
      for (const question of made.questions[workload]) {
        const [contestant] = duck.contestants(question.kind)
        const theirs = await contestant!.ways[0]!.answer(question)
        expect(differenceBetween(await ours!.answer(question), theirs)).toBeUndefined()
      }
    } finally {
      await duck.stop()
    }
  },
)
