import { afterAll, beforeAll, expect, test } from 'vitest'
import { caseOf } from './support/documents.ts'
import { ServedSubmission } from './support/served.ts'
import { idOf, MadeSubmission } from './support/service.ts'

const P = '/submission/GDC/INTERNAL'

let made: MadeSubmission
let served: ServedSubmission
beforeAll(async () => {
  made = await MadeSubmission.open()
  served = new ServedSubmission(made.submission, { bodyBytes: 10_000 })
  await made.register('GDC-INTERNAL')
  for (const role of ['read', 'create', 'update', 'delete', 'release', 'download', '_member_']) {
    served.know(role, { 'GDC-INTERNAL': [role] })
  }
  served.know('elsewhere', {
    'GDC-OTHER': ['read', 'create', 'update', 'delete', 'release'],
  })
  served.know('owner', { 'GDC-INTERNAL': ['admin'], 'GDC-NEW': ['admin'] })
})
afterAll(() => made.close())

const ID = idOf('some')
const OWN: readonly (readonly [method: string, path: string, ...roles: string[]])[] = [
  ['POST', P, 'create'],
  ['PUT', P, 'create', 'update'],
  ['PATCH', `${P}/_dry_run`, 'update'],
  ['GET', `${P}/entities/${ID}`, 'read'],
  ['DELETE', `${P}/entities/${ID}`, 'delete'],
  ['DELETE', `${P}/entities/_dry_run/${ID}`, 'delete'],
  ['POST', `${P}/transactions/999/commit`, 'create', 'update', 'delete', 'release'],
  ['PUT', `${P}/transactions/999/close`, 'update'],
  ['POST', `${P}/open`, 'release'],
  ['PUT', `${P}/review/_dry_run`, 'release'],
  ['POST', `${P}/submit`, 'release'],
  ['POST', `${P}/release/_dry_run`, 'release'],
  ['DELETE', P, 'admin'],
]

test('nobody without a good token gets anything but the dictionary', async () => {
  const all = [...OWN, ['GET', '/submission'], ['PUT', '/submission'], ['GET', '/submission/GDC']]
  all.push(['PUT', '/submission/GDC'], ['DELETE', '/submission/GDC'])
  for (const [method = '', path = ''] of all) {
    for (const as of [null, 'garbage', 'ÿ']) {
      const { status, body } = await served.ask(method, path, { as })
      expect([method, path, status]).toEqual([method, path, 403])
      const told = as === null ? /Please specify a X-Auth-Token/ : /invalid or expired/
      expect(body.message).toMatch(told)
      expect(body.error).toBe(body.message)
    }
  }
  for (const path of ['_dictionary', '_dictionary/case', 'template/case', 'templates/case']) {
    for (const at of ['/submission', P, '/v0/submission/gdc/internal']) {
      expect((await served.ask('GET', `${at}/${path}/`, { as: null })).status).toBe(200)
    }
  }
  const { body } = await served.ask('GET', '/v0/submission/gdc/internal/_dictionary')
  expect(body.links).toContain('/v0/submission/gdc/internal/_dictionary/_all')
})

test('a token without the role in that very project is refused what needs it', async () => {
  for (const [method, path, ...roles] of OWN) {
    const needed = path.endsWith('commit') ? [] : roles
    for (const as of ['read', 'create', 'update', 'delete', 'release', 'download', 'elsewhere']) {
      const { status, body } = await served.ask(method, path, {
        as,
        ...(method !== 'GET' && { body: 'x' }),
      })
      const mayPass = path.endsWith('commit')
        ? roles.includes(as)
        : needed.length === 1 && needed[0] === as
      if (as === 'elsewhere') {
        expect([method, path, status, body.error]).toEqual([
          ...[method, path, 404, 'Project INTERNAL not found'],
        ])
        continue
      }
      expect([method, path, as, status === 403]).toEqual([method, path, as, !mayPass])
      if (mayPass) continue
      expect(body.error).toMatch(
        /^You don't have access to the data: You don't have \w+ role to do/,
      )
    }
  }
  const program = { type: 'program', name: 'X', dbgap_accession_number: 'x' }
  const project = { code: 'NEW', dbgap_accession_number: 'x' }
  const put = async (as: string, path: string, body: object) =>
    (await served.ask('PUT', path, { as, body })).status
  expect(await put('owner', '/submission', program)).toBe(403)
  expect(await put('read', '/submission/GDC', project)).toBe(403)
  expect(await put('owner', '/submission/GDC', { ...project, code: 'NEWER' })).toBe(403)
  expect(await put('owner', '/submission/GDC', project)).toBe(200)
  expect((await served.ask('DELETE', '/submission/GDC/NEW', { as: 'owner' })).status).toBe(204)
})

test('programs and projects are found in other letters; unknown ones are 404 before roles', async () => {
  for (const path of ['/submission/gdc/internal', '/v0/submission/GDC/Internal/']) {
    const { status, body } = await served.ask('PUT', path, { body: '[]' })
    expect([status, body.transactional_errors]).toEqual([400, [{ message: 'Nothing to submit' }]])
  }
  for (const [method, path] of OWN) {
    for (const [names, message] of [
      ['NO/INTERNAL', 'Program NO not found'],
      ['GDC/NO', 'Project NO not found'],
      ['GDC/%00', 'U+0000'],
      ['GDC-INTERNAL/GDC-INTERNAL', 'Program GDC-INTERNAL not found'],
    ] as const) {
      const elsewhere = path.replace('GDC/INTERNAL', names)
      const { status, body } = await served.ask(method, elsewhere, { as: 'owner' })
      expect([method, elsewhere, status]).toEqual([
        ...[method, elsewhere],
        names.includes('%') ? 400 : 404,
      ])
      expect(body.error).toBe(body.message)
      expect(body.error).toContain(message)
    }
  }
  const { status, body } = await served.ask('GET', '/submission/NO')
  expect([status, body.error]).toEqual([404, 'program NO not found'])
})

test('a word of the interface is no program, and every other method is 405', async () => {
  const document = JSON.parse((await served.ask('GET', '/openapi.json')).text) as {
    readonly paths: Readonly<Record<string, object>>
  }
  const paths = Object.entries(document.paths).filter(([path]) => path.startsWith('/submission'))
  expect(paths.length).toBeGreaterThan(25)
  for (const [path, item] of paths) {
    const filled = path
      .replace('{program}', 'GDC')
      .replace('{project}', 'INTERNAL')
      .replace(/\{(entry|type)\}/, 'case')
      .replace(/\{\w+\}/, '1')
    const known = Object.keys(item).map((method) => method.toUpperCase())
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      if (known.includes(method)) continue
      const { status, body, headers } = await served.ask(method, `${filled}/`)
      expect([method, filled, status]).toEqual([method, filled, 405])
      expect(headers.get('allow')?.split(', ')).toEqual(expect.arrayContaining(known))
      expect(body.error).toBe(body.message)
    }
    const asked = await served.ask('OPTIONS', filled, { as: null })
    expect([filled, asked.status]).toEqual([filled, 204])
  }
  for (const path of ['admin', 'admin/x', 'graphql/x', 'validation/x', 'getschema/x/_dry_run']) {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { status, body } = await served.ask(method, `/submission/${path}`)
      expect([method, path, status]).toEqual([method, path, 404])
      expect(body.error).toMatch(/^there is nothing at this path/)
    }
  }
})

test('a body that cannot be read makes no transaction', async () => {
  const count = async () => {
    const sql = 'SELECT last FROM submission_counter'
    return made.database.read((rows) => rows.all(sql))
  }
  const before = await count()
  const tab = { type: 'text/tsv' }
  for (const [body, sent, message] of [
    ['{', {}, /^Unable to parse json: /],
    ['', {}, /^Unable to parse json: /],
    ['3', {}, /^JSON parsed from request is an invalid type: number$/],
    ['{"a":1,"a":2}', {}, /^The document contains duplicate keys: a$/],
    [Uint8Array.of(0x22, 0xff, 0x22), {}, /UTF-8/],
    ['type\tsubmitter_id\tC', tab, /no line breaks/],
    ['type\ttype\ncase\tcase', tab, /type/],
    ['.x\ny', { type: 'text/csv' }, /Invalid link name/],
  ] as const) {
    const { status, body: told } = await served.ask('PUT', P, { ...sent, body })
    expect([body, status]).toEqual([body, 400])
    expect(told.error).toMatch(message)
    expect(Object.keys(told)).toEqual(['error', 'message'])
  }
  for (const word of ['1', '', 'yes', 'true,', 'true&async=false']) {
    const { status, body } = await served.ask('PUT', `${P}?async=${word}`, { body: '[]' })
    expect([word, status, body.error]).toEqual([
      ...[word, 400, 'Boolean value not one of [true, false]'],
    ])
  }
  const large = await served.ask('PUT', P, { body: 'x'.repeat(10_001) })
  expect([large.status, large.body.error]).toEqual([413, large.body.message])
  expect(await count()).toEqual(before)
  // The body of a user who may not submit is not read.
  const stranger = await served.ask('PUT', P, { body: 'x'.repeat(10_001), as: 'read' })
  expect(stranger.status).toBe(403)
  const nobody = await served.ask('PUT', '/submission', { body: 'x'.repeat(10_001), as: null })
  expect(nobody.status).toBe(403)
})

test('bodies are JSON whatever they are labelled, unless they are labelled as tables', async () => {
  const body = caseOf('labelled')
  const types = ['json', 'application/json; charset=utf-8', 'text/plain', 'multipart/form-data']
  for (const type of [...types, 'application/x-www-form-urlencoded', '', undefined]) {
    const sent = { body, ...(type !== undefined && { type }) }
    expect((await served.ask('PUT', `${P}/_dry_run`, sent)).status).toBe(200)
  }
  const table = 'type,*submitter_id,disease_type,primary_site,projects.code\n'
  const row = 'case,labelled,Gliomas,Brain,INTERNAL\r\n'
  for (const [type, text] of [
    ['text/csv', table + row],
    ['TEXT/CSV ; header=present', table + row],
    ['text/tsv', (table + row).replaceAll(',', '\t')],
    ['text/tab-separated-values', `\ufeff${(table + row).replaceAll(',', '\t')}`],
  ] as const) {
    const { status } = await served.ask('PUT', `${P}/_dry_run`, { body: text, type })
    expect([type, status]).toEqual([type, 200])
  }
  const headers = { 'X-Document-Name': 'batch 7.json' }
  const named = await served.ask('PUT', `${P}/_dry_run`, { body, headers })
  const sql = `SELECT name FROM submission_documents
    WHERE transaction_id = ${named.body.transaction_id}`
  expect(await made.database.read((rows) => rows.all(sql))).toEqual([{ name: 'batch 7.json' }])
})

test('neither names nor tokens nor what was submitted get into the log', async () => {
  await served.ask('PUT', P, { body: caseOf('very-private'), as: 'create' })
  await served.ask('PUT', `${P}/_dry_run?x=very-private`, { body: caseOf('very-private') })
  await served.ask('GET', `${P}/entities/very-private`, { as: 'very-private' })
  expect(served.lines.join('')).not.toMatch(/private|INTERNAL|"admin"/)
  expect(served.lines.join('')).toContain('/submission/{program}/{project}/entities/{ids}')
})

test.each([
  ['POST', 'bulk', /send all entities in one body to \/submission\/GDC\/INTERNAL: /],
  ['PUT', 'bulk/_dry_run', /one transaction/],
  ['PUT', 'xml/biospecimen/bcr', /send them as JSON, TSV or CSV in the form of/],
  ['PUT', 'xml/clinical/bcr/_dry_run', /a clinical_supplement or biospecimen_supplement$/],
])('%s of %s is not supported, and says to who may upload what is', async (method, path, text) => {
  served.know('reader', { 'GDC-INTERNAL': ['read'] })
  const ask = (as?: string | null) =>
    served.ask(method, `${P}/${path}`, { body: 'not looked at', ...(as !== undefined && { as }) })
  const { status, body } = await ask()
  expect([status, body.error]).toEqual([501, expect.stringMatching(text)])
  expect(body.message).toBe(body.error)
  expect((await ask('reader')).status).toBe(403)
  expect((await ask(null)).status).toBe(403)
  expect((await served.ask(method, `/submission/GDC/NO/${path}`)).status).toBe(404)
})

test.each([
  ['PUT', 'files/ID/reassign', /^data of files are not reassigned; remove them by DELETE of/],
  ['DELETE', 'entities/ID/to_delete/true', /redact released ones by casemill project redact$/],
])('%s of %s is not supported, and says to administrators what is', async (method, path, text) => {
  const submitting = ['read', 'create', 'update', 'delete', 'release']
  served.know('submitter', { 'GDC-INTERNAL': submitting })
  const ask = (as: string) =>
    served.ask(method, `/v0/submission/admin/GDC/INTERNAL/${path}`, { as })
  const { status, body } = await ask('admin')
  expect([status, body.error]).toEqual([501, expect.stringMatching(text)])
  expect((await ask('submitter')).status).toBe(403)
  expect(served.lines.filter((line) => line.includes('"level":"error"'))).toEqual([])
})
