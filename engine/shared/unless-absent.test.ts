import { mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NO_PATH, unlessAbsent } from './unless-absent.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-absent-'))
  await writeFile(join(folder, 'file'), 'text')
  await symlink('loop', join(folder, 'loop'))
})
afterAll(() => rm(folder, { recursive: true }))

test('what is there is given, what is not is undefined', async () => {
  expect(await unlessAbsent(readFile(join(folder, 'file'), 'utf8'))).toBe('text')
  expect(await unlessAbsent(readFile(join(folder, 'none')))).toBeUndefined()
  expect(await unlessAbsent(stat(join(folder, 'none', 'deeper')))).toBeUndefined()
})

test('a path through a file is absent only for who says so', async () => {
  const looking = () => stat(join(folder, 'file', 'deeper'))
  await expect(unlessAbsent(looking())).rejects.toMatchObject({ code: 'ENOTDIR' })
  expect(await unlessAbsent(looking(), NO_PATH)).toBeUndefined()
})

test('any other error of the look-up is thrown', async () => {
  for (const codes of [undefined, NO_PATH]) {
    await expect(unlessAbsent(stat(join(folder, 'loop')), codes)).rejects.toMatchObject({
      code: 'ELOOP',
    })
    await expect(unlessAbsent(readFile(folder), codes)).rejects.toMatchObject({ code: 'EISDIR' })
    await expect(unlessAbsent(Promise.reject(new Error('ENOENT')), codes)).rejects.toThrow()
  }
})
