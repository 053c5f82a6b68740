import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { expect, test } from 'vitest'
import { fakeEngine, fakeStatus, keptLog } from '../../test/commons/contract/fake-engine.ts'
import { readConfig } from '../config.ts'
import { startServer } from '../main.ts'

const MIB = 1 << 20

// This test sends some hundred megabytes over the connection.
test('a body that is too large is not read without end', async () => {
  const config = readConfig({ flags: { port: 0, drainSeconds: 0, bodyBytes: MIB } })
  const { log } = keptLog(config)
  const { engine } = fakeEngine()
  await using stack = new AsyncDisposableStack()
  const server = await startServer({ engine, config, status: fakeStatus, log })
  stack.defer(() => server.close())
  const sent = request(`${server.address}/files`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' },
  })
  const answered = once(sent, 'response')
  const send = (bytes: number) =>
    new Promise<void>((resolve) => void sent.write(Buffer.alloc(bytes, ' '), () => resolve()))
  await send(2 * MIB)
  const [answer] = (await answered) as [IncomingMessage]
  expect(answer.statusCode).toBe(413)
  let isClosed = false
  const closed = new Promise<void>((resolve) => {
    sent
      .on('error', () => {})
      .on('close', () => {
        isClosed = true
        resolve()
      })
  })
  for (let at = 0; at < 1024 && !isClosed; at++) await Promise.race([send(MIB), closed])
  expect(isClosed).toBe(true)
})
