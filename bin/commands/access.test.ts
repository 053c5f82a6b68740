import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../support/command.ts'

const ISSUER = 'https://login.example.org'
let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-access-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const access = (...words: string[]) => runCommand(['access', ...words, '--data', folder])
const readers = ['--issuer', ISSUER, '--claim', 'groups', '--value', 'readers']

test('what is mapped is listed, until it is unmapped', async () => {
  expect(
    await access('map', ...readers, '--project', 'P-1', '--project', 'P-2:create'),
  ).toMatchObject({
    status: 0,
    out: '',
    err: expect.stringContaining(`mapped: groups readers of ${ISSUER}`),
  })
  const more = ['--admin', '--registry', 'RX_EDITOR', 'NDC_EDITOR']
  expect(await access('map', ...readers, ...more)).toMatchObject({ status: 0 })
  const line = (...cells: string[]) => `${[ISSUER, 'groups', 'readers', ...cells].join('\t')}\n`
  const head = 'issuer\tclaim\tvalue\tright\tproject\troles\n'
  const project = line('project', 'P-1', 'download,read') + line('project', 'P-2', 'create')
  const registry = line('registry', '-', 'NDC_EDITOR,RX_EDITOR')
  const admin = line('admin', '-', '-')
  expect((await access('list')).out).toBe(head + admin + project + registry)
  expect(JSON.parse((await access('list', '--json')).out)).toHaveLength(6)

  await access('unmap', ...readers, '--project', 'P-2', '--admin')
  const first = line('project', 'P-1', 'download,read')
  expect((await access('list')).out).toBe(head + first + registry)
  await access('unmap', ...readers)
  expect((await access('list')).out).toBe(head)
  expect(await access('unmap', ...readers)).toMatchObject({
    status: 1,
    err: expect.stringContaining('has no such right'),
  })
})

test('the registry without roles is for reading', async () => {
  await access('map', ...readers, '--registry')
  expect((await access('list')).out).toContain('readers\tregistry\t-\t-\n')
  await access('unmap', ...readers, '--registry')
})

test('purposes are listed by their codes', async () => {
  await access('map', ...readers, '--purpose', 'hmb', '--purpose', 'IRB')
  expect((await access('list')).out).toContain('readers\tpurpose\t-\tDUO:0000006,DUO:0000021\n')
  await access('unmap', ...readers, '--purpose', 'HMB')
  expect((await access('list', '--json')).out).toBe('[]\n')
})

test.each([
  [['--purpose', 'research'], 'purpose "research" is unknown'],
  [['--project', 'P 1'], 'is not of the form ID or ID:role,role'],
  [['--project', 'P-1:boss'], 'role "boss" of project P-1 is unknown'],
  [['--registry', 'BOSS'], 'role "BOSS" is unknown'],
  [[], 'no right is given'],
])('%j is refused', async (words, message) => {
  const ended = await access('map', ...readers, ...words)
  expect(ended).toMatchObject({ status: 1, err: expect.stringContaining(message) })
  expect((await access('list', '--json')).out).toBe('[]\n')
})

test('an issuer is a URL, and a claim has no control characters', async () => {
  const mapped = (issuer: string, claim: string) =>
    access('map', '--issuer', issuer, '--claim', claim, '--value', 'x', '--admin')
  expect((await mapped('login.example.org', 'groups')).err).toContain('is no URL')
  expect((await mapped(ISSUER, 'a\tb')).err).toContain('the claim is not usable')
  expect((await mapped(ISSUER, '')).err).toContain('the claim is not usable')
})

test('what is revoked is listed, until it is restored', async () => {
  const ada = ['--issuer', ISSUER, '--subject', 'ada']
  const token = ['--issuer', ISSUER, '--token', 'token-1']
  await access('revoke', ...ada)
  await access('revoke', ...ada)
  await access('revoke', ...token)
  const listed = (await access('list', '--revoked')).out
  expect(listed).toMatch(
    /^issuer\tkind\tname\trevoked\n\S+\tsubject\tada\t\S+Z\n\S+\ttoken\ttoken-1\t\S+Z\n$/,
  )
  await access('restore', ...ada)
  expect((await access('list', '--revoked')).out).not.toContain('ada')
  expect(await access('restore', ...ada)).toMatchObject({
    status: 1,
    err: expect.stringContaining('this subject is not revoked'),
  })
  const neither = await access('revoke', '--issuer', ISSUER)
  expect(neither.err).toContain('give either --subject or --token')
  expect((await access('revoke', ...ada, '--token', 'x')).err).toContain('give either')
})
