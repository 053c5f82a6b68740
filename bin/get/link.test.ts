import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterEach, expect, test } from 'vitest'
import { Broken, ResponseError, retrySeconds } from './errors.ts'
import { Link } from './link.ts'
import { retrying } from './retry.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

async function linkTo(listener: RequestListener, signal = new AbortController().signal) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = new URL(`http://127.0.0.1:${port}/v0`)
  return new Link({ server: url, token: undefined, silenceMs: 150, signal })
}

test('paths lie below the path of the server', async () => {
  const link = await linkTo((request, response) => void response.end(request.url))
  const { body } = await link.ask({ path: 'data/x' })
  expect(String(await buffer(body))).toBe('/v0/data/x')
})

test('a server that goes silent is given up, before its answer and within it', async () => {
  const silent = await linkTo(() => {})
  const silence = { name: 'Broken', message: 'no byte came for 0.15 s', isPassing: true }
  await expect(silent.ask({ path: 'x' })).rejects.toMatchObject(silence)
  const stalled = await linkTo((_, response) => void response.writeHead(200).write('some'))
  const { body } = await stalled.ask({ path: 'x' })
  await expect(buffer(body)).rejects.toMatchObject(silence)
})

test('the request to stop ends a request at once, with its reason', async () => {
  const stop = new AbortController()
  const reason = new Error('enough')
  const link = await linkTo((_, response) => void response.writeHead(200).write('x'), stop.signal)
  const { body } = await link.ask({ path: 'x' })
  setImmediate(() => stop.abort(reason))
  await expect(buffer(body)).rejects.toBe(reason)
  await expect(link.ask({ path: 'x' })).rejects.toBe(reason)
})

test('a coding that was not asked for, a circle and a path to a file are errors', async () => {
  const coded = await linkTo((_, response) => {
    response.setHeader('Content-Encoding', 'gzip').end('x')
  })
  await expect(coded.ask({ path: 'x' })).rejects.toThrow(/content coding "gzip"/)
  const circle = await linkTo(({ url }, response) => {
    response.writeHead(302, { Location: url }).end()
  })
  await expect(circle.ask({ path: 'x' })).rejects.toThrow('redirects in a circle')
  const astray = await linkTo((_, response) => {
    response.writeHead(302, { Location: 'file:///etc/passwd' }).end()
  })
  await expect(astray.ask({ path: 'x' })).rejects.toBeInstanceOf(ResponseError)
})

test('after a server was not there for all tries of one request, others do not try', async () => {
  const link = await linkTo((request) => void request.socket.destroy())
  const patience = { tries: 2, firstPauseMs: 1, longestPauseMs: 1 }
  const signal = new AbortController().signal
  let tries = 0
  const ask = () =>
    retrying({ link, patience, signal }, () => {
      tries++
      return link.ask({ path: 'x' })
    })
  await expect(ask()).rejects.toBeInstanceOf(Broken)
  await expect(ask()).rejects.toThrow('stopped responding')
  expect(tries).toBe(2)
})

test('what advances has all its tries again', async () => {
  const link = await linkTo(() => {})
  const patience = { tries: 2, firstPauseMs: 1, longestPauseMs: 1 }
  let left = 5
  const done = retrying(
    { link, patience, signal: new AbortController().signal },
    async (advanced) => {
      advanced()
      if (--left > 0) throw new Broken('again')
      return 'done'
    },
  )
  await expect(done).resolves.toBe('done')
})

test('Retry-After is a number of seconds or a date', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  expect(retrySeconds('120', now)).toBe(120)
  expect(retrySeconds('Thu, 01 Jan 2026 00:00:30 GMT', now)).toBe(30)
  expect(retrySeconds('Thu, 01 Jan 2025 00:00:30 GMT', now)).toBe(0)
  expect([retrySeconds('soon', now), retrySeconds(undefined, now)]).toEqual([undefined, undefined])
})
