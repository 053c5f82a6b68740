import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CommonsServer, startCommons } from '../clients/commons-server.ts'
import { makeFolder, md5sBelow, outcomesOf, runGet } from './get-command.ts'
import { idOf, madeBytes, md5Of } from './stub-server.ts'

// Tests the command with this project's server over HTTP.

const MIB = 1 << 20
const OPEN = [...Array.from({ length: 300 }, (_, i) => made(i, 1000 + i)), made(300, 40 * MIB + 1)]
const CONTROLLED = [made(301, 20 * MIB), made(302, 0), made(303, 77)]

function made(number: number, length: number) {
  const bytes = madeBytes(`served ${number}`, length)
  return { id: idOf(number), name: `served ${number}.bin`, bytes, md5: md5Of(bytes) }
}

const folder = makeFolder()
let server: CommonsServer

beforeAll(async () => {
  server = await startCommons({ scale: 'tiny' })
  const from = join(folder.path, 'from')
  mkdirSync(from)
  for (const { name, bytes } of [...OPEN, ...CONTROLLED]) writeFileSync(join(from, name), bytes)
  const open = { manifest: manifestOf('open', OPEN), from }
  const controlled = { manifest: manifestOf('controlled', CONTROLLED), from }
  await server.engine.commons.importFiles({ ...open, access: 'open' })
  await server.engine.commons.importFiles({
    ...controlled,
    access: 'controlled',
    projects: ['P-1'],
  })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  folder.remove()
})

function manifestOf(title: string, files: typeof OPEN): string {
  const path = join(folder.path, `${title}.txt`)
  const rows = files.map(({ id, name, md5, bytes }) => [id, name, md5, bytes.length].join('\t'))
  writeFileSync(path, `id\tfilename\tmd5\tsize\n${rows.join('\n')}\n`)
  return path
}

const below = (files: typeof OPEN) =>
  Object.fromEntries(files.map(({ id, name, md5 }) => [join(id, name), md5]))

test('files of a manifest come, large and small, and are there the next time', async () => {
  const target = join(folder.path, 'open')
  const args = ['--server', server.address, '-d', target, '-m', join(folder.path, 'open.txt')]
  expect(await runGet(args)).toMatchObject({
    status: 0,
    err: '301 downloaded, 0 already present, 0 failed\n',
  })
  expect(md5sBelow(target)).toEqual(below(OPEN))
  expect((await runGet(args)).err).toBe('0 downloaded, 301 already present, 0 failed\n')
})

test('controlled files come with a token of their project, else each is refused', async () => {
  const target = join(folder.path, 'controlled')
  const ids = CONTROLLED.map(({ id }) => id)
  const args = ['--server', `${server.address}/v0`, '-d', target, '--json', ...ids]
  const refused = await runGet(args)
  expect(refused.status).toBe(1)
  for (const { status, error } of outcomesOf(refused).values()) {
    expect([status, error]).toEqual(['failed', expect.stringContaining('answered 403: You don')])
  }
  const { secret } = await server.engine.shared.tokens.create({ user: 'ada', projects: ['P-1'] })
  expect(await runGet(args, { CASEMILL_TOKEN: secret })).toMatchObject({ status: 0 })
  expect(md5sBelow(target)).toEqual(below(CONTROLLED))
})
