import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createMetrics } from '../server/http/metrics.ts'
import { fakeEngine } from './commons/contract/fake-engine.ts'

// docs/reference/metrics.md lists the metrics of /metrics.

const PAGE = readFileSync(join(import.meta.dirname, '../docs/reference/metrics.md'), 'utf8')

interface Told {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly values: readonly { readonly labels: Readonly<Record<string, unknown>> }[]
}

/** The documented row of each of our metrics, when all have values. */
async function rows(): Promise<readonly string[]> {
  const metrics = createMetrics(fakeEngine().engine, {
    build: { tag: '1.0.0', commit: 'abc' },
    pools: { short: { running: 1, queued: 2 } },
  })
  metrics.begin()
  const exchange = { route: '/status', status: 200, outcome: 'complete', bytesSent: 5 } as const
  metrics.finish('GET', exchange, 1)
  metrics.limited('rate', 'address')
  const all = (await metrics.values()) as readonly Told[]
  return all
    .filter(({ name }) => name.startsWith('casemill_'))
    .map(({ name, type, help, values }) => {
      const labels = new Set(values.flatMap(({ labels }) => Object.keys(labels)))
      labels.delete('le')
      const named = [...labels].map((label) => `\`${label}\``).join(', ')
      return `| \`${name}\` | ${type} | ${named} | ${help.replace(/\.$/, '')} |`
    })
}

test('every metric has its row, and every row its metric', async () => {
  const documented = PAGE.split('\n').filter((line) => line.startsWith('| `casemill_'))
  expect(documented.toSorted()).toEqual((await rows()).toSorted())
})

test('labels name what the service has, never what somebody has put into it', async () => {
  const labels = (await rows()).flatMap((row) => row.split('|')[3]?.match(/\w+/g) ?? [])
  const bounded = ['client', 'dataset', 'dependency', 'kind', 'limit', 'method', 'node', 'outcome']
  const known = [...bounded, 'pool', 'release', 'revision', 'route', 'state', 'status', 'version']
  expect([...new Set(labels)].toSorted()).toEqual(known)
})
