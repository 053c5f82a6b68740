import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RULE_OF, type Rule } from '../attack/access-table.ts'
import { DemoServer } from '../attack/support/demo-server.ts'
import { available } from '../available.ts'
import { eventually } from '../eventually.ts'
import { type FilledRequest, filledRequests } from './support/filled-requests.ts'

// Sends every operation of the API page to the demo, with the values that the page fills in.

/** The rights whose operations change nothing, even with POST. */
const READING: ReadonlySet<Rule | undefined> = new Set([
  ...(['everybody', 'any token', 'any key', 'read the file', 'read', 'know the program'] as const),
])

const changes = ({ method, pattern }: FilledRequest) => {
  if (method === 'GET' || /\/_dry_run(\/|$)/.test(pattern)) return false
  return method !== 'POST' || !READING.has(RULE_OF.get(`${method} ${pattern}`))
}

const NO_ENTITY = 'the ids of what is submitted to the demo are other ones in each'
const NO_FILE = 'nobody has submitted a file to the demo'
const STATE = 'the state of the project does not lead there'
const NO_COHORT = 'a browser sees the cohorts that it has saved itself'
const NO_SET = 'the id of a set is a random one'
const REFUSED = 'it is served to be refused in its own words'

/** Operations for which no fixed values succeed in the demo, with the reasons. */
const WITHOUT_SUCCESS: Readonly<Record<string, string>> = {
  'GET /cohorts/{cohort_id}': NO_COHORT,
  'GET /services/{service_id}': 'the id has the name of the host',
  'POST /sets/combine': NO_SET,
  'GET /sets/{set_id}': NO_SET,
  'POST /sets/{set_id}/append': NO_SET,
  'GET /sets/{set_id}/ids': NO_SET,
  'POST /sets/{set_id}/remove': NO_SET,
  'POST /tar_sets': NO_SET,
  'GET /tile/metadata/{file_id}': REFUSED,
  'GET /tile/{file_id}': REFUSED,
  'GET /variants/{id}': 'the demo has no variants',
  'GET /variants/{id}/blocks': 'the demo has no variants',
  'GET /slicing/view': REFUSED,
  'POST /slicing/view': REFUSED,
  'POST /submission/{program}/{project}/bulk/_dry_run': REFUSED,
  'PUT /submission/{program}/{project}/bulk/_dry_run': REFUSED,
  'DELETE /submission/{program}/{project}/entities/_dry_run/{ids}': NO_ENTITY,
  'GET /submission/{program}/{project}/entities/{ids}': NO_ENTITY,
  'GET /submission/{program}/{project}/files/{id}': REFUSED,
  'GET /submission/{program}/{project}/files/{id}/_dry_run': REFUSED,
  'PUT /submission/{program}/{project}/files/{id}/_dry_run': NO_FILE,
  'POST /submission/{program}/{project}/files/{id}/_dry_run': NO_FILE,
  'DELETE /submission/{program}/{project}/files/{id}/_dry_run': NO_FILE,
  'GET /submission/{program}/{project}/manifest': NO_FILE,
  'POST /submission/{program}/{project}/open/_dry_run': STATE,
  'PUT /submission/{program}/{project}/open/_dry_run': STATE,
  'POST /submission/{program}/{project}/release/_dry_run': STATE,
  'PUT /submission/{program}/{project}/release/_dry_run': STATE,
  'POST /submission/{program}/{project}/submit/_dry_run': STATE,
  'PUT /submission/{program}/{project}/submit/_dry_run': STATE,
  'GET /submission/{program}/{project}/upload_manifest': NO_FILE,
  'PUT /submission/{program}/{project}/xml/biospecimen/bcr/_dry_run': REFUSED,
  'PUT /submission/{program}/{project}/xml/clinical/bcr/_dry_run': REFUSED,
}

/** Operations whose answers are correctly empty in the demo. */
const EMPTY: ReadonlySet<string> = new Set([
  'GET /cohorts',
  'GET /rest/staging/{algorithm}/{version}/findings',
])

const server = new DemoServer()
let requests: readonly FilledRequest[]

beforeAll(async () => {
  await server.start()
  const isReady = async () => (await fetch(`${server.address}/health/ready`)).ok
  await eventually(async () => expect(await isReady()).toBe(true))
  const document = await fetch(`${server.address}/openapi.json`)
  requests = filledRequests(await document.json())
})
afterAll(() => server[Symbol.asyncDispose]())

const nameOf = ({ method, pattern }: FilledRequest) => `${method} ${pattern}`

async function ask({ method, path, contentType, body }: FilledRequest): Promise<Response> {
  const headers = { ...server.credentials, ...(contentType && { 'Content-Type': contentType }) }
  return fetch(`${server.address}${path}`, { method, headers, body: body ?? null })
}

/** Describes what is wrong with an answer; `undefined` for a success with content. */
async function faultOf(request: FilledRequest): Promise<string | undefined> {
  const response = await ask(request)
  const text = await response.text()
  const warnings = response.headers.get('x-warnings')
  if (!response.ok) return `${response.status} ${text.slice(0, 200)}`
  if (warnings !== null) return `warnings ${warnings}`
  const isEmpty = /^(\s*|\[\s*\])$/.test(text)
  const hasNone = /"(hits|results)":\[\]/.test(text) && !text.includes('"aggregations"')
  const shows = !isEmpty && !hasNone
  return shows || EMPTY.has(nameOf(request)) ? undefined : `nothing: ${text.slice(0, 200)}`
}

test('example values succeed, none is ignored, and each response has content', async () => {
  const faults: string[] = []
  let succeeded = 0
  for (const request of requests.filter((one) => !changes(one))) {
    if (Object.hasOwn(WITHOUT_SUCCESS, nameOf(request))) continue
    const fault = await faultOf(request)
    if (fault === undefined) succeeded += 1
    else faults.push(`${request.method} ${request.path}: ${fault}`)
  }
  expect(faults).toEqual([])
  expect(succeeded).toBeGreaterThan(180)
})

test('operations listed as unsuccessful exist and fail', async () => {
  const listed = requests.filter((request) => Object.hasOwn(WITHOUT_SUCCESS, nameOf(request)))
  expect(listed.map(nameOf).toSorted()).toEqual(Object.keys(WITHOUT_SUCCESS).toSorted())
  for (const request of listed) {
    const { status } = await ask(request)
    expect([nameOf(request), status >= 400]).toEqual([nameOf(request), true])
  }
})

test.skipIf(!available.curl)(
  'the first commands of the page at / answer as they are pasted',
  async () => {
    const page = await (await fetch(server.address)).text()
    const lines = page.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&')
    const commands = lines.match(/curl [^\n<]*/g) ?? []
    expect(commands).toHaveLength(5)
    for (const command of commands) {
      // Prints to standard output, and fails if the request is refused.
      const whole = command.replace(/^curl/, 'curl -f').replace(/ -o \S+$/, '')
      const { stdout } = await promisify(execFile)('sh', ['-c', whole], { maxBuffer: 64 << 20 })
      expect([command, stdout.length > 50]).toEqual([command, true])
    }
  },
)
