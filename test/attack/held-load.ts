import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { DEMO_FILES } from '../../fixtures/demo-commons.ts'
import { type HoldingPlan, startHolding } from './support/holding-clients.ts'
import { askHonestly, type HonestAsk } from './support/honest-clients.ts'
import { serveLimited } from './support/limited-server.ts'

// Measures how clients that hold connections and memory affect honest clients of a demo folder: node
// test/attack/held-load.ts --data casemill-demo --open-files 1024 --seconds 60

const MiB = 1 << 20
const { values } = parseArgs({
  options: {
    data: { type: 'string', default: 'casemill-demo' },
    'open-files': { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '60' },
    idle: { type: 'string', default: '6000' },
    slow: { type: 'string', default: '3000' },
    stalled: { type: 'string', default: '60' },
    'return-milliseconds': { type: 'string', default: '1000' },
  },
})
const seconds = Number(values.seconds)

const search = { filters: { op: 'in', content: { field: 'cases.primary_site', value: ['Brain'] } } }
const asks: readonly HonestAsk[] = [
  { path: '/status', status: 200 },
  { method: 'POST', path: '/files', body: JSON.stringify({ ...search, size: 10 }), status: 200 },
  { path: `/slicing/view/${DEMO_FILES[0].id}?region=chr17:7661779-7687550`, status: 206 },
  { path: '/cases?facets=primary_site&size=1', status: 200 },
]

const server = await serveLimited(values.data, Number(values['open-files']))
const tell = (what: string, facts: object = {}) => {
  const resident = `${Math.round(server.residentBytes() / MiB)} MiB`
  process.stdout.write(`${what}: ${JSON.stringify({ resident, ...facts })}\n`)
}
const ask = (forSeconds: number) => {
  const end = performance.now() + forSeconds * 1000
  return askHonestly(server.port, asks, { clients: 8, until: () => performance.now() > end })
}
const plan: Omit<HoldingPlan, 'idle' | 'slow' | 'stalled'> = {
  port: server.port,
  stalledBytes: 15 * MiB,
  returnMilliseconds: Number(values['return-milliseconds']),
}
const hold = async (name: string, kinds: Pick<HoldingPlan, 'idle' | 'slow' | 'stalled'>) => {
  const holding = await startHolding({ ...plan, ...kinds })
  tell(name, { ...(await ask(seconds)), holding: holding.counts() })
  await holding.stop()
}

try {
  tell('alone, first', await ask(seconds / 2))
  tell('alone', await ask(seconds / 2))
  await hold('beside stalled bodies', { idle: 0, slow: 0, stalled: Number(values.stalled) })
  await pause(1000)
  tell('after them', await ask(seconds / 2))
  const idle = { idle: Number(values.idle), slow: Number(values.slow) }
  await hold('beside idle connections and slow heads', { ...idle, stalled: 0 })
  await hold('beside all of them', { ...idle, stalled: Number(values.stalled) })
  await pause(1000)
  tell('after them', await ask(seconds / 2))
  await pause(60_000)
  tell('a minute later', await ask(1))
  if (server.log.length > 0) process.stdout.write(`${server.log.slice(0, 20).join('\n')}\n`)
} finally {
  await server.stop()
}
