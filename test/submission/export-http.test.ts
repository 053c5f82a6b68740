import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Principal } from '../../engine/shared/access/principal.ts'
import { Grants } from '../../engine/shared/audit/grants.ts'
import { DiskSpace } from '../../engine/shared/disk-space.ts'
import { SubmissionExport } from '../../engine/submission/export/submission-export.ts'
import { fakeApp } from '../commons/contract/fake-engine.ts'
import { ADMIN, idOf, MadeSubmission } from './support/service.ts'

const EXPORT = '/submission/DEMO/ONE/export'
const READER: Principal = { ...ADMIN, admin: false, projects: new Map([['DEMO-ONE', ['read']]]) }
const WRITER: Principal = { ...READER, projects: new Map([['DEMO-ONE', ['create', 'update']]]) }
const KNOWN: Readonly<Record<string, Principal>> = { admin: ADMIN, reader: READER, writer: WRITER }

let made: MadeSubmission
let ask: (
  path: string,
  more?: { readonly as?: string; readonly json?: object } & RequestInit,
) => Promise<Response>
let lines: readonly string[]

beforeAll(async () => {
  made = await MadeSubmission.open()
  const dictionary = { current: () => MadeSubmission.dictionary() }
  const submissionExport = new SubmissionExport({
    ...made,
    dictionary,
    temporaryFolder: made.folder,
    space: new DiskSpace(made.folder),
    audit: undefined,
    grants: new Grants(false),
  })
  const credentials = { verify: async (secret: string) => KNOWN[secret] }
  const { submission } = made
  const fake = fakeApp({}, (engine) => ({
    ...engine,
    submission: {
      ...engine.submission,
      transactions: submission,
      export: submissionExport,
      credentials,
    },
  }))
  lines = fake.lines
  ask = async (path, { as = 'reader', json, ...init } = {}) => {
    const headers = new Headers(init.headers)
    if (as !== '') headers.set('X-Auth-Token', as)
    if (json) headers.set('Content-Type', 'application/json')
    const body = json && { method: 'POST', body: JSON.stringify(json) }
    return fake.app.request(path, { ...init, ...body, headers })
  }
  await made.register('DEMO-ONE')
  await made.seed(
    'DEMO-ONE',
    { type: 'case', name: 'Müller', properties: { primary_site: 'Brain' } },
    { type: 'sample', name: 'S', links: { cases: 'Müller' } },
    { type: 'demographic', name: 'D', links: { cases: 'Müller' } },
  )
})
afterAll(() => made.close())

const told = async (response: Response) => {
  const body = (await response.json()) as { error: string; message: string }
  return [response.status, body] as const
}

test('a type is a table to be saved, by any form of the path', async () => {
  for (const path of [EXPORT, `/v0${EXPORT}/`, '/v0/submission/demo/one/export']) {
    const response = await ask(`${path}?node_label=case`)
    expect([path, response.status]).toEqual([path, 200])
    expect(response.headers.get('content-type')).toBe('application/octet-stream')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename=case.tsv')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const text = await response.text()
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
    expect(text).toMatch(
      /^type\tid\tproject_id\tsubmitter_id\t.*\r\ncase\t[0-9a-f-]{36}\tDEMO-ONE\tMüller\t/,
    )
  }
})

test('parameters come by query or as JSON, switched on by any word but false', async () => {
  const ids = idOf('Müller')
  const found = async (response: Response) => Object.keys((await response.json()) as object)
  const query = (rest: string) => ask(`${EXPORT}?ids=${ids}&format=json${rest}`)
  expect(await found(await query(''))).toEqual(['case'])
  expect(await found(await query('&with_children=with_children'))).toEqual([
    ...['case', 'demographic', 'sample'],
  ])
  expect(await found(await query('&with_children=1&category=clinical'))).toEqual([
    ...['case', 'demographic'],
  ])
  for (const off of ['false', 'FALSE', '']) {
    expect(await found(await query(`&with_children=${off}`))).toEqual(['case'])
  }
  const json = { ids: [ids, idOf('S')], format: 'JSON', with_children: true, without_id: true }
  const posted = await ask(EXPORT, { json })
  expect(posted.headers.get('content-type')).toBe('application/json')
  const body = (await posted.json()) as Record<string, readonly Record<string, unknown>[]>
  expect(Object.keys(body)).toEqual(['case', 'demographic', 'sample'])
  expect(body.sample?.[0]).toMatchObject({ submitter_id: 'S', cases: [{ submitter_id: 'Müller' }] })
  expect(body.sample?.[0]).not.toHaveProperty('id')
})

test('it is compressed as the client requests, but for archives', async () => {
  const headers = { 'Accept-Encoding': 'br' }
  const table = await ask(`${EXPORT}?node_label=diagnosis&format=csv`, { headers })
  expect(table.headers.get('content-encoding')).toBe('br')
  const text = brotliDecompressSync(await table.arrayBuffer()).toString()
  expect(text).toMatch(/^type,id,.*,cases\.submitter_id\r\n$/)
  const archive = await ask(`${EXPORT}?ids=${idOf('S')},${idOf('D')}`, { headers })
  expect(archive.headers.get('content-encoding')).toBeNull()
  expect(archive.headers.get('content-disposition')).toMatch(/filename=gdc_export_\w+\.tar\.gz$/)
  const tar = gunzipSync(Buffer.from(await archive.arrayBuffer())).toString('latin1')
  expect(tar).toContain('demographic.tsv')
  expect(tar).toContain('sample.tsv')
})

test('refusals have the statuses and texts of the contract, under both names', async () => {
  const both = (message: string) => ({ error: message, message })
  expect(await told(await ask(EXPORT))).toEqual([
    ...[400, both('expected either `ids` or `node_label` parameter')],
  ])
  expect(await told(await ask(`${EXPORT}?node_label=case&format=xlsx`))).toEqual([
    ...[400, both('Format xlsx is not supported; supported formats are: csv,tsv,json.')],
  ])
  expect(await told(await ask(`${EXPORT}?ids=a,b`))).toEqual([404, both('Unable to find a, b')])
  expect(await told(await ask('/submission/DEMO/TWO/export?node_label=case'))).toEqual([
    ...[404, both('Project TWO not found')],
  ])
  for (const as of ['', 'garbage', 'writer']) {
    const [status, { message }] = await told(await ask(`${EXPORT}?node_label=case`, { as }))
    const words = { '': /X-Auth-Token/, garbage: /expired/, writer: /don't have read role/ }[as]
    expect([as, status]).toEqual([as, 403])
    expect(message).toMatch(words ?? '')
  }
  for (const method of ['PUT', 'PATCH', 'DELETE']) {
    expect((await ask(EXPORT, { method })).status).toBe(405)
  }
  const odd = { ids: { a: 1 }, node_label: ['x'], format: 3 }
  expect((await ask(EXPORT, { json: odd })).status).toBe(400)
})

test('the log names nobody', () => {
  expect(lines.join('\n')).toMatch(/\{program\}\/\{project\}\/export/)
  expect(lines.join('\n')).not.toMatch(/M\u00fcller|Brain/)
})
