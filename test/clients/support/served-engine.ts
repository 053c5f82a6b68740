import type { Engine } from '../../../engine/index.ts'
import { readConfig } from '../../../server/config.ts'
import { startServer } from '../../../server/main.ts'
import { keptLog } from '../../commons/contract/fake-engine.ts'

/** A started engine behind HTTP. */
export interface ServedEngine {
  readonly address: string
  /** Log lines of warnings and errors. */
  readonly lines: readonly string[]
  /** Ends the server, then the engine. */
  close(): Promise<void>
}

/** Starts the server over an engine, in this process. */
export async function serveEngine(engine: Engine): Promise<ServedEngine> {
  await engine.start()
  const config = readConfig({ flags: { port: 0, logLevel: 'warn', drainSeconds: 0 } })
  const { lines, log } = keptLog(config)
  const status = { commit: 'c', tag: '0.1.0' }
  const server = await startServer({ engine, config, status, log })
  const close = async () => {
    await server.close()
    await engine.close()
  }
  return { address: server.address, lines, close }
}
