import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../server/config.ts'
import { type RunningServer, startServer } from '../../server/main.ts'
import { fakeEngine, fakeStatus, keptLog } from '../commons/contract/fake-engine.ts'

// RFC 9112 3.2: 400 to any HTTP/1.1 request that lacks a Host, and to any request with more than one.
// A proxy in front and the service must not read different hosts, or different requests.

let server: RunningServer

beforeAll(async () => {
  const config = readConfig({ flags: { port: 0, logLevel: 'silent', drainSeconds: 0 } })
  const { engine } = fakeEngine()
  server = await startServer({ engine, config, status: fakeStatus, log: keptLog(config).log })
})

afterAll(() => server.close())

/** Returns everything that arrives until the server closes the connection. */
async function answerTo(text: string): Promise<string> {
  const socket = connect(Number(new URL(server.address).port), '127.0.0.1')
  const received: Buffer[] = []
  socket.on('data', (chunk) => received.push(chunk)).on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  await once(socket, 'close')
  return Buffer.concat(received).toString('latin1')
}

const END = 'Connection: close\r\n\r\n'

test.each([
  ['two Host lines that differ', `GET /status HTTP/1.1\r\nHost: a\r\nHost: b\r\n${END}`],
  ['two Host lines that agree', `GET /status HTTP/1.1\r\nHost: a\r\nhost: a\r\n${END}`],
  ['two Host lines of HTTP/1.0', `GET /status HTTP/1.0\r\nHost: a\r\nHost: b\r\n${END}`],
  ['no Host line', `GET /status HTTP/1.1\r\n${END}`],
  ['the form of HTTP/0.9', 'GET /status\r\n\r\n'],
])('a request with %s is refused', async (_, request) => {
  const answer = await answerTo(request)
  expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/)
  expect(answer).toMatch(/\r\n\r\n\{"error":"/)
  expect(answer.match(/HTTP\/1.1 /g)).toHaveLength(1)
})

test.each([
  ['one Host line', `GET /status HTTP/1.1\r\nHost: a\r\n${END}`],
  ['HTTP/1.0 and no Host line', `GET /status HTTP/1.0\r\n${END}`],
  ['HTTP/1.0 and one', `GET /status HTTP/1.0\r\nHost: a\r\n${END}`],
])('a request with %s is served', async (_, request) => {
  expect(await answerTo(request)).toMatch(/^HTTP\/1.1 200 OK\r\n/)
})

test('no browser is to guess what an answer is, whichever way it is made', async () => {
  const requests = [
    `GET /status HTTP/1.1\r\nHost: a\r\n${END}`,
    `GET /nowhere HTTP/1.1\r\nHost: a\r\n${END}`,
    `GET /rest/nowhere HTTP/1.1\r\nHost: a\r\n${END}`,
    `GET /slicing/view/open?region=chr1 HTTP/1.1\r\nHost: a\r\n${END}`,
    `OPTIONS /files HTTP/1.1\r\nHost: a\r\n${END}`,
    `OPTIONS * HTTP/1.1\r\nHost: a\r\n${END}`,
    `GET /status HTTP/1.1\r\nHost: a b\r\n${END}`,
    'nonsense\r\n\r\n',
  ]
  for (const request of requests) {
    const [head] = (await answerTo(request)).split('\r\n\r\n')
    expect(head?.toLowerCase(), request).toContain('\r\nx-content-type-options: nosniff')
  }
})
