import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runProgram } from '../../../../bin/support/program.ts'
import { type Engine, openEngine } from '../../../../engine/index.ts'
import { inlineExecutor } from '../../../../engine/shared/index.ts'
import {
  addFile,
  fileStateOf,
  md5Of,
  registerProject,
  someBytes,
} from '../../../submission/support/file-service.ts'
import { AS_ADMIN } from '../../../submission/support/service.ts'
import type { StateBed } from './state-bed.ts'

/** Tests of two servers with separate data folders and one database. */
export function serverTests(bed: StateBed): void {
  async function openTwo(): Promise<readonly [Engine, Engine]> {
    const folder = mkdtempSync(join(tmpdir(), 'casemill-servers-'))
    const { stateUrl } = bed.place
    const open = async (name: string) => {
      const engine = await openEngine({
        dataFolder: join(folder, name),
        executor: inlineExecutor,
        stateUrl,
      })
      await engine.start()
      return engine
    }
    await mkdir(join(folder, 'files'))
    for (const name of ['one', 'other']) {
      await mkdir(join(folder, name))
      // The servers share bytes in a folder, as they could in object storage.
      symlinkSync(join(folder, 'files'), join(folder, name, 'files'))
    }
    const engines = [await open('one'), await open('other')] as const
    onTestFinished(async () => {
      for (const engine of engines) await engine.close()
      rmSync(folder, { recursive: true })
    })
    return engines
  }

  const command = (...words: string[]) =>
    runProgram(words, { CASEMILL_STATE_URL: bed.place.stateUrl, CASEMILL_DATA: undefined })

  test('tokens, keys, genes and notifications of one are those of the other', async () => {
    const [one, other] = await openTwo()
    const token = await one.shared.tokens.create({ user: 'ada', projects: ['P-1:read'] })
    expect(await other.shared.tokens.verify(token.secret)).toEqual({
      user: 'ada',
      admin: false,
      projects: new Map([['P-1', ['read']]]),
      credential: { kind: 'token', id: token.id },
    })
    const key = await other.shared.keys.create({ roles: ['ADMIN'] })
    expect((await one.shared.keys.verify(key.secret))?.roles).toEqual(new Set(['ADMIN']))
    await other.shared.tokens.revoke(token.id)
    await one.shared.keys.revoke(key.id)
    for (const engine of [one, other]) {
      expect(await engine.shared.tokens.verify(token.secret)).toBeUndefined()
      expect(await engine.shared.keys.verify(key.secret)).toBeUndefined()
    }
    const span = { chromosome: 'chr1', start: 10, end: 20 }
    await one.shared.genes.replaceAll([
      { ...span, geneId: 'G', symbol: 'A', name: null, biotype: null, strand: null },
    ])
    expect(await other.shared.genes.bySymbols(['A', 'B'])).toEqual(
      new Map([['A', [{ ...span, geneId: 'G', symbol: 'A' }]]]),
    )
    await other.shared.notifications.add({ level: 'INFO', components: ['API'], message: 'Hello' })
    expect(await one.shared.notifications.active()).toMatchObject([{ message: 'Hello' }])
  })

  test('a file that is uploaded by one is handed out by the other', async () => {
    const [one, other] = await openTwo()
    await registerProject(one.submission.transactions)
    const bytes = someBytes(100_000)
    const id = await addFile(one.submission.database, { name: 'reads.fastq', bytes })
    const at = { ...AS_ADMIN, program: 'GDC', project: 'MISC', path: '', id }
    async function* body() {
      yield bytes
    }
    await one.submission.files.upload(at, { chunks: body() })
    await expect.poll(() => fileStateOf(other.submission.database, id)).toBe('validated')
    expect(await other.shared.files.find(id)).toMatchObject({
      size: bytes.length,
      md5: md5Of(bytes),
    })
    const { secret } = await one.shared.tokens.create({
      user: 'eva',
      projects: ['GDC-MISC:download'],
    })
    await expect(other.commons.downloads.download({ ids: [id], token: undefined })).rejects.toThrow(
      expect.objectContaining({ code: 'not_found' }),
    )
    const download = await other.commons.downloads.download({ ids: [id], token: secret })
    await using opened = await download.open()
    const chunks: Buffer[] = []
    for await (const chunk of opened.body) chunks.push(Buffer.from(chunk))
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true)
  })

  test('commands work on the database that servers share, without a data folder', async () => {
    const [one] = await openTwo()
    const made = await command('token', 'create', '--user', 'ada', '--admin')
    expect(made).toMatchObject({ status: 0 })
    const secret = made.out.trim()
    expect(await one.shared.tokens.verify(secret)).toMatchObject({ user: 'ada', admin: true })
    expect(await command('token', 'revoke', secret.slice(0, 16))).toMatchObject({ status: 0 })
    await expect.poll(() => one.shared.tokens.verify(secret)).toBeUndefined()
  })
}
