import { writeFileSync } from 'node:fs'
import type { Contender, Contest } from '../../bench.ts'
import type { ChildServer } from '../../child-server.ts'
import { held, type Service, startService } from '../search/service.ts'
import { fetchAway } from './fetch.ts'
import type { Input } from './input.ts'
import { idsOf, type Layout, nameOf, type SetName } from './layout.ts'
import type { SinkTarget } from './sink.ts'

/** What every workload gets. */
export interface Stage {
  readonly input: Input
  readonly layout: Layout
  readonly casemill: Service
  /** Node's own way to send files, in chunks of 1 MiB. */
  readonly plain: ChildServer
  readonly rounds: (usual: number) => number
}

const PLAIN = 'Node file stream'

const ours = (layout: Layout, set: SetName): SinkTarget[] =>
  idsOf(set, layout).map((id) => ({ path: `/data/${id}` }))

const theirs = (layout: Layout, set: SetName): SinkTarget[] =>
  idsOf(set, layout).map((_, i) => ({ path: `/${nameOf(set, i)}` }))

function archive(layout: Layout, kind: 'tar' | 'tar.gz'): SinkTarget[] {
  const body = JSON.stringify({ ids: idsOf('archive', layout) })
  return [{ path: kind === 'tar' ? '/data?tarfile' : '/data', body }]
}

function turn(series: string, { address }: ChildServer, targets: SinkTarget[]): Contender {
  return {
    turn: async () => ({ [series]: (await fetchAway({ address, targets })).milliseconds }),
  }
}

/** One large file beside the same file from a plain server. */
export function singleContest(stage: Stage): Contest {
  const target = { atLeast: 0.9 }
  return besidePlain('single', stage, 9, { ours: 'casemill', peer: PLAIN, target })
}

/** The same files from us and from a plain server, one after another. */
function besidePlain(
  workload: 'single' | 'small',
  { layout, casemill, plain, rounds }: Stage,
  most: number,
  comparison: Contest['comparisons'][number],
): Contest {
  return {
    workload,
    unit: 'ms',
    rounds: rounds(most),
    contenders: [
      turn('casemill', casemill, ours(layout, workload)),
      turn(PLAIN, plain, theirs(layout, workload)),
    ],
    comparisons: [comparison],
  }
}

/** An archive of many files, made as it is sent, beside the same files one after another. */
export function archiveContest({ layout, casemill, plain, rounds }: Stage): Contest {
  return {
    workload: 'archive',
    unit: 'ms',
    rounds: rounds(3),
    contenders: [
      turn('tar', casemill, archive(layout, 'tar')),
      turn('tar.gz', casemill, archive(layout, 'tar.gz')),
      turn(PLAIN, plain, theirs(layout, 'archive')),
    ],
    comparisons: [
      { ours: 'tar', peer: PLAIN },
      { ours: 'tar.gz', peer: PLAIN },
    ],
  }
}

/** Many small files, one after another over one connection. */
export function smallContest(stage: Stage): Contest {
  return besidePlain('small', stage, 7, { ours: 'casemill', peer: PLAIN, as: 'times as long' })
}

/** What a new server answers before it is measured: some small files, as any server soon has. */
const WARM_REQUESTS = 200

/** How far the resident memory of a new server goes above what it is when it has little to do. */
export function memoryContest({ layout, input, rounds }: Stage): Contest {
  const growth = (series: string, targets: SinkTarget[]): Contender => ({
    turn: async () => {
      const service = await startService(input.home)
      try {
        const { address, pid } = service
        await fetchAway({ address, targets: ours(layout, 'small').slice(0, WARM_REQUESTS) })
        // Sets the peak back to what is held now.
        writeFileSync(`/proc/${pid}/clear_refs`, '5')
        const before = held(pid, 'VmRSS')
        await fetchAway({ address, targets })
        return { [series]: held(pid, 'VmHWM') - before, [`${series}, before`]: before }
      } finally {
        await service.stop()
      }
    },
  })
  const ways: Readonly<Record<string, SinkTarget[]>> = {
    'growth, single': ours(layout, 'single'),
    'growth, tar': archive(layout, 'tar'),
    'growth, tar.gz': archive(layout, 'tar.gz'),
  }
  return {
    workload: 'memory',
    unit: 'MB',
    rounds: rounds(2),
    contenders: Object.entries(ways).map(([series, targets]) => growth(series, targets)),
    comparisons: Object.keys(ways).map((series) => ({ ours: series, target: { atMost: 32 } })),
  }
}
