import { openEngine } from '../../../engine/index.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { objectStorage, readConfig } from '../../../server/config.ts'
import { createLog } from '../../../server/http/log.ts'
import { startServer } from '../../../server/main.ts'
import { startSqliteThread } from '../../../workers/sqlite-thread.ts'

// Serves a data folder until it is killed, and prints its address: `node serve-files.ts FOLDER`. The environment
// names database and bucket.

const [dataFolder = ''] = process.argv.slice(2)
const config = readConfig({
  environment: process.env,
  flags: { port: 0, logLevel: 'silent' },
})
const engine = await openEngine({
  dataFolder,
  executor: inlineExecutor,
  startDatabaseThread: startSqliteThread,
  stateUrl: config.stateUrl ?? undefined,
  objects: objectStorage(config),
})
await engine.start()
const status = { commit: 'test', tag: '0.0.0' }
const server = await startServer({ engine, config, status, log: createLog(config) })
process.stdout.write(`${server.address}\n`)
