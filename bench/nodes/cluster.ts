import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { demoBytes } from '../../bin/demo-bytes.ts'
import { openEngine } from '../../engine/index.ts'
import { startS3 } from '../../engine/shared/blobs/support/s3-server.ts'
import { inlineExecutor } from '../../engine/shared/executor.ts'
import { demoKey, makeDemo } from '../../fixtures/demo.ts'
import { DEMO_RELEASE } from '../../fixtures/demo-commons.ts'
import { startNode } from '../child-server.ts'
import { findPostgres, makeCluster, startCluster } from '../commons/search/postgres/cluster.ts'
import { held, processorTime } from '../commons/search/service.ts'

/** A server that shares its state and its files with others. */
export interface MeasuredNode {
  readonly pid: number
  readonly address: string
  /** Milliseconds of processor time that it has taken. */
  processorTime(): number
  /** Of 1e6 bytes. */
  megabytes(): number
}

/** Servers with the demo, over a PostgreSQL server and a bucket of this machine. */
export interface MeasuredCluster extends AsyncDisposable {
  readonly nodes: readonly MeasuredNode[]
  /** Of the registry. */
  readonly key: string
}

/** The heap settings of the package's start script. */
const HEAP = ['--max-semi-space-size=8', '--initial-old-space-size=16']
const PROGRAM = 'bin/casemill.ts'
const MAX_LOOKS = 1200

/** @throws Error where PostgreSQL is missing, or a node does not become ready */
export async function startNodes(count: number): Promise<MeasuredCluster> {
  const programs = findPostgres()
  if (programs === undefined) throw new Error("PostgreSQL's server is missing")
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'casemill-nodes-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const databaseFolder = await mkdtemp(join(tmpdir(), 'casemill-nodes-pg-'))
  stack.defer(() => rm(databaseFolder, { recursive: true, force: true }))
  // PostgreSQL's user goes through it.
  await chmod(databaseFolder, 0o711)
  const data = join(databaseFolder, 'data')
  makeCluster(programs, data)
  const database = await startCluster(programs, data, 'measuring')
  stack.defer(() => database.stop())
  const storage = await startS3()
  stack.defer(() => storage.stop())

  const host = encodeURIComponent(database.socketFolder)
  const stateUrl = `postgresql://bench:trusted@/postgres?host=${host}`
  const settings = {
    ...storage.environment,
    CASEMILL_STATE_URL: stateUrl,
    CASEMILL_LOG_LEVEL: 'silent',
  }
  const nodes: MeasuredNode[] = []
  for (let i = 0; i < count; i++) {
    const home = join(folder, `node${i}`)
    await mkdir(home)
    const serve = [...HEAP, PROGRAM, 'serve', '--data', home, '--port', '0', '--threads', '1']
    const { pid, address, stop } = await startNode(serve, settings)
    stack.defer(stop)
    nodes.push({
      pid: pid ?? 0,
      address,
      processorTime: () => processorTime(pid) / 1000,
      megabytes: () => held(pid, 'VmRSS'),
    })
  }
  const maker = join(folder, 'maker')
  const engine = await openEngine({
    dataFolder: maker,
    stateUrl,
    objects: storage.options,
    executor: inlineExecutor,
    makeBytes: demoBytes(),
  })
  const key = await makeDemo(engine)
    .then(() => demoKey(engine))
    .finally(() => engine.close())
  const command = async (...words: readonly string[]) => {
    const all = [PROGRAM, 'release', ...words, '--data', maker]
    await promisify(execFile)(process.execPath, all, { env: { ...process.env, ...settings } })
  }
  await command('publish')
  await command('switch', DEMO_RELEASE)
  for (const { address } of nodes) await untilReady(address)
  const kept = stack.move()
  return { nodes, key, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

async function untilReady(address: string): Promise<void> {
  for (let look = 0; look < MAX_LOOKS; look++) {
    if ((await fetch(`${address}/health/ready`)).status === 200) return
    await sleep(100)
  }
  throw new Error(`${address} does not become ready`)
}
