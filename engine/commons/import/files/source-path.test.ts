import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findSource } from './source-path.ts'

const ID = '4e9a2c1d-7b53-5a0e-8f46-0123456789ab'

let folder: string
let from: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-source-'))
  from = join(folder, 'from')
  await mkdir(join(from, ID), { recursive: true })
  await writeFile(join(folder, 'secret'), 'secret')
})
afterEach(() => rm(folder, { recursive: true }))

test('the folder of the id goes before the folder itself, and that before nothing', async () => {
  expect(await findSource(from, [ID], 'a')).toBeUndefined()
  await writeFile(join(from, 'a'), '')
  expect(await findSource(from, [ID], 'a')).toBe(join(from, 'a'))
  await writeFile(join(from, ID, 'a'), '')
  expect(await findSource(from, [ID], 'a')).toBe(join(from, ID, 'a'))
})

test('a link to a file is one, a folder is none', async () => {
  await symlink(join(folder, 'secret'), join(from, 'linked'))
  await symlink(join(folder, 'nothing'), join(from, 'broken'))
  expect(await findSource(from, [ID], 'linked')).toBe(join(from, 'linked'))
  expect(await findSource(from, [ID], 'broken')).toBeUndefined()
  expect(await findSource(from, [], ID)).toBeUndefined()
})

test.each([
  '..',
  '.',
  '',
  '../secret',
  '/etc/passwd',
  'a/../../secret',
  'x\u0000',
  'x'.repeat(256),
])('a name that is no plain file name finds nothing (%j)', async (name) => {
  await expect(findSource(from, [ID], name)).rejects.toMatchObject({ code: 'bad_input' })
})

test('names of any writing are found', async () => {
  for (const name of ['日本.txt', 'é'.repeat(127), '‮abc.bam', ' leading', 'a\u2028b', '%2e%2e']) {
    await writeFile(join(from, name), '')
    expect(await findSource(from, [ID], name)).toBe(join(from, name))
  }
})
