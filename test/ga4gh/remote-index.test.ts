import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { inlineExecutor } from '../../engine/shared/executor.ts'
import { makeBam } from '../../fixtures/bam/make-bam.ts'
import type { RunningServer } from '../../server/main.ts'
import { available } from '../available.ts'
import { listenFor } from '../commons/contract/support/listen.ts'
import { openEngine } from '../places.ts'
import { runTool } from './support/tools.ts'

// Unchanged programs of htslib read a file by its address, and request the index at that address with an extension.

const REGIONS = ['chr1', 'chr1:1-20000000', 'chr2:1-100000000', '*']

describe.skipIf(!available.samtools)('samtools reads regions of a file by its address', () => {
  let folder = ''
  let cwd = ''
  let tokenFile = ''
  let engine: Awaited<ReturnType<typeof openEngine>>
  let server: RunningServer
  let path = ''
  let id = ''
  const local = (region: string) => runTool('samtools', ['view', path, region], { cwd: folder })

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'casemill-remote-'))
    path = join(folder, 'x.bam')
    await makeBam({ path, seed: 26, scale: 'tiny', style: 'htsjdk' })
    await runTool('samtools', ['index', '-c', path, `${path}.csi`], { cwd: folder })
    await rm(`${path}.bai`, { force: true })
    engine = await openEngine({ dataFolder: join(folder, 'data'), executor: inlineExecutor })
    id = (await engine.commons.importBam({ path, project: 'ALPHA-1' })).file.id
    server = await listenFor(engine)
    const made = await engine.shared.tokens.create({ user: 'paula', projects: ['ALPHA-1'] })
    tokenFile = join(folder, 'token')
    await writeFile(tokenFile, `${made.secret}\n`)
  })
  afterAll(async () => {
    await server?.close()
    await engine?.close()
    await rm(folder, { recursive: true, force: true })
  })
  beforeEach(async () => {
    cwd = await mkdtemp(join(folder, 'cwd-'))
  })

  test('with a token, region by region, as those of the file itself', async () => {
    for (const region of REGIONS) {
      const words = ['view', `${server.address}/data/${id}`, region]
      const remote = await runTool('samtools', words, { cwd, tokenFile })
      expect(remote.equals(await local(region)), region).toBe(true)
      expect(remote.length, region).toBeGreaterThan(0)
    }
    // The index that the tool has saved is of the imported kind.
    const index = await readFile(join(cwd, `${id}.csi`))
    expect(gunzipSync(index).toString('latin1', 0, 4)).toBe('CSI\x01')
  })

  test('without a token not at all', async () => {
    const words = ['view', `${server.address}/data/${id}`, 'chr1']
    await expect(runTool('samtools', words, { cwd })).rejects.toThrow(/Permission|Operation not/)
  })
})
