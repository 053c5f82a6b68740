import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { samplesOf } from './samples.ts'
import { type ServiceRequest, sentRequest } from './service.ts'

const ORIGIN = 'http://127.0.0.1:8080'

/** The arguments that a shell gives to `curl`. */
function argumentsOf(line: string): readonly string[] {
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }; CASEMILL_KEY=k; ${line}`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
}

const lineOf = (request: ServiceRequest) =>
  samplesOf(request, ORIGIN).find(({ tool }) => tool === 'curl')?.text ?? ''

test('a shell reads the line of curl as the request that the page sends', () => {
  const filters = { op: 'in', content: { field: 'primary_site', value: ["Barrett's $HOME `x`"] } }
  const request = { path: '/cases', query: { size: 0 }, filters }
  expect(argumentsOf(lineOf(request))).toEqual(['-s', `${ORIGIN}${sentRequest(request).url}`])
})

test('a body and a key are read as well', () => {
  const request: ServiceRequest = { path: '/rest/mph', body: { a: "it's" }, credential: 'key' }
  expect(argumentsOf(lineOf(request))).toEqual([
    '-s',
    ...['-H', 'Content-Type: application/json', '-H', 'X-SEERAPI-Key: k'],
    ...['-d', '{"a":"it\'s"}', `${ORIGIN}/rest/mph`],
  ])
})

test('a query that is too long for a line goes as a body', () => {
  const value = Array.from({ length: 400 }, (_, index) => `case-${index}`)
  const sent = sentRequest({
    path: '/cases',
    query: { size: 0 },
    filters: { op: 'in', content: { field: 'submitter_id', value } },
  })
  expect(sent).toMatchObject({ method: 'POST', url: '/cases' })
  expect(JSON.parse(sent.body ?? '')).toMatchObject({ size: 0, filters: { content: { value } } })
})

test('no sample holds a secret', () => {
  const request: ServiceRequest = { path: '/rest/mph', body: {}, credential: 'key' }
  for (const { text } of samplesOf(request, ORIGIN)) expect(text).toContain('CASEMILL_KEY')
})
