import { closeSync, openSync } from 'node:fs'
import { openEngine } from '../../../engine/index.ts'
import { createApp } from '../../../server/app.ts'
import { readConfig } from '../../../server/config.ts'
import { createLog } from '../../../server/http/log.ts'
import { createMetrics } from '../../../server/http/metrics.ts'
import { ThreadPool } from '../../../workers/pool.ts'
import { startSqliteThread } from '../../../workers/sqlite-thread.ts'

// The program of a separate process: sends requests to a service over a data folder while no descriptor is free,
// and again when some are, and prints the answers.

export interface Ask {
  readonly path: string
  /** A body to post as JSON. */
  readonly body?: unknown
}

export interface StarvedPlan {
  readonly dataFolder: string
  /** Requests to send first, so that everything loaded on first use is loaded. */
  readonly before: readonly Ask[]
  readonly asks: readonly Ask[]
}

interface Answered {
  readonly status: number
  readonly retryAfter: string | null
  readonly text: string
}

/** The answers to one request. */
export interface Starved {
  readonly path: string
  readonly starved: Answered
  readonly fed: Answered
}

const { dataFolder, before, asks } = JSON.parse(process.argv[2] ?? '{}') as StarvedPlan
const config = readConfig({ flags: { logLevel: 'silent' } })
const executor = new ThreadPool({ threads: 1 })
const engine = await openEngine({
  dataFolder,
  executor,
  startDatabaseThread: startSqliteThread,
})
await engine.commons.warm()
await engine.start()
const app = createApp({
  engine,
  config,
  log: createLog(config),
  metrics: createMetrics(engine),
  status: { commit: 'test', tag: '0.0.0' },
})

async function ask({ path, body }: Ask): Promise<Answered> {
  const headers = { 'Content-Type': 'application/json' }
  const posted = { method: 'POST', headers, body: JSON.stringify(body) }
  const answer = await app.request(path, body === undefined ? {} : posted)
  const retryAfter = answer.headers.get('retry-after')
  return { status: answer.status, retryAfter, text: (await answer.text()).slice(0, 400) }
}

/** Opens files until the system refuses. */
function starve(): number[] {
  const descriptors: number[] = []
  try {
    for (;;) descriptors.push(openSync('/dev/null', 'r'))
  } catch {
    return descriptors
  }
}

for (const one of before) await ask(one)
const answers: Starved[] = []
for (const one of asks) {
  const descriptors = starve()
  const starved = await ask(one)
  for (const descriptor of descriptors) closeSync(descriptor)
  answers.push({ path: one.path, starved, fed: await ask(one) })
}
process.stdout.write(JSON.stringify(answers))
await engine.close()
await executor.close()
