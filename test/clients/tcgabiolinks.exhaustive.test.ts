import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openEngine } from '../../engine/index.ts'
import { makeDemo } from '../../fixtures/demo.ts'
import { DEMO_DOWNLOADS, textOf } from '../../fixtures/downloads.ts'
import { readConfig } from '../../server/config.ts'
import { startServer } from '../../server/main.ts'
import { ThreadPool } from '../../workers/pool.ts'
import { available } from '../available.ts'
import { keptLog } from '../commons/contract/fake-engine.ts'
import { md5Of } from '../commons/contract/support/download-records.ts'

// The R package itself (data-commons.md 8.3), as Debian's r-bioc-tcgabiolinks has it.

test.skipIf(!available.tcgabiolinks)(
  'TCGAbiolinks searches and downloads',
  { timeout: 600_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'casemill-r-'))
    const executor = new ThreadPool({ threads: 2 })
    const engine = await openEngine({ dataFolder: join(folder, 'data'), executor })
    try {
      await makeDemo(engine)
      await engine.start()
      const config = readConfig({ flags: { port: 0, logLevel: 'warn', drainSeconds: 0 } })
      const { lines, log } = keptLog(config)
      const status = { commit: 'c', tag: '0.1.0' }
      const server = await startServer({ engine, config, status, log })
      try {
        const told = await runScript(server.address, join(folder, 'got'), folder)
        expect(told.slice(0, 2)).toEqual([
          ['status', 'OK'],
          ['projects', '35'],
        ])
        const [, cases, named] = told[2] ?? []
        expect(Number(cases)).toBeGreaterThan(10)
        expect(named).toBe(cases)
        const wanted = DEMO_DOWNLOADS.filter(
          ({ access, id }) => access === 'open' && !id.endsWith('06'),
        )
        const files = wanted.map((file) => {
          const md5 = md5Of(Buffer.from(textOf(file)))
          return ['file', file.id, md5, md5]
        })
        expect(told.slice(3).toSorted()).toEqual(files.toSorted())
        expect(lines).toEqual([])
      } finally {
        await server.close()
      }
    } finally {
      await engine.close()
      await executor.close()
      await rm(folder, { recursive: true, force: true })
    }
  },
)

/** Lines that the script tells, by their cells. */
async function runScript(address: string, into: string, cwd: string): Promise<string[][]> {
  await mkdir(into)
  const script = join(import.meta.dirname, 'tcgabiolinks.R')
  // It unpacks archives where it runs.
  const { stdout } = await promisify(execFile)('Rscript', [script, address, into], { cwd })
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
}
