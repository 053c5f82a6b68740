import { demoBytes } from '../../../bin/demo-bytes.ts'
import { readStoredSettings } from '../../../bin/stored-settings.ts'
import { openEngine } from '../../../engine/index.ts'
import { demoKey, demoToken, makeDemo } from '../../../fixtures/demo.ts'
import { ThreadPool } from '../../../workers/pool.ts'
import { startSqliteThread } from '../../../workers/sqlite-thread.ts'

// Creates the demo in the places that the environment names: `node prepare.ts FOLDER`. Prints a token for its
// controlled files and its project, a key of the registry, and a key that edits drugs and staging tables.

const [dataFolder = ''] = process.argv.slice(2)
await using executor = {
  pool: new ThreadPool({ threads: 2 }),
  async [Symbol.asyncDispose]() {
    await this.pool.close()
  },
}
const engine = await openEngine({
  dataFolder,
  executor: executor.pool,
  startDatabaseThread: startSqliteThread,
  makeBytes: demoBytes(),
  ...readStoredSettings(),
})
await makeDemo(engine)
const [token, key] = [await demoToken(engine), await demoKey(engine)]
const { secret: editor } = await engine.shared.keys.create({
  roles: ['RX_EDITOR', 'STAGING_EDITOR'],
})
await engine.close()
process.stdout.write(`${JSON.stringify({ token, key, editor })}\n`)
