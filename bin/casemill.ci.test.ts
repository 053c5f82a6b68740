import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sharedState } from '../engine/internal.ts'
import { statePath, takeFolder } from '../engine/shared/index.ts'
import { GeneModel, KeyStore, TokenStore } from '../engine/shared/internal.ts'
import { type Ended, runProgram, startProgram } from './support/program.ts'

const GENES = 'gene_id\tsymbol\tchr\tstart\tend\nG1\tTP53\tchr17\t7661779\t7687538\n'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-command-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const start = (args: readonly string[], data: string | undefined = folder) =>
  startProgram(args, { CASEMILL_DATA: data })

const run = (args: readonly string[], data: string | undefined = folder): Promise<Ended> =>
  runProgram(args, { CASEMILL_DATA: data })

const lines = (output: string) => output.trimEnd().split('\n')

test('token create prints the secret alone, explains on stderr, and the secret is good', async () => {
  const data = join(folder, 'new', 'data')
  const made = await run(
    ['token', 'create', '--user', 'ada', '--project', 'P-1', '--project', 'P-2:read,create'],
    data,
  )
  expect(made).toMatchObject({ status: 0 })
  expect(made.out).toMatch(/^[A-Za-z0-9_-]{60}\n$/)
  expect(made.err).toContain('of ada until')
  const secret = made.out.trim()
  expect(made.err).not.toContain(secret.slice(17))
  const state = sharedState({ dataFolder: data })
  const principal = await new TokenStore(state, () => new Date()).verify(secret)
  await state.close()
  expect(principal?.projects).toEqual(
    new Map([
      ['P-1', ['download', 'read']],
      ['P-2', ['create', 'read']],
    ]),
  )
  state.close()
})

test('token create sets --admin, --no-admin and --expires, and leaves what is not given', async () => {
  await run(['token', 'create', '--user', 'ada', '--admin', '--expires', '2'])
  await run(['token', 'create', '--user', 'ada'])
  const list = async () => JSON.parse((await run(['token', 'list', '--json'])).out)
  const [short, long] = await list()
  expect([short.admin, long.admin]).toEqual([true, true])
  const days = (token: { createdAt: string; expiresAt: string }) =>
    (Date.parse(token.expiresAt) - Date.parse(token.createdAt)) / 86_400_000
  expect([days(short), days(long)]).toEqual([2, 30])
  await run(['token', 'create', '--user', 'ada', '--no-admin'])
  expect(await list()).toMatchObject([{ admin: false }, { admin: false }, { admin: false }])
})

test('a folder that is served is served by no other, and commands work beside', async () => {
  const giveBack = takeFolder(folder)
  const refused = await run(['serve', '--port', '0', '--threads', '1'])
  expect(refused).toMatchObject({ status: 1, out: '' })
  expect(refused.err).toContain(`data folder "${folder}" is served by another casemill; stop that`)
  expect(await run(['token', 'create', '--user', 'ada'])).toMatchObject({ status: 0 })
  giveBack()
})

test('an address of another machine, and a file in place of the folder, are reported', async () => {
  // An address that belongs to no machine (RFC 5737).
  const other = await run(['serve', '--port', '0', '--host', '192.0.2.1', '--threads', '1'])
  expect(other).toMatchObject({ status: 1, out: '' })
  expect(other.err).toContain(
    'the address 192.0.2.1:0 is none of this machine; choose another host',
  )
  const file = join(folder, 'file')
  writeFileSync(file, '')
  expect(await run(['token', 'create', '--user', 'ada'], file)).toMatchObject({
    status: 1,
    err: expect.stringContaining(`the file or folder "${file}" is there already; give another`),
  })
})

test('token list is tab-separated for a program, without secrets; revoke shows in it', async () => {
  const secret = (await run(['token', 'create', '--user', 'ada', '--project', 'P-1'])).out.trim()
  const id = secret.slice(0, 16)
  const before = await run(['token', 'list'])
  expect(lines(before.out).map((line) => line.split('\t').length)).toEqual([7, 7])
  expect(lines(before.out)[1]?.split('\t')).toMatchObject(
    [id, 'ada', /Z$/, /Z$/, '-', 'no', 'P-1'].map((cell) =>
      cell instanceof RegExp ? expect.stringMatching(cell) : cell,
    ),
  )
  expect(before.out).not.toContain(secret.slice(17))
  expect(await run(['token', 'revoke', id])).toMatchObject({ status: 0, out: '' })
  const after = await run(['token', 'list'])
  expect(lines(after.out)[1]?.split('\t')[4]).toMatch(/Z$/)
})

test('key create prints the secret alone, explains on stderr, and the key is good', async () => {
  const made = await run(['key', 'create', '--role', 'RX_EDITOR', 'STAGING_ADMIN', '--user', 'ada'])
  expect(made).toMatchObject({ status: 0 })
  expect(made.out).toMatch(/^[A-Za-z0-9_-]{32,}\n$/)
  const secret = made.out.trim()
  expect(made.err).toContain('of ada, roles: STAGING_ADMIN RX_EDITOR\n')
  expect(made.err).not.toContain(secret.slice(17))
  const state = sharedState({ dataFolder: folder })
  const keys = new KeyStore(state, () => new Date())
  expect((await keys.verify(secret))?.roles).toEqual(new Set(['STAGING_ADMIN', 'RX_EDITOR']))
  expect(await run(['key', 'revoke', secret.slice(0, 16)])).toMatchObject({ status: 0, out: '' })
  expect(await keys.verify(secret)).toBeUndefined()
  await state.close()
})

test('key list shows who may do what without secrets; a key without role is a reader', async () => {
  const secret = (await run(['key', 'create'])).out.trim()
  const id = secret.slice(0, 16)
  await run(['key', 'create', '--role', 'ADMIN', '--user', 'ada'])
  const { out } = await run(['key', 'list'])
  const cells = lines(out).map((line) => line.split('\t'))
  expect(cells[0]).toEqual(['id', 'user', 'created', 'revoked', 'roles'])
  const rows = cells.slice(1).sort((a, b) => Number(a[1] === 'ada') - Number(b[1] === 'ada'))
  expect(rows).toMatchObject([
    [id, id, expect.stringMatching(/Z$/), '-', '-'],
    [expect.any(String), 'ada', expect.stringMatching(/Z$/), '-', 'ADMIN'],
  ])
  expect(out).not.toContain(secret.slice(17))
  const listed = JSON.parse((await run(['key', 'list', '--json'])).out)
  expect(listed).toHaveLength(2)
})

test('an unknown role is refused with the list, and makes no key', async () => {
  const refused = await run(['key', 'create', '--role', 'BOSS'])
  expect(refused).toMatchObject({ status: 1, out: '' })
  expect(refused.err).toContain('"BOSS" is unknown; use one of ADMIN, STAGING_ADMIN, ')
  expect(lines((await run(['key', 'list'])).out)).toHaveLength(1)
})

test('a failure prints one line to stderr and ends with status 1', async () => {
  expect(await run(['token', 'list'], join(folder, 'mistyped'))).toEqual({
    status: 1,
    signal: null,
    out: '',
    err: `casemill: no casemill data in "${join(folder, 'mistyped')}"; name its folder with --data\n`,
  })
  expect(existsSync(join(folder, 'mistyped'))).toBe(false)
  await run(['token', 'create', '--user', 'ada'])
  expect(await run(['token', 'revoke', 'nothing'])).toMatchObject({
    status: 1,
    err: expect.stringMatching(/^casemill: no token has [^\n]+\n$/),
  })
})

test.each([
  [['token', 'create'], "casemill: required option '--user <name>' not specified\n"],
  [['token', 'create', '--user', 'a', '--expires', 'soon'], /^casemill: option [^\n]+ days\.\n$/],
  [['token', 'revoke'], "casemill: missing required argument 'id'\n"],
  [['token', 'list', 'more'], /^casemill: too many arguments[^\n]+\n$/],
  [['tokens'], /^casemill: unknown command 'tokens'[^\n]+\n$/],
  [['token', 'list', '--jsn'], /^casemill: unknown option '--jsn'[^\n]+\n$/],
  [['token'], /Usage: casemill token/],
  [[], /Usage: casemill /],
])('wrong usage is status 2 (%j)', async (args, err) => {
  const ended = await run(args)
  expect(ended).toMatchObject({ status: 2, out: '' })
  expect(ended.err).toEqual(typeof err === 'string' ? err : expect.stringMatching(err))
})

test('no data folder is wrong usage; --data is taken anywhere and wins over the environment', async () => {
  expect(await run(['token', 'list'], '')).toMatchObject({
    status: 2,
    err: 'casemill: no data folder given; use --data DIR or set CASEMILL_DATA\n',
  })
  const one = join(folder, 'one')
  expect(await run(['token', 'create', '--user', 'a', '--data', one])).toMatchObject({ status: 0 })
  expect(existsSync(statePath(one))).toBe(true)
  expect(await run(['--data', one, 'token', 'list'])).toMatchObject({ status: 0 })
  expect(existsSync(statePath(folder))).toBe(false)
})

test('help and the version of package.json go to stdout with status 0', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  expect(await run(['--version'])).toEqual({
    status: 0,
    signal: null,
    out: `${version}\n`,
    err: '',
  })
  const help = await run(['token', 'create', '--help'])
  expect(help).toMatchObject({ status: 0, err: '' })
  expect(help.out).toContain('CASEMILL_DATA')
})

test('import genes replaces the model, and a bad table leaves it', async () => {
  const table = join(folder, 'genes.tsv')
  writeFileSync(table, GENES)
  expect(await run(['import', 'genes', table])).toEqual({
    status: 0,
    signal: null,
    out: '1 genes from genes.tsv\n',
    err: '',
  })
  writeFileSync(table, GENES.replace('7661779', 'x'))
  expect(await run(['import', 'genes', table])).toMatchObject({
    status: 1,
    err: expect.stringMatching(
      /^casemill: gene table "genes.tsv", line 2, column start: "x" [^\n]+\n$/,
    ),
  })
  writeFileSync(table, GENES.slice(0, GENES.indexOf('\n') + 1))
  expect(await run(['import', 'genes', table])).toMatchObject({ status: 1 })
  expect(await run(['import', 'genes', folder])).toMatchObject({
    status: 1,
    err: expect.stringMatching(
      /^casemill: the file or folder "[^\n]+" is a folder; give the path of a file\n$/,
    ),
  })
  const state = sharedState({ dataFolder: folder })
  expect((await new GeneModel(state).bySymbols(['TP53'])).get('TP53')).toHaveLength(1)
  await state.close()
})

test('import files stores the files that match the manifest, and reports the others with status 1', async () => {
  const from = join(folder, 'from')
  mkdirSync(from)
  const [good, bad] = [
    '00000000-0000-4000-8000-000000000001',
    '00000000-0000-4000-8000-000000000002',
  ]
  writeFileSync(join(from, 'good.txt'), 'good')
  writeFileSync(join(from, 'bad.txt'), 'bad')
  const md5 = createHash('md5').update('good').digest('hex')
  const manifest = join(folder, 'manifest.txt')
  const header = 'id\tfilename\tmd5\tsize\tstate\n'
  writeFileSync(manifest, `${header}${good}\tgood.txt\t${md5}\t4\treleased\n`)
  const args = [
    'import',
    'files',
    '--manifest',
    manifest,
    '--from',
    from,
    '--project',
    'P-1',
    'P-2',
  ]
  expect(await run(args)).toMatchObject({
    status: 0,
    out: '',
    err: expect.stringMatching(/^stored 1 files [^\n]+\n[^\n]+\n$/),
  })
  writeFileSync(manifest, `${readFileSync(manifest, 'utf8')}${bad}\tbad.txt\t${md5}\t3\treleased\n`)
  const ended = await run(args)
  expect(ended).toMatchObject({
    status: 1,
    out: expect.stringMatching(new RegExp(`^${bad}\tmd5 is [^\n]+\n$`)),
    err: expect.stringContaining('1 were already stored'),
  })
  expect(await run(['check'])).toMatchObject({ status: 0, out: '' })
  const state = new DatabaseSync(statePath(folder))
  expect(state.prepare('SELECT id, acl FROM files').all()).toMatchObject([
    { id: good, acl: '["P-1","P-2"]' },
  ])
  state.close()
  expect(await run(['import', 'files', '--from', from])).toMatchObject({ status: 2 })
})

test('a reader that is gone ends the command quietly', async () => {
  const child = start(['--help'])
  child.stdout.destroy()
  const [err, [status]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  expect({ err, status }).toEqual({ err: '', status: 1 })
})

test('notification add prints its id, list shows it, remove ends it', async () => {
  const added = await run([
    ...['notification', 'add', '--level', 'warning', '--component', 'PORTAL', '--component', 'api'],
    ...['--until', '2999-12-31', '--no-dismissible', 'Closed on Sunday'],
  ])
  expect(added).toMatchObject({ status: 0, out: '1\n' })
  const [header = '', row = ''] = lines((await run(['notification', 'list'])).out)
  expect(header).toBe('id\tlevel\tcomponents\tstart\tend\tdismissible\tmessage')
  expect(row).toMatch(
    /^1\tWARNING\tPORTAL API\t\S+\t3000-01-01T00:00:00.000Z\tno\tClosed on Sunday$/,
  )
  const listed = JSON.parse((await run(['notification', 'list', '--json'])).out)
  expect(listed).toMatchObject([{ id: 1, components: ['PORTAL', 'API'], dismissible: false }])
  expect(await run(['notification', 'remove', '1'])).toMatchObject({ status: 0, out: '' })
  expect(await run(['notification', 'remove', '1'])).toMatchObject({ status: 1 })
  expect((await run(['notification', 'list'])).out.trimEnd()).toBe(header)
})

test('a notification that cannot be is refused with what would be accepted', async () => {
  const level = await run(['notification', 'add', '--level', 'X', '--component', 'PORTAL', 'hello'])
  expect(level.status).toBe(1)
  expect(level.err).toContain('use one of INFO, WARNING, ERROR, DEBUG')
  const component = await run(['notification', 'add', '--level', 'INFO', 'hello'])
  expect(component.status).not.toBe(0)
  expect(component.err).toContain('--component')
})
