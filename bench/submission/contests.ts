import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Contender, Contest } from '../bench.ts'
import { quantile } from '../rounds.ts'
import { type Door, readUntil, submit } from './client.ts'
import { type Amounts, aliquotsOf, PROGRAM, projectCode, tableOf } from './input.ts'
import { type Peer, rowsOf } from './peers.ts'

/** A service over one kind of database, and that database by itself. */
export interface Ground {
  readonly workload: 'embedded' | 'postgresql'
  readonly amounts: Amounts
  readonly door: Door
  readonly peer: Peer
  readonly sampleId: string
  /** For tables. */
  readonly folder: string
  readonly rounds: (usual: number) => number
  /** Counted up by everything that makes aliquots: names are given once. */
  nextTurn(): number
}

export const SERVICE = 'service'
const BULK = 'bulk insert'

/** A table of aliquots, submitted; and the rows that it makes, inserted as they are. */
export function storedContest(ground: Ground): Contest {
  const { workload, amounts, door, peer, folder, rounds, nextTurn } = ground
  const ours: Contender = {
    async turn() {
      const path = join(folder, 'aliquots.tsv')
      await writeFile(path, tableOf(aliquotsOf(amounts, nextTurn())))
      return { [SERVICE]: await submit(door, { path, code: projectCode(0) }) }
    },
  }
  const plain: Contender = {
    async turn() {
      const turn = nextTurn()
      const rows = rowsOf(aliquotsOf(amounts, turn), turn)
      const start = performance.now()
      await peer.insert(rows)
      return { [BULK]: performance.now() - start }
    },
  }
  return {
    workload,
    unit: 'ms',
    rounds: rounds(7),
    contenders: [ours, plain],
    comparisons: [{ ours: SERVICE, peer: BULK, as: 'times as long', target: { atMost: 2 } }],
  }
}

/** How long reads are measured while nothing else is done. */
const ALONE_MILLISECONDS = 1000

/** Small reads while nothing else happens, and while tables are submitted to all projects at once. */
export function readsContest(ground: Ground): Contest {
  const { workload, amounts, door, sampleId, folder, rounds, nextTurn } = ground
  const paths: Readonly<Record<string, string>> = {
    status: '/status',
    entity: `/submission/${PROGRAM}/${projectCode(0)}/entities/${sampleId}`,
  }
  const measured = async (when: string, hasEnded: () => boolean) => {
    const read = async ([name, path]: [string, string]) => {
      const times = await readUntil(door, path, hasEnded)
      return [
        [`${name} ${when}, p50`, quantile(times, 0.5)],
        [`${name} ${when}, p95`, quantile(times, 0.95)],
      ]
    }
    return Object.fromEntries((await Promise.all(Object.entries(paths).map(read))).flat())
  }
  const alone: Contender = {
    turn() {
      const end = performance.now() + ALONE_MILLISECONDS
      return measured('alone', () => performance.now() > end)
    },
  }
  const beside: Contender = {
    async turn() {
      const tables = await Promise.all(
        Array.from({ length: amounts.projects }, async (_, i) => {
          const path = join(folder, `aliquots-${i}.tsv`)
          await writeFile(path, tableOf(aliquotsOf(amounts, nextTurn())))
          return { path, code: projectCode(i) }
        }),
      )
      let hasEnded = false
      const submitted = Promise.all(tables.map((table) => submit(door, table)))
      const ending = submitted.finally(() => {
        hasEnded = true
      })
      const [times] = await Promise.all([measured('beside', () => hasEnded), ending])
      return times
    },
  }
  return {
    workload: `${workload}-reads`,
    unit: 'ms',
    rounds: rounds(3),
    contenders: [alone, beside],
    comparisons: Object.keys(paths).flatMap((name) =>
      ['p50', 'p95'].map((share) => ({
        ours: `${name} beside, ${share}`,
        peer: `${name} alone, ${share}`,
        as: 'times as long' as const,
      })),
    ),
  }
}
