import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LoginWorld, sessionOf, startLoginWorld } from '../login/support/login-world.ts'
import { Visitor } from '../login/support/visitor.ts'

// An institution that accepts connections and never answers. Nothing may wait for it without end.

let world: LoginWorld
beforeAll(async () => {
  world = await startLoginWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

test('a log-in is told in time that the institution is silent, and others are served meanwhile', async () => {
  const { visitor: known } = await world.logIn('bob')
  const visitor = new Visitor()
  const form = await visitor.follow(`${world.address}/auth/login`)
  const isEnd = (to: string) => to.startsWith(world.address)
  const end = (await visitor.logIn(form.at, 'ada', isEnd)).next ?? ''
  world.provider.mood = 'silent'
  const ended = visitor.ask(end)
  const many = Array.from({ length: 30 }, () =>
    fetch(`${world.address}/auth/device`, { method: 'POST' }),
  )
  // These do not wait for the institution.
  expect((await known.ask(`${world.address}/auth/user`)).status).toBe(200)
  expect((await fetch(`${world.address}/status`)).status).toBe(200)
  expect((await ended).status).toBe(503)
  expect(sessionOf(visitor, world.address)).toBeUndefined()
  const statuses = (await Promise.all(many)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([503]))
  world.provider.mood = 'well'
  await world.logIn('ada')
}, 60_000)

test('the description of the institution is asked for once, however many people come', async () => {
  const other = await startLoginWorld()
  try {
    other.provider.mood = 'failing'
    const ask = () => fetch(`${other.address}/auth/login`, { redirect: 'manual' })
    const statuses = (await Promise.all(Array.from({ length: 40 }, ask))).map((one) => one.status)
    expect(new Set(statuses)).toEqual(new Set([503]))
    expect(other.provider.requests).toEqual(['/.well-known/openid-configuration'])
  } finally {
    await other[Symbol.asyncDispose]()
  }
})
