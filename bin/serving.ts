import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { type Engine, openEngine } from '../engine/index.ts'
import { takeFolder } from '../engine/shared/index.ts'
import { DEMO_TUMOURS, demoKey, demoToken, hasDemo, makeDemo } from '../fixtures/demo.ts'
import { DEMO_EXPRESSION, DEMO_FILES, demoBytes } from '../fixtures/demo-commons.ts'
import { DEMO_DOWNLOADS } from '../fixtures/downloads.ts'
import { DEMO_CASE, DEMO_STAGING } from '../fixtures/staging/algorithm.ts'
import { DEMO_TRIAL } from '../fixtures/submission/trial.ts'
import pkg from '../package.json' with { type: 'json' }
import type { StatusFacts } from '../server/commons/system.ts'
import { type Config, objectStorage } from '../server/config.ts'
import { createLog, type Log } from '../server/http/log.ts'
import { startServer } from '../server/main.ts'
import { boundedThread, longThreads } from '../workers/lazy-pool.ts'
import { type PoolOptions, ThreadPool } from '../workers/pool.ts'
import { startSqliteThread } from '../workers/sqlite-thread.ts'
import { checkoutCommit } from './commit.ts'
import { limitHeaps } from './heaps.ts'
import { closeFolder } from './private-files.ts'
import type { Terminal } from './terminal.ts'

/** Serves a data folder, first made a demo if it is to be one, until the terminal interrupts. */
export async function serve(
  config: Config,
  threads: number,
  isDemo: boolean,
  terminal: Terminal,
): Promise<void> {
  const { signal } = terminal
  limitHeaps()
  // Standard output is for what a person reads; the log goes beside it.
  const log = createLog(config, terminal.err)
  // Servers that share a PostgreSQL database may share a data folder, too.
  for (const line of await closeFolder(config.data, config.groupRead === true)) log.warn(line)
  const giveBack = config.stateUrl === null ? await takeDataFolder(config.data) : () => {}
  const onThreadEnd: PoolOptions['onThreadEnd'] = (job, err) =>
    log.warn({ job, err }, 'a thread ended at a job; another one takes its place')
  const executor = new ThreadPool({ threads, onThreadEnd })
  const longExecutor = longThreads(threads, { onThreadEnd })
  const boundedExecutor = boundedThread({ onThreadEnd })
  try {
    const engine = await openEngine({
      dataFolder: config.data,
      executor,
      longExecutor,
      boundedExecutor,
      objects: objectStorage(config),
      makeBytes: demoBytes(),
      dictionaryFolder: config.dictionary ?? undefined,
      stateUrl: config.stateUrl ?? undefined,
      reserveBytes: config.reserveBytes,
      startDatabaseThread: startSqliteThread,
      scrubBytesPerSecond: config.scrubBytesPerSecond,
      limits: { expressionCells: config.expressionCells },
      onEvent: ({ level, message, fileId, cause }) => log[level]({ fileId, err: cause }, message),
    })
    try {
      await engine.commons.warm()
      if (isDemo && !(await hasDemo(engine))) {
        const onStep = (step: string) => terminal.explain(`casemill: ${step} (first start only)`)
        await makeDemo(engine, { signal, onStep })
      }
      await engine.start()
      await serveEngine(engine, config, isDemo, log, terminal)
    } finally {
      await engine.close()
    }
  } finally {
    await boundedExecutor.close()
    await longExecutor.close()
    await executor.close()
    giveBack()
  }
}

async function takeDataFolder(folder: string): Promise<() => void> {
  await mkdir(folder, { recursive: true })
  return takeFolder(folder)
}

async function serveEngine(
  engine: Engine,
  config: Config,
  isDemo: boolean,
  log: Log,
  terminal: Terminal,
): Promise<void> {
  const server = await startServer({ engine, config, status: await statusFacts(), log })
  try {
    await terminal.write(`${(await welcome(engine, server.address, isDemo)).join('\n')}\n`)
    if (!terminal.signal.aborted) await once(terminal.signal, 'abort')
  } finally {
    await server.close()
  }
}

async function statusFacts(): Promise<StatusFacts> {
  return { commit: (await checkoutCommit()) ?? pkg.version, tag: pkg.version }
}

async function welcome(engine: Engine, address: string, isDemo: boolean): Promise<string[]> {
  const { files, bytes, alignments } = await engine.shared.files.totals()
  const facts = engine.commons.releaseFacts()
  const { problems } = engine.commons.releaseHealth()
  const none = problems.length > 0 ? 'damaged' : 'none; make one with casemill import commons'
  const lines = [
    `casemill ${pkg.version} at ${address} (API page: ${address}/docs)`,
    facts ? `release: ${facts.dataRelease} of ${facts.version.releaseDate}` : `release: ${none}`,
    ...problems.map((problem) => `warning: ${problem}`),
    `stored: ${files} files, ${alignments} of them alignments (${(bytes / 1e6).toFixed(1)} MB), ${await engine.shared.genes.count()} genes`,
  ]
  return isDemo ? [...lines, ...(await toTry(engine, address))] : lines
}

/** The demo's secrets, which are new with each start, and commands that use them. */
async function toTry(engine: Engine, address: string): Promise<string[]> {
  const [open, controlled] = DEMO_FILES
  const token = await demoToken(engine)
  const key = await demoKey(engine)
  const expression = {
    case_ids: DEMO_EXPRESSION.caseIds,
    gene_ids: DEMO_EXPRESSION.geneIds,
    tsv_units: 'uqfpkm',
  }
  return [
    `demo token for the controlled file and for project ${DEMO_TRIAL.id}: ${token}`,
    `demo key for the registry: ${key}`,
    'try:',
    `curl -s ${address}/status`,
    `curl -s '${address}/cases?facets=primary_site&size=1&pretty=true'`,
    `curl -s '${address}/files?expand=cases&format=tsv&size=20' -o files.tsv`,
    `curl -s '${address}/data/${DEMO_DOWNLOADS.slice(0, 2).map(({ id }) => id)}?tarfile' -o counts.tar`,
    `curl -s -H 'Content-Type: application/json' -d '${JSON.stringify(expression)}' ${address}/gene_expression/values -o expression.tsv`,
    `curl -s '${address}/slicing/view/${open.id}?region=chr17:7661779-7687550' -o tp53.bam`,
    `curl -s -H 'X-Auth-Token: ${token}' -H 'Content-Type: application/json' -d '{"geneannot":["TP53"]}' ${address}/slicing/view/${controlled.id} -o controlled.bam`,
    `curl -s -H 'X-Auth-Token: ${token}' '${address}/submission/${DEMO_TRIAL.program}/${DEMO_TRIAL.code}/export?node_label=sample' -o samples.tsv`,
    `curl -s -H 'X-SEERAPI-Key: ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify(DEMO_CASE)}' ${address}/rest/staging/${DEMO_STAGING.algorithm}/${DEMO_STAGING.version}/stage`,
    `curl -s -H 'X-SEERAPI-Key: ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify(DEMO_TUMOURS)}' ${address}/rest/mph`,
    `curl -s -H 'X-SEERAPI-Key: ${key}' ${address}/rest/rx/latest/id/doxorubicin/regimens`,
    `curl -s -H 'X-SEERAPI-Key: ${key}' '${address}/rest/ndc?q=tresoplatin'`,
  ]
}
