import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listSources } from './source-file.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-sources-'))
  await writeFile(join(folder, 'file'), '')
})
afterAll(() => rm(folder, { recursive: true }))

test.each([
  ['none', 'give the path of one that is there'],
  ['file/below', 'a part of that path is a file; correct the path'],
])('a source %j that is not there is reported with what to do', async (name, advice) => {
  const path = join(folder, name)
  await expect(listSources([folder, path])).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringMatching(new RegExp(`^there is no file or folder "${path}".*${advice}$`)),
  })
})
