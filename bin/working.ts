import { once } from 'node:events'
import { openEngine } from '../engine/index.ts'
import { type Config, objectStorage } from '../server/config.ts'
import { createLog } from '../server/http/log.ts'
import { startServer } from '../server/main.ts'
import { createWorkApp } from '../server/work-app.ts'
import { type PoolOptions, ThreadPool } from '../workers/pool.ts'
import { demoBytes } from './demo-bytes.ts'
import { limitHeaps } from './heaps.ts'
import { restrictFolder } from './private-files.ts'
import { statusFacts } from './serving.ts'
import type { Terminal } from './terminal.ts'

/** Settings of a process that only runs background tasks. */
interface Working {
  readonly config: Config
  readonly threads: number
  /** Kinds of tasks to run. */
  readonly kinds: readonly string[]
  readonly terminal: Terminal
}

/**
 * Runs background tasks until interrupted, and serves health and metrics. Several such processes can run beside
 * the servers of a data folder or database.
 */
export async function work({ config, threads, kinds, terminal }: Working): Promise<void> {
  limitHeaps()
  const log = createLog(config, terminal.err)
  for (const line of await restrictFolder(config.data, config.groupRead === true)) log.warn(line)
  const onThreadEnd: PoolOptions['onThreadEnd'] = (job, err) =>
    log.warn({ job, err }, 'a thread ended at a job; another one takes its place')
  const executor = new ThreadPool({ threads, onThreadEnd })
  try {
    const engine = await openEngine({
      dataFolder: config.data,
      executor,
      objects: objectStorage(config),
      makeBytes: demoBytes(),
      stateUrl: config.stateUrl ?? undefined,
      reserveBytes: config.reserveBytes,
      workKinds: kinds,
      onEvent: ({ level, message, fileId, cause }) => log[level]({ fileId, err: cause }, message),
    })
    try {
      const server = await startServer({
        engine,
        config,
        log,
        makeApp: createWorkApp,
        pools: { short: executor },
        status: await statusFacts(),
      })
      try {
        engine.startWork()
        await terminal.write(`working on ${kinds.join(', ')}; health at ${server.address}\n`)
        if (!terminal.signal.aborted) await once(terminal.signal, 'abort')
      } finally {
        await server.close()
      }
    } finally {
      await engine.close()
    }
  } finally {
    await executor.close()
  }
}
