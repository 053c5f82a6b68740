import { demoBytes } from '../../../bin/demo-bytes.ts'
import { readStoredSettings } from '../../../bin/stored-settings.ts'
import { openEngine } from '../../../engine/index.ts'
import { demoKey, demoToken, makeDemo } from '../../../fixtures/demo.ts'
import { DEMO_FILES } from '../../../fixtures/demo-commons.ts'
import { ThreadPool } from '../../../workers/pool.ts'
import { startSqliteThread } from '../../../workers/sqlite-thread.ts'

// Creates the demo in the places that the environment names: `node prepare.ts FOLDER [ISSUER]`. Gives the
// issuer's group `readers` the controlled files. Prints a token for its
// controlled files and its project, a key of the registry, and a key that edits drugs and staging tables.

const [dataFolder = '', issuer] = process.argv.slice(2)
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
if (issuer !== undefined) {
  const group = { issuer, claim: 'groups', value: 'readers' }
  await engine.shared.accessMap.map(group, { projects: DEMO_FILES.map(({ project }) => project) })
}
await engine.close()
process.stdout.write(`${JSON.stringify({ token, key, editor })}\n`)
