import { once } from 'node:events'
import { type Engine, openEngine } from '../engine/index.ts'
import pkg from '../package.json' with { type: 'json' }
import type { StatusFacts } from '../server/commons/system.ts'
import {
  auditOf,
  type Config,
  jwtRulesOf,
  loginOf,
  objectStorage,
  presigningOf,
} from '../server/config.ts'
import { createLog } from '../server/http/log.ts'
import { startServer } from '../server/main.ts'
import { openExplorer } from '../server/web/explorer.ts'
import { makeKernels } from '../workers/kernels.ts'
import { boundedThread, longThreads } from '../workers/lazy-pool.ts'
import { type PoolOptions, ThreadPool } from '../workers/pool.ts'
import { startSqliteThread } from '../workers/sqlite-thread.ts'
import { checkoutCommit } from './commit.ts'
import { demoBytes } from './demo-bytes.ts'
import { explorerFolder } from './explorer.ts'
import { limitHeaps } from './heaps.ts'
import { restrictFolder } from './private-files.ts'
import { shareOfConfig, shareOfLimits } from './process-share.ts'
import { fetchDocument } from './remote/issuer-documents.ts'
import { remoteFiles } from './remote/remote-files.ts'
import { takeServedFolder } from './served-folder.ts'
import { Siblings } from './siblings.ts'
import type { Terminal } from './terminal.ts'

/** Options of `serve`. */
interface Serving {
  readonly config: Config
  /** Number of worker threads of this process. */
  readonly threads: number
  readonly isDemo: boolean
  readonly terminal: Terminal
}

/**
 * Serves a data folder until interrupted. Creates the demo first if requested. If there are several processes,
 * all except the primary run this.
 */
export async function serve(serving: Serving): Promise<void> {
  const { processes } = serving.config
  if (processes === 1) return serveBeside(serving)
  const siblings = new Siblings(processes)
  try {
    await serveBeside(serving, siblings)
  } finally {
    siblings.leave()
  }
}

async function serveBeside(
  { config, threads, isDemo, terminal }: Serving,
  siblings?: Siblings,
): Promise<void> {
  const failing = new AbortController()
  const signals = [terminal.signal, failing.signal, ...(siblings ? [siblings.stopping] : [])]
  const signal = AbortSignal.any(signals)
  limitHeaps()
  // The log goes to standard error, because standard output is for people.
  const log = siblings
    ? createLog(config, terminal.err).child({ process: siblings.id })
    : createLog(config, terminal.err)
  // Servers with the same PostgreSQL database may share a data folder.
  for (const line of await restrictFolder(config.data, config.groupRead === true)) log.warn(line)
  // If there are several processes, the primary holds the lock.
  const isMine = config.stateUrl === null && !siblings
  const giveBack = isMine ? await takeServedFolder(config.data) : () => {}
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
      presigning: presigningOf(config),
      sessionTimes: loginOf(config)?.sessionTimes,
      makeBytes: demoBytes(),
      dictionaryFolder: config.dictionary ?? undefined,
      algorithmTable: config.algorithmTable ?? undefined,
      editRules: config.editRules ?? undefined,
      stateUrl: config.stateUrl ?? undefined,
      stateMigrates: config.stateMigrate ?? undefined,
      reserveBytes: config.reserveBytes,
      addresses: remoteFiles(config.remoteHosts),
      jwt: jwtRulesOf(config, fetchDocument),
      audit: auditOf(config),
      enforcesConsent: config.consent === 'enforced',
      startDatabaseThread: startSqliteThread,
      workKinds: config.work === 0 ? [] : undefined,
      scrubBytesPerSecond: config.scrubBytesPerSecond,
      limits: {
        expressionCells: config.expressionCells,
        expressionMemoryBytes: config.expressionMemoryBytes,
        ...shareOfLimits(config.processes),
      },
      onEvent: ({ level, message, fileId, cause }) => log[level]({ fileId, err: cause }, message),
    })
    try {
      const demo = isDemo ? await import('./demo.ts') : undefined
      const greets = siblings?.isFirst ?? true
      if (greets) await demo?.completeDemo(engine, signal, terminal)
      await engine.start()
      // Runs while requests are answered. A failure means that threads cannot start, so the service stops.
      engine.commons.warm().catch((cause: unknown) => failing.abort(cause))
      makeKernels(signal).catch((cause: unknown) => {
        if (!signal.aborted) log.warn({ err: cause }, 'a kernel cannot be compiled; work is slower')
      })
      const explorer = explorerFolder(signal)
        .then(openExplorer)
        .catch((cause: unknown) => {
          if (!signal.aborted) log.warn({ err: cause }, 'the explorer cannot be made; / is plain')
          return undefined
        })
      const server = await startServer({
        engine,
        config: shareOfConfig(config),
        status: await statusFacts(),
        log,
        siblings,
        explorer: () => explorer,
        pools: { short: executor, long: longExecutor, bounded: boundedExecutor },
      })
      try {
        const { address } = server
        if (greets) {
          const lines = await welcome(engine, address)
          lines.push(...((await demo?.toTry(engine, address)) ?? []))
          await terminal.write(`${lines.join('\n')}\n`)
        }
        siblings?.join(() => server.metrics.values())
        if (!signal.aborted) await once(signal, 'abort')
      } finally {
        await server.close()
      }
      failing.signal.throwIfAborted()
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

/** Returns the running version. */
export async function statusFacts(): Promise<StatusFacts> {
  return { commit: (await checkoutCommit()) ?? pkg.version, tag: pkg.version }
}

async function welcome(engine: Engine, address: string): Promise<string[]> {
  const { files, bytes, alignments } = await engine.shared.files.totals()
  const facts = engine.commons.releaseFacts()
  const { problems } = engine.commons.releaseHealth()
  const none = problems.length > 0 ? 'damaged' : 'none; make one with casemill import commons'
  return [
    `casemill ${pkg.version} at ${address} (API page: ${address}/docs)`,
    facts ? `release: ${facts.dataRelease} of ${facts.version.releaseDate}` : `release: ${none}`,
    ...problems.map((problem) => `warning: ${problem}`),
    `stored: ${files} files, ${alignments} of them alignments (${(bytes / 1e6).toFixed(1)} MB), ${await engine.shared.genes.count()} genes`,
  ]
}
