import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fakeEngine, fakeStatus, keptLog } from '../../test/commons/contract/fake-engine.ts'
import { readConfig } from '../config.ts'
import { type RunningServer, startServer } from '../main.ts'

const MIB = 1 << 20

describe('a body that is too large', () => {
  // The agent keeps one connection, so the next request uses the same one.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let server: RunningServer
  beforeAll(async () => {
    const config = readConfig({ flags: { port: 0, drainSeconds: 0, bodyBytes: MIB } })
    const { log } = keptLog(config)
    const { engine } = fakeEngine()
    server = await startServer({ engine, config, status: fakeStatus, log })
  })
  afterAll(async () => {
    agent.destroy()
    await server.close()
  })

  function post(headers: Readonly<Record<string, string | number>>) {
    const type = { 'Content-Type': 'application/json' }
    const sent = request(`${server.address}/files`, {
      method: 'POST',
      agent,
      headers: { ...type, ...headers },
    })
    const answer = once(sent, 'response').then(([message]) => message as IncomingMessage)
    const send = (bytes: number) =>
      new Promise<void>((resolve) => void sent.write(Buffer.alloc(bytes, ' '), () => resolve()))
    return { sent, answer, send }
  }

  test.each([
    ['announced', { 'Content-Length': 20 * MIB }],
    ['unannounced', { 'Transfer-Encoding': 'chunked' }],
  ])(
    'and %s is answered, and its connection kept for who sends all of it slowly',
    async (_, headers) => {
      const { sent, answer, send } = post(headers)
      await send(2 * MIB)
      const early = await answer
      expect(early.statusCode).toBe(413)
      const body = text(early)
      const { socket } = sent
      // The pause is longer than the adapter lets a dropped body rest.
      await sleep(700)
      for (let at = 2; at < 20; at++) await send(MIB)
      await new Promise<void>((resolve) => void sent.end(resolve))
      expect(await body).toContain('larger than the limit')

      const next = request(`${server.address}/status`, { agent })
      next.end()
      const [second] = (await once(next, 'response')) as [IncomingMessage]
      expect(second.statusCode).toBe(200)
      await text(second)
      expect(next.socket).toBe(socket)
    },
  )
})

/** The connection itself would be kept for longer than a test may take. */
const CUT = { stallSeconds: 1, headSeconds: 3600, idleSeconds: 3600 }

test('a sender that stalls after its response is disconnected after the stall time', async () => {
  const config = readConfig({ flags: { port: 0, drainSeconds: 0, bodyBytes: MIB, ...CUT } })
  const { log } = keptLog(config)
  const { engine } = fakeEngine()
  await using stack = new AsyncDisposableStack()
  const server = await startServer({ engine, config, status: fakeStatus, log })
  stack.defer(() => server.close())
  const sent = request(`${server.address}/files`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Content-Length': 20 * MIB },
  })
  sent.on('error', () => {})
  sent.write(Buffer.alloc(2 * MIB, ' '))
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  expect(answer.statusCode).toBe(413)
  expect(await text(answer)).toContain('larger than the limit')
  if (sent.socket?.closed === false) await once(sent.socket, 'close')
})
