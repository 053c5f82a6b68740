import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databasePath } from '../../engine/shared/database/open.ts'
import type { Bench, BenchOptions, BenchOutcome, Contest, ContestOutcome } from '../bench.ts'
import { findPostgres, makeCluster, startCluster } from '../commons/search/postgres/cluster.ts'
import { startService } from '../commons/search/service.ts'
import { holdContest, median } from '../rounds.ts'
import { checkAnswers, storedIn } from './check.ts'
import { type Ground, readsContest, SERVICE, storedContest } from './contests.ts'
import { makeHome } from './home.ts'
import { AMOUNTS, type InputName, STORED, type StoredRow } from './input.ts'
import { openPostgresPeer, openSqlitePeer, type Peer } from './peers.ts'
import { PINS } from './pins.ts'

const CONTESTS: readonly ((ground: Ground) => Contest)[] = [storedContest, readsContest]
const KINDS = ['embedded', 'postgresql'] as const
type Kind = (typeof KINDS)[number]

/** Aliquots submitted as a table, beside rows that are inserted without a look at them. */
export const submission: Bench = {
  workloads: KINDS.flatMap((kind) => [kind, `${kind}-reads`]),
  run: runSubmission,
}

/** Where a service keeps what is submitted, and a peer that has the same kind of place. */
interface Place {
  readonly stateUrl: string | undefined
  readonly peer: Peer
  /** What the service keeps of aliquots. */
  stored(): Promise<readonly StoredRow[]>
  stop(): Promise<void>
}

async function runSubmission(options: BenchOptions): Promise<BenchOutcome> {
  const name: InputName = options.quick ? 'quick' : 'full'
  const contests: ContestOutcome[] = []
  const findings: string[] = []
  for (const kind of KINDS) {
    if (!options.chosen(kind) && !options.chosen(`${kind}-reads`)) continue
    if (kind === 'postgresql' && !findPostgres()) {
      findings.push('nothing was measured with PostgreSQL, which is not installed')
      continue
    }
    const folder = await mkdtemp(join(tmpdir(), 'casemill-bench-submission-'))
    try {
      contests.push(...(await runKind(kind, folder, name, options)))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  findings.push(...contests.flatMap((contest) => rates(contest, AMOUNTS[name].aliquots)))
  return { input: { ...AMOUNTS[name], pins: PINS[name] }, contests, findings }
}

async function runKind(
  kind: Kind,
  folder: string,
  name: InputName,
  { quick, rounds, note, chosen }: BenchOptions,
): Promise<readonly ContestOutcome[]> {
  const data = join(folder, 'data')
  await mkdir(data)
  const place = kind === 'embedded' ? await embedded(folder, data, name) : await server(name)
  const { stateUrl, peer } = place
  try {
    note(`${kind}: registering projects and submitting what aliquots link to`)
    const { token, sampleIds } = await makeHome(data, name, stateUrl)
    const settings = stateUrl === undefined ? {} : { CASEMILL_STATE_URL: stateUrl }
    const service = await startService(data, settings)
    try {
      let turns = 0
      const ground: Ground = {
        workload: kind,
        amounts: AMOUNTS[name],
        peer,
        folder,
        nextTurn: () => ++turns,
        door: { address: service.address, token },
        sampleId: sampleIds[0] ?? '',
        rounds: (usual) => rounds ?? (quick ? Math.ceil(usual / 3) : usual),
      }
      note(`${kind}: comparing what everybody stores with the pins`)
      const { stored } = place
      await checkAnswers({ ...ground, stored }, name, ground.nextTurn())
      const outcomes: ContestOutcome[] = []
      for (const plan of CONTESTS) {
        const contest = plan(ground)
        if (!chosen(contest.workload)) continue
        // Once before the clock starts, so that all is compiled.
        for (const contender of contest.contenders) await contender.turn()
        outcomes.push(await holdContest(contest, note))
      }
      return outcomes
    } finally {
      await service.stop()
    }
  } finally {
    await place.stop()
  }
}

async function embedded(folder: string, data: string, name: InputName): Promise<Place> {
  const peer = await openSqlitePeer(folder, AMOUNTS[name])
  const stored = async () => storedIn(databasePath(data))
  return { stateUrl: undefined, peer, stored, stop: () => peer.close() }
}

async function server(name: InputName): Promise<Place> {
  const programs = findPostgres() ?? ''
  const data = await mkdtemp(join(tmpdir(), 'casemill-bench-pg-'))
  // The server's own user has to reach its folder.
  await chmod(data, 0o711)
  makeCluster(programs, join(data, 'data'))
  const cluster = await startCluster(programs, join(data, 'data'), 'measuring')
  const peer = await openPostgresPeer(await cluster.connect(), AMOUNTS[name])
  const host = encodeURIComponent(cluster.socketFolder)
  return {
    stateUrl: `postgresql://bench:none@/postgres?host=${host}`,
    peer,
    async stored() {
      const client = await cluster.connect()
      return (await client.query<StoredRow>(STORED).finally(() => client.end())).rows
    },
    async stop() {
      await peer.close()
      await cluster.stop()
      await rm(data, { recursive: true, force: true })
    },
  }
}

function rates({ workload, series }: ContestOutcome, aliquots: number): readonly string[] {
  return Object.entries(series).flatMap(([name, values]) => {
    if (workload.endsWith('-reads')) return []
    const perSecond = Math.round((aliquots * 1000) / median(values) / 100) * 100
    const what = name === SERVICE ? 'entities validated and stored' : 'rows and links'
    return [`${workload}, ${name}: ${perSecond} ${what} a second`]
  })
}
