import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AccessMap, type MappedRights } from '../../engine/shared/access/claims/access-map.ts'
import { ClaimRightsReader } from '../../engine/shared/access/claims/claim-rights.ts'
import { SessionStore } from '../../engine/shared/access/sessions.ts'
import { ROLES } from '../../engine/shared/index.ts'
import { type ServedIssuer, serveIssuer } from '../login/support/served-issuer.ts'
import {
  COMMONS_AUDIENCES,
  COMMONS_RULES,
  type Expected,
  LOGIN_RULE_OF,
  REGISTRY_RULES,
  RULE_OF,
  type Rule,
} from './access-table.ts'
import { DemoServer, LOGIN_SETTINGS } from './support/demo-server.ts'
import { operationsOf } from './support/described-operations.ts'

// Every operation is requested by every kind of user, and must be allowed or refused as in the access table. The
// bodies are empty, so allowed requests have no effect; rights are checked before bodies. Of each operation that can
// answer with controlled data, the record has one line for each answer with data, and none for a refusal.

/** Names that exist in the demo, so that an allowed request finds what it names. */
const NAMES: Readonly<Record<string, string>> = {
  ids: '0c2a4a8e-53a5-5d35-9c3f-6f0f6c6b1d02',
  bam_file_id: '0c2a4a8e-53a5-5d35-9c3f-6f0f6c6b1d02',
  object_id: '0c2a4a8e-53a5-5d35-9c3f-6f0f6c6b1d02',
  access_id: 'https',
  program: 'DEMO',
  project: 'TRIAL',
  transaction_id: '1',
}
const FILE_PATH = '/submission/{program}/{project}/files/{id}'
const NO_ID = '00000000-0000-4000-8000-000000000000'
/** A filter without cases, because tables of the whole cohort would take seconds for every user. */
const NO_CASE = { op: 'in', content: { field: 'case_id', value: [NO_ID] } }
const OF_NO_CASE = `?filters=${encodeURIComponent(JSON.stringify(NO_CASE))}`
/** Queries of operations that need one before rights can be checked, or whose answer would be long. */
const QUERIES: Readonly<Record<string, string>> = {
  'GET /clinical_tar': OF_NO_CASE,
  'GET /biospecimen_tar': OF_NO_CASE,
  'GET /data': `?ids=${NAMES.ids}`,
  [`GET ${FILE_PATH}`]: `?uploadId=${NAMES.ids}`,
  [`GET ${FILE_PATH}/_dry_run`]: `?uploadId=${NAMES.ids}`,
}
/** Bodies of the operations whose target is named in the body; all others get none. */
const BODIES: Readonly<Record<string, unknown>> = {
  '/clinical_tar': { filters: NO_CASE },
  '/biospecimen_tar': { filters: NO_CASE },
  '/data': { ids: [NAMES.ids] },
  '/scrna_seq/gene_expression': { file_ids: [NAMES.ids], gene_ids: ['ENSG00000141510'] },
  '/submission': { name: 'MADE', dbgap_accession_number: 'phs1' },
  '/submission/{program}': { code: 'MADE', name: 'Made', dbgap_accession_number: 'phs1' },
}

let server: DemoServer
let issuer: ServedIssuer
/** `GET /files/{file_id}` */
let operations: readonly string[]
type Users = Readonly<Record<string, Readonly<Record<string, string>>>>
/** Headers of each kind of user: with tokens of this service, and with JWTs of an issuer. */
let headers: Users
let jwtHeaders: Users
/** The id of an entity of the project. */
let sample = ''

beforeAll(async () => {
  issuer = await serveIssuer()
  server = new DemoServer()
  await server.start({
    CASEMILL_AUDIT: 'true',
    ...LOGIN_SETTINGS,
    ...issuer.settings,
    CASEMILL_OIDC_REGISTRY: 'true',
  })
  const document = await (await fetch(`${server.address}/openapi.json`)).json()
  operations = operationsOf(document).map(({ method, path }) => `${method} ${path}`)
  const onBoth = (roles: string) =>
    ['DEMO-CONTROLLED', 'DEMO-TRIAL'].flatMap((name) => ['--project', `${name}:${roles}`])
  const token = async (...words: string[]) => ({
    'x-auth-token': await server.secret('token', 'create', ...words),
  })
  const administrator = await token('--user', 'administrator', '--admin')
  headers = {
    administrator,
    nobody: {},
    stranger: await token(
      '--user',
      'stranger',
      '--project',
      'ELSEWHERE-X:read,download,create,update,delete,release',
    ),
    reader: await token('--user', 'reader', ...onBoth('read,download')),
    submitter: await token(
      '--user',
      'submitter',
      ...onBoth('read,download,create,update,delete,release'),
    ),
  }
  const jwt = async (name: string, ...rights: string[]) => {
    const of = ['--issuer', issuer.issuer.url, '--claim', 'groups', '--value', name]
    await server.secret('access', 'map', ...of, ...rights)
    return { authorization: `Bearer ${await jwtOf(name)}` }
  }
  jwtHeaders = {
    administrator: await jwt('administrators', '--admin'),
    nobody: {},
    stranger: await jwt(
      'strangers',
      '--project',
      'ELSEWHERE-X:read,download,create,update,delete,release',
    ),
    reader: await jwt('readers', ...onBoth('read,download')),
    submitter: await jwt('submitters', ...onBoth('read,download,create,update,delete,release')),
  }
  const list = `${server.address}/submission/DEMO/TRIAL/export?node_label=sample&format=json`
  const { data } = (await (await fetch(list, { headers: administrator })).json()) as {
    readonly data: readonly { readonly id: string }[]
  }
  sample = data[0]?.id ?? ''
})

/** Returns a JWT of a user in a group, valid for an hour. */
async function jwtOf(group: string): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  return issuer.issuer.sign({ sub: `of ${group}`, groups: [group], iat: now, exp: now + 3600 })
}

const keyOf = async (...words: string[]) => ({
  'x-seerapi-key': await server.secret('key', 'create', ...words),
})

afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  await issuer?.[Symbol.asyncDispose]()
})

/** Statuses of all requests, by request id. */
const answered = new Map<string, { readonly title: string; readonly status: number }>()

/** Returns `in` if the request is neither refused nor told that the project does not exist. */
async function asked(operation: string, more: Readonly<Record<string, string>>): Promise<Expected> {
  const [method = '', path = ''] = operation.split(' ')
  const isBodyless = method === 'GET' || method === 'HEAD'
  const target = path.replace(/\{(.+?)\}/g, (_, name: string) => nameIn(path, name))
  const query = QUERIES[operation] ?? ''
  const requestId = randomUUID()
  const response = await fetch(`${server.address}${target}${query}`, {
    method,
    headers: { ...more, 'content-type': 'application/json', 'x-request-id': requestId },
    ...(!isBodyless && { body: JSON.stringify(BODIES[path]) ?? '' }),
  })
  const { status } = response
  answered.set(requestId, { title: operation, status })
  if (status === 401 || status === 403) return status
  // Only the body of a 404 is read, because other answers can be long.
  const text = status === 404 ? await response.text() : void (await response.body?.cancel())
  expect(status, `${operation}: ${text}`).not.toBe(500)
  return status === 404 && /(program|project) \S+ not found/i.test(text ?? '') ? 404 : 'in'
}

function nameIn(path: string, name: string): string {
  if (path.startsWith('/submission/') && name === 'ids') return sample
  // Rights are checked before the type of the file.
  if (/^\/(reads|variants)\//.test(path)) return NAMES.bam_file_id ?? ''
  return NAMES[name] ?? 'made'
}

/** The reads come first, because writes could remove what other requests need. */
const RANKS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']
const inOrder = (all: readonly string[]) =>
  all.toSorted(
    (a, b) => RANKS.indexOf(a.split(' ')[0] ?? '') - RANKS.indexOf(b.split(' ')[0] ?? ''),
  )

const RULES: ReadonlyMap<string, Rule> = new Map([...RULE_OF, ...LOGIN_RULE_OF])
const isOfRegistry = (rule: Rule): rule is keyof typeof REGISTRY_RULES => rule in REGISTRY_RULES

test('every operation has its row, and every row is an operation', () => {
  expect([...RULES.keys()].sort()).toEqual(operations.toSorted())
})

test.each(['tokens', 'JWTs'])(
  'the data commons lets in whom the table names by %s',
  async (kind) => {
    const users = kind === 'JWTs' ? jwtHeaders : headers
    const wrong: string[] = []
    for (const operation of inOrder(operations)) {
      const rule = RULES.get(operation)
      if (rule === undefined || isOfRegistry(rule)) continue
      for (const [i, audience] of COMMONS_AUDIENCES.entries()) {
        const wanted = COMMONS_RULES[rule][i]
        const found = await asked(operation, users[audience] ?? {})
        if (found !== wanted)
          wrong.push(`${operation} by ${audience}: ${found} instead of ${wanted}`)
      }
    }
    expect(wrong).toEqual([])
  },
)

/** Returns the number of lines about each request. */
function recordedRequests(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const name of readdirSync(join(server.data, 'audit'), { recursive: true }).map(String)) {
    if (!name.endsWith('.ndjson')) continue
    for (const text of readFileSync(join(server.data, 'audit', name), 'utf8')
      .trimEnd()
      .split('\n')) {
      const { request } = JSON.parse(text) as { readonly request?: string }
      if (request) counts.set(request, (counts.get(request) ?? 0) + 1)
    }
  }
  return counts
}

/** Rules of operations whose answers with a good status have no controlled data. */
const OPEN_RULES: readonly (Rule | undefined)[] = ['everybody', 'log in', 'a session']

test('every answer with controlled or submitted data has one line, and no other answer has any', () => {
  const counts = recordedRequests()
  const wrong: string[] = []
  const recorded = new Set<string>()
  for (const [request, { title, status }] of answered) {
    const isOpen = OPEN_RULES.includes(RULES.get(title))
    const expected = isOpen || status >= 300 ? 0 : 1
    const found = counts.get(request) ?? 0
    if (found !== expected) wrong.push(`${title} with ${status}: ${found} instead of ${expected}`)
    if (found > 0) recorded.add(title)
  }
  expect(wrong).toEqual([])
  expect([...recorded]).toEqual(
    expect.arrayContaining([
      'GET /data/{ids}',
      'POST /data',
      'GET /slicing/view/{bam_file_id}',
      'GET /reads/{id}',
      'GET /ga4gh/drs/v1/objects/{object_id}/access/{access_id}',
      'GET /submission/{program}/{project}/entities/{ids}',
    ]),
  )
})

test('a session has the rights that the same roles give to a token', async () => {
  const sessions = await server.inState(async (_tokens, _keys, database) => {
    const clock = () => new Date()
    const rights = new ClaimRightsReader(database)
    const times = { idleSeconds: 3600, absoluteSeconds: 3600 }
    const store = new SessionStore({ database, clock, times, rights })
    const map = new AccessMap(database, clock)
    const issuer = LOGIN_SETTINGS.CASEMILL_LOGIN_ISSUER
    const both = (roles: string) => [`DEMO-CONTROLLED:${roles}`, `DEMO-TRIAL:${roles}`]
    const all = 'read,download,create,update,delete,release'
    const rightsOf: Readonly<Record<string, MappedRights>> = {
      stranger: { projects: [`ELSEWHERE-X:${all}`] },
      reader: { projects: both('read,download') },
      submitter: { projects: both(all) },
      administrator: { admin: true },
    }
    const made: Record<string, Record<string, string>> = { nobody: {} }
    for (const [role, given] of Object.entries(rightsOf)) {
      await map.map({ issuer, claim: 'role', value: role }, given)
      const { secret } = await store.start({ issuer, subject: role, claims: { role } })
      made[role] = { cookie: `sessionid=${secret}`, 'sec-fetch-site': 'same-origin' }
    }
    return made
  })
  const wrong: string[] = []
  for (const operation of inOrder(operations)) {
    const rule = RULES.get(operation)
    // A log-out would end the session.
    if (rule === undefined || isOfRegistry(rule) || operation === 'GET /auth/logout') continue
    for (const [i, audience] of COMMONS_AUDIENCES.entries()) {
      const isIn = rule === 'a session' && audience !== 'nobody'
      const wanted = isIn ? 'in' : COMMONS_RULES[rule][i]
      const found = await asked(operation, sessions[audience] ?? {})
      if (found !== wanted) wrong.push(`${operation} by ${audience}: ${found} instead of ${wanted}`)
    }
  }
  expect(wrong).toEqual([])
})

test('the registry lets in keys with the roles that the table names, and no others', async () => {
  const keys: [role: string, headers: Record<string, string>][] = [['no role', await keyOf()]]
  for (const role of ROLES) keys.push([role, await keyOf('--role', role)])
  // One role by the claims of an issuer, which is compared in the same way as that of a key.
  const of = ['--issuer', issuer.issuer.url, '--claim', 'groups', '--value', 'editors']
  await server.secret('access', 'map', ...of, '--registry', 'STAGING_ADMIN')
  keys.push(['STAGING_ADMIN', { 'x-seerapi-key': await jwtOf('editors') }])
  const readerAsKey = { 'x-seerapi-key': await jwtOf('readers') }
  const wrong: string[] = []
  for (const operation of inOrder(operations)) {
    const rule = RULE_OF.get(operation)
    if (rule === undefined || !isOfRegistry(rule)) continue
    const roles: readonly string[] | undefined = REGISTRY_RULES[rule]
    if ((await asked(operation, {})) !== 401) wrong.push(`${operation} by nobody`)
    if ((await asked(operation, readerAsKey)) !== 401) wrong.push(`${operation} by a reader`)
    for (const [role, more] of keys) {
      const wanted = roles === undefined || roles.includes(role) ? 'in' : 403
      const found = await asked(operation, more)
      if (found !== wanted) wrong.push(`${operation} by ${role}: ${found} instead of ${wanted}`)
    }
  }
  expect(wrong).toEqual([])
})
