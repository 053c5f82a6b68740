import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runProgram } from '../../bin/support/program.ts'
import { importCommons } from '../../engine/commons/index.ts'
import { openEngine } from '../../engine/index.ts'
import { type Issue, inlineExecutor } from '../../engine/shared/index.ts'
import { makeBam } from '../../fixtures/bam/make-bam.ts'

// Without settings nothing is open to the public, and the operator is warned if nobody could read the stored files.

const ID = '0a77ac00-0000-4000-8000-0000000000b1'

let folder = ''
let bam = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-default-'))
  bam = join(folder, 'x.bam')
  await makeBam({ path: bam, seed: 11, scale: 'tiny', style: 'htslib' })
})
afterAll(() => rm(folder, { recursive: true }))

const inEngine = async <T>(dataFolder: string, use: (engine: Engine) => Promise<T>) => {
  const engine = await openEngine({ dataFolder, executor: inlineExecutor })
  try {
    return await use(engine)
  } finally {
    await engine.close()
  }
}
type Engine = Awaited<ReturnType<typeof openEngine>>

test('import bam without a word closes the file, and says that nobody can read it', async () => {
  const data = join(folder, 'by-program')
  const run = (...args: string[]) => runProgram([...args, '--data', data])
  const made = await run('import', 'bam', bam, '--id', ID)
  expect(made).toMatchObject({ status: 0, out: `${ID}\n` })
  expect(made.err).toMatch(/warning: .*only administrators.* --project ID, or --access open/)
  const records = join(folder, 'files.json')
  await writeFile(records, '[{"file_id":"f1"}]')
  await inEngine(data, async (engine) => {
    const unauthenticated = { code: 'unauthenticated' }
    await expect(
      engine.commons.downloads.download({ ids: [ID], token: undefined }),
    ).rejects.toMatchObject(unauthenticated)
    await expect(engine.commons.slicing.open(ID, undefined)).rejects.toMatchObject(unauthenticated)
    await engine.commons.importBam({ path: bam, id: ID, access: 'open' })
    expect(await issuesOf(engine)).toEqual([])
    await importCommons({ sources: [records], dataFolder: data, executor: inlineExecutor })
    await engine.commons.importBam({ path: bam, project: 'P-1' })
    expect(await issuesOf(engine)).toEqual([expect.objectContaining({ subject: ID })])
  })
  // No record names the file, which may be intended, so it is listed without being an error.
  expect(await run('check')).toEqual({
    status: 0,
    signal: null,
    err: expect.stringMatching(/nothing is wrong, 1 note\n$/),
    out: expect.stringMatching(`^${ID}\tis open, and no record of the release speaks of it`),
  })
})

async function issuesOf(engine: Engine): Promise<Issue[]> {
  const issues: Issue[] = []
  for await (const issue of engine.check()) issues.push(issue)
  return issues
}

test('who is named as a project reads it, and what was stored as open stays so', async () => {
  await inEngine(join(folder, 'by-engine'), async (engine) => {
    const closed = await engine.commons.importBam({ path: bam, project: 'P-1' })
    expect(closed).toMatchObject({
      file: { access: 'controlled', acl: ['P-1'] },
      warnings: [],
    })
    const alone = await engine.commons.importBam({ path: bam, access: 'controlled' })
    expect(alone.warnings).toEqual([expect.stringContaining('only administrators')])
    expect((await engine.commons.importBam({ path: bam, access: 'open' })).warnings).toEqual([])
    const again = await engine.commons.importBam({ path: bam })
    expect(again).toMatchObject({ known: true, file: { access: 'open' }, warnings: [] })
  })
})

test('import files counts what administrators alone may read, with a record and without', async () => {
  await inEngine(join(folder, 'by-manifest'), async (engine) => {
    const manifest = join(folder, 'manifest.txt')
    await writeFile(manifest, `id\tfilename\tmd5\tsize\n${ID}\tempty\t${EMPTY_MD5}\t0\n`)
    await writeFile(join(folder, 'empty'), '')
    const given = { manifest, from: folder }
    expect(await engine.commons.importFiles(given)).toMatchObject({
      withoutRecord: 1,
      forAdministrators: 1,
    })
    const closed = await engine.commons.importFiles({ ...given, access: 'controlled' })
    expect(closed).toMatchObject({ withoutRecord: 1, forAdministrators: 1 })
    const named = await engine.commons.importFiles({ ...given, projects: ['P-1'] })
    expect(named).toMatchObject({ withoutRecord: 1, forAdministrators: 0 })
  })
})

const EMPTY_MD5 = 'd41d8cd98f00b204e9800998ecf8427e'
