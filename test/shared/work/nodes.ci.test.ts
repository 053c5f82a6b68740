import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Engine, openEngine } from '../../../engine/index.ts'
import { type S3Server, startS3 } from '../../../engine/shared/blobs/support/s3-server.ts'
import { inlineExecutor } from '../../../engine/shared/index.ts'
import { makeBam } from '../../../fixtures/bam/make-bam.ts'
import { available } from '../../available.ts'
import { eventually } from '../../eventually.ts'
import { PostgresServer } from '../database/support/postgres.ts'

// Nodes with separate data folders, one database and one bucket.

describe.skipIf(!available.postgresql)('background work of several nodes', () => {
  let folder = ''
  let s3: S3Server
  const postgres = new PostgresServer()
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'casemill-nodes-'))
    await postgres.start()
    s3 = await startS3()
  })
  afterAll(async () => {
    await s3?.stop()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('a block directory is made once, by who is there for it, and used by all', async () => {
    const stateUrl = await postgres.url()
    const made: string[] = []
    const open = async (name: string, workKinds?: readonly string[]): Promise<Engine> => {
      const engine = await openEngine({
        dataFolder: join(folder, name),
        executor: inlineExecutor,
        objects: s3.options,
        stateUrl,
        workKinds,
        workTimes: { lookMilliseconds: 20 },
        onEvent: ({ message }) => {
          if (message === 'block directory made') made.push(name)
        },
      })
      onTestFinished(() => engine.close())
      await engine.commons.start()
      return engine
    }
    const [one, other] = [await open('one', []), await open('other', [])]
    const path = join(folder, 'a.bam')
    await makeBam({ path, seed: 5, scale: 'tiny', style: 'htslib' })
    const { file } = await one.commons.importBam({ path, access: 'open' })
    const { id } = file
    const isDirectory = (key: string) => key.endsWith(`${id}/blocks.directory`)
    const stored = (await s3.keys()).find(isDirectory) ?? ''
    await one.shared.objects?.remove({ id, name: 'blocks.directory' })
    expect(stored).not.toBe('')
    rmSync(join(folder, 'one/files', id), { recursive: true })

    const slice = async (engine: Engine) => {
      const bam = await engine.commons.slicing.open(id, undefined)
      await using slice = await bam.slice({ regions: [], genes: [] })
      const chunks: Buffer[] = []
      for await (const chunk of slice.body) chunks.push(Buffer.from(chunk))
      return Buffer.concat(chunks)
    }
    const before = await slice(one)
    expect((await slice(other)).equals(before)).toBe(true)
    await one.shared.work.idle()
    expect(await one.shared.work.list(10)).toHaveLength(1)
    const worker = await open('worker')
    worker.startWork()
    await eventually(async () => expect(await one.shared.work.list(10)).toEqual([]))
    expect((await s3.keys()).filter(isDirectory)).toEqual([stored])
    expect(made).toEqual(['worker'])

    // Both nodes notice, and fetch the file from the bucket.
    for (const engine of [one, other]) {
      await engine.shared.work.idle()
      expect((await slice(engine)).equals(before)).toBe(true)
    }
    await worker.shared.work.idle()
    expect(await one.shared.work.list(10)).toEqual([])
    expect(made).toEqual(['worker'])
  })
})
