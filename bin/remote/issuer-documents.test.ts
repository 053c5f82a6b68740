import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fetchDocument } from './issuer-documents.ts'

let server: Server
let origin = ''
let answering: (response: ServerResponse) => void
const asked: (string | undefined)[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url)
    answering(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const answer =
  (status: number, body: string, headers: Readonly<Record<string, string>> = {}) =>
  (response: ServerResponse) =>
    response.writeHead(status, headers).end(body)

test('a document is read', async () => {
  answering = answer(200, '{"issuer":"x","ü":[1]}')
  expect(await fetchDocument(`${origin}/a`)).toEqual({ issuer: 'x', ü: [1] })
})

test.each([
  ['another status', answer(404, '{}')],
  ['a redirect', answer(302, '{}', { location: '/elsewhere' })],
  ['a document that is no JSON', answer(200, '<html>')],
  ['a document that is too large', answer(200, `"${'a'.repeat(600_000)}"`)],
  ['a connection that ends early', (response: ServerResponse) => response.destroy()],
])('%s is refused with a reason', async (_, how) => {
  asked.length = 0
  answering = how
  await expect(fetchDocument(`${origin}/a`)).rejects.toMatchObject({
    code: 'unavailable',
    message: `the document ${origin}/a cannot be read`,
    cause: expect.any(Error),
  })
  expect(asked).toEqual(['/a'])
})

test('a document without an end is not read to its end', async () => {
  let isClosed = false
  answering = (response) => {
    response.on('close', () => {
      isClosed = true
    })
    const more = () => {
      while (!response.destroyed && response.write('a'.repeat(10_000)));
      response.once('drain', more)
    }
    more()
  }
  await expect(fetchDocument(`${origin}/a`)).rejects.toMatchObject({ code: 'unavailable' })
  await expect.poll(() => isClosed).toBe(true)
})
