import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Contender, Contest } from '../../bench.ts'
import type { ChildServer } from '../../child-server.ts'
import { median } from '../../rounds.ts'
import { type Fetched, fetchAll } from '../curl.ts'
import { startPlain } from '../plain-server.ts'
import { regionText } from './layout.ts'
import { startCasemill, startNginx } from './servers.ts'
import type { Stage } from './stage.ts'

/** Slices and files of the same bytes, by three servers that each have a process. */
export interface Servers {
  readonly casemill: ChildServer
  readonly plain: ChildServer
  readonly nginx: ChildServer | undefined
}

export async function withServers<Result>(
  { home, scratch }: Stage,
  use: (servers: Servers) => Promise<Result>,
): Promise<Result> {
  const started: ChildServer[] = []
  const kept = <Server extends ChildServer | undefined>(server: Server): Server => {
    if (server) started.push(server)
    return server
  }
  try {
    return await use({
      casemill: kept(await startCasemill(home.folder)),
      plain: kept(await startPlain(scratch)),
      nginx: kept(await startNginx(scratch, scratch)),
    })
  } finally {
    await Promise.all(started.map((server) => server.stop()))
  }
}

export function sliceUrl({ address }: ChildServer, { home }: Stage, regions: readonly string[]) {
  const query = regions.map((region) => `region=${region}`).join('&')
  return `${address}/slicing/view/${home.file.id}?${query}`
}

const fileUrl = ({ address }: ChildServer, path: string) => `${address}/${basename(path)}`

/** Passes before the clock starts; the JIT needs some hundred requests. */
const WARM_PASSES = 6

/** One large slice over HTTP beside a file of the same bytes. */
export async function httpWholeContest(
  stage: Stage,
  servers: Servers,
  what: 'mid' | 'chromosomes',
): Promise<Contest> {
  const { casemill, plain, nginx } = servers
  const intervals = what === 'mid' ? [stage.layout.mid] : stage.layout.chromosomes
  const path = stage.saved.get(what)![0]!
  const { size } = await stat(path)
  const turn = (series: string, url: string): Contender => ({
    turn: async () => {
      const [fetched] = await fetchAll([url])
      if (fetched!.bytes !== size) throw new Error(`${url}: ${fetched!.bytes} of ${size} bytes`)
      return { [series]: fetched!.milliseconds }
    },
  })
  const contenders = [
    turn('casemill', sliceUrl(casemill, stage, intervals.map(regionText))),
    turn('Node file stream', fileUrl(plain, path)),
    turn('Node file stream, usual chunks', `${plain.address}/usual/${basename(path)}`),
    ...(nginx ? [turn('nginx sendfile', fileUrl(nginx, path))] : []),
  ]
  for (const contender of [...contenders, ...contenders]) await contender.turn()
  return {
    workload: `http-${what}`,
    unit: 'ms',
    rounds: stage.rounds(9),
    contenders,
    comparisons: [
      { ours: 'casemill', peer: 'Node file stream', target: { atLeast: 0.75 } },
      { ours: 'casemill', peer: 'Node file stream, usual chunks', target: { atLeast: 1.3 } },
      { ours: 'casemill', peer: 'nginx sendfile' },
    ],
  }
}

/** Small slices over HTTP, one after another over one connection, beside files of the same bytes. */
export async function httpSmallContest(stage: Stage, servers: Servers): Promise<Contest> {
  const { casemill, plain, nginx } = servers
  const turn = (series: string, urls: readonly string[]): Contender => ({
    turn: async () => {
      const fetched = await fetchAll(urls)
      return { [series]: middle(fetched), [`${series}, first byte`]: middleFirst(fetched) }
    },
  })
  const files = (server: ChildServer) =>
    stage.saved.get('small')!.map((path) => fileUrl(server, path))
  const contenders = [
    turn(
      'casemill p50',
      stage.layout.small.map((region) => sliceUrl(casemill, stage, [regionText(region)])),
    ),
    turn('Node file stream p50', files(plain)),
    ...(nginx ? [turn('nginx sendfile p50', files(nginx))] : []),
  ]
  for (let i = 0; i < WARM_PASSES; i++) {
    for (const contender of contenders) await contender.turn()
  }
  return {
    workload: 'http-small',
    unit: 'ms',
    rounds: stage.rounds(15),
    contenders,
    comparisons: [
      {
        ours: 'casemill p50',
        peer: 'Node file stream p50',
        as: 'times as long',
        target: { atMost: 1.8 },
      },
      {
        ours: 'casemill p50, first byte',
        peer: 'Node file stream p50, first byte',
        as: 'times as long',
      },
      { ours: 'casemill p50', peer: 'nginx sendfile p50', as: 'times as long' },
    ],
  }
}

const middle = (fetched: readonly Fetched[]) => median(fetched.map((each) => each.milliseconds))
const middleFirst = (fetched: readonly Fetched[]) => median(fetched.map((each) => each.firstByte))
