import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { RecordIndex } from '../../../engine/registry/full-text/record-index.ts'
import type { Contender, Contest } from '../../bench.ts'
import { quantile } from '../../rounds.ts'
import { type InputName, type Product, recordOf } from './input.ts'
import { askIndex } from './ours.ts'
import { type Question, questionsOf, type WorkloadName } from './questions.ts'
import type { Peers } from './sqlite.ts'

export interface Stage {
  readonly name: InputName
  readonly products: readonly Product[]
  readonly index: RecordIndex
  readonly peers: Peers
  readonly rounds: (usual: number) => number
}

/** How often a turn asks each question of the index; it is soon done. */
const TIMES = 10
/** Products that a turn changes, one after the other. */
const CHANGED = 50

/** The questions one by one: their median and their 95th percentile. */
export function questionsContest({ index, peers, rounds }: Stage, workload: WorkloadName): Contest {
  const questions = questionsOf(workload)
  const turn = (name: string, ask: (question: Question) => unknown, times: number): Contender => ({
    turn: async () =>
      told(
        name,
        questions.flatMap((one) => timed(() => ask(one), times)),
      ),
  })
  return {
    workload,
    unit: 'ms',
    rounds: rounds(7),
    contenders: [
      turn('index', (question) => askIndex(index, question), TIMES),
      turn('LIKE', (question) => peers.like(question), 1),
      turn('FTS5', (question) => peers.fullText(question), 1),
    ],
    comparisons: [
      { ours: 'index, p50', target: { atMost: 10 } },
      { ours: 'index, p95' },
      ...['p50', 'p95'].flatMap((share) =>
        ['LIKE', 'FTS5'].map((peer) => ({ ours: `index, ${share}`, peer: `${peer}, ${share}` })),
      ),
    ],
  }
}

/** A product is changed and the change is found, without the store that keeps it. */
export function changesContest({ products, index, peers, rounds }: Stage): Contest {
  // Both find words that they have not seen.
  let turns = 0
  const changed = () => {
    turns++
    return Array.from({ length: CHANGED }, (_, i): readonly [Product, number] => {
      const place = (i * 1_009) % products.length
      const product = products[place]!
      return [{ ...product, name: `${product.name} changed${turns}x${i}` }, place]
    })
  }
  const turn = (
    name: string,
    change: (product: Product, place: number) => unknown,
    ask: (question: Question) => unknown,
  ): Contender => ({
    turn: async () =>
      told(
        name,
        changed().flatMap(([product, place]) =>
          timed(() => {
            change(product, place)
            ask({ q: product.name.split(' ').at(-1)! })
          }, 1),
        ),
      ),
  })
  const ours = turn(
    'index',
    (product) => index.put(recordOf(product)),
    (question) => askIndex(index, question),
  )
  return {
    workload: 'change',
    unit: 'ms',
    rounds: rounds(7),
    contenders: [ours, turn('FTS5', peers.replace, (question) => peers.fullText(question))],
    comparisons: [
      { ours: 'index, p50', peer: 'FTS5, p50' },
      { ours: 'index, p95', peer: 'FTS5, p95' },
    ],
  }
}

/** What a process holds more when it has the index. */
export function memoryContest({ name, rounds }: Stage): Contest {
  return {
    workload: 'memory',
    unit: 'MB',
    rounds: rounds(1),
    contenders: [
      {
        turn: async () => {
          const child = join(import.meta.dirname, 'memory-child.ts')
          const { stdout, status } = spawnSync(process.execPath, ['--expose-gc', child, name])
          if (status !== 0) throw new Error('the process that measures memory has failed')
          return { index: Number(stdout) }
        },
      },
    ],
    comparisons: [{ ours: 'index', target: { atMost: 60 } }],
  }
}

function timed(work: () => unknown, times: number): number[] {
  return Array.from({ length: times }, () => {
    const start = performance.now()
    work()
    return performance.now() - start
  })
}

const told = (name: string, milliseconds: readonly number[]) => ({
  [`${name}, p50`]: quantile(milliseconds, 0.5),
  [`${name}, p95`]: quantile(milliseconds, 0.95),
})
