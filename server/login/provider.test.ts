import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LoginProvider } from './provider.ts'

// An institution that holds its answers, and strangers who ask for more than their share of it.

let institution: Server
let provider: LoginProvider
/** Milliseconds of the provider's clock. */
let now: number
let held: ServerResponse[]
let isHolding: boolean
let asked: number

beforeEach(async () => {
  now = 0
  asked = 0
  held = []
  isHolding = true
  institution = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/json')
    if (request.url === '/.well-known/openid-configuration') {
      response.end(JSON.stringify(description()))
      return
    }
    asked++
    if (isHolding) held.push(response)
    else answer(response)
  })
  await new Promise<void>((resolve) => institution.listen(0, '127.0.0.1', resolve))
  const settings = {
    issuer: issuer(),
    clientId: 'casemill',
    clientSecret: 'a-secret',
    scopes: 'openid',
    publicUrl: 'http://127.0.0.1:8080',
    sessionTimes: { idleSeconds: 60, absoluteSeconds: 60 },
  }
  provider = new LoginProvider(settings, { absentClaims: async () => [] }, () => now)
})
afterEach(async () => {
  institution.closeAllConnections()
  await new Promise((resolve) => institution.close(resolve))
})

const issuer = () => `http://127.0.0.1:${(institution.address() as AddressInfo).port}`
const description = () => ({
  issuer: issuer(),
  authorization_endpoint: `${issuer()}/auth`,
  token_endpoint: `${issuer()}/token`,
  jwks_uri: `${issuer()}/jwks`,
  device_authorization_endpoint: `${issuer()}/device`,
})
const codes = { device_code: 'd', user_code: 'u', verification_uri: 'http://a/', expires_in: 60 }
const answer = (response: ServerResponse) => response.end(JSON.stringify(codes))

test('one address can take only half of the places, so another one logs in', async () => {
  const outcomes = Array.from({ length: 100 }, async () =>
    provider.beginDevice('stranger').then(
      () => 'begun',
      (error: unknown) => (error as { code?: string }).code,
    ),
  )
  const other = provider.beginDevice('somebody')
  await expect.poll(() => held.length).toBe(16)
  // Those that wait come once the first ones have their answers.
  isHolding = false
  for (const response of held) answer(response)
  expect((await other).userCode).toBe('u')
  const counts = Object.fromEntries(
    Array.from(Map.groupBy(await Promise.all(outcomes), String), ([name, all]) => [
      name,
      all.length,
    ]),
  )
  expect(counts).toEqual({ begun: 40, busy: 60 })
})

test('one address asks the institution ten times a second at most, after a burst', async () => {
  isHolding = false
  const poll = () => provider.beginDevice('stranger')
  for (let i = 0; i < 200; i++) await poll()
  await expect(poll()).rejects.toMatchObject({ code: 'busy', retryAfterSeconds: 1 })
  await provider.beginDevice('somebody')
  expect(asked).toBe(201)
  now += 1000
  for (let i = 0; i < 10; i++) await poll()
  await expect(poll()).rejects.toMatchObject({ code: 'busy' })
})
