import { createHmac } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedState } from '../../shared-state.ts'
import type { Database } from '../database/database.ts'
import { Tickets } from './tickets.ts'

const FILE = '0d000000-0000-4000-8000-000000000001'
const OTHER = '0d000000-0000-4000-8000-000000000002'
const TERMS = {
  fileId: FILE,
  fingerprint: Buffer.from('0123456789abcdef').toString('base64url'),
  credential: { kind: 'token', id: '00112233445566ff' },
} as const
const clock = { now: Date.parse('2026-01-01T00:00:00Z') }
const time = () => new Date(clock.now)

let folder = ''
let database: Database
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-tickets-'))
  database = sharedState({ dataFolder: folder })
})
afterAll(async () => {
  await database.close()
  await rm(folder, { recursive: true })
})

test('a ticket says what was signed, on every node of the same state', async () => {
  const one = new Tickets(database, time)
  const other = new Tickets(database, time)
  const { text } = await one.sign(TERMS)
  expect(await other.verify(text, FILE)).toEqual(TERMS)
  const open = { ...TERMS, credential: undefined }
  expect(await one.verify((await other.sign(open)).text, FILE)).toEqual(open)
})

test.each([
  { kind: 'session', id: '00112233445566ff' },
  { kind: 'session', id: '0000000000000000' },
  { kind: 'jwt', id: '00112233445566ff8899aabbccddeeff' },
  { kind: 'jwt', id: '0'.repeat(32) },
] as const)('a ticket for a $kind says so, and nothing if it is changed', async (credential) => {
  const tickets = new Tickets(database, time)
  const { text } = await tickets.sign({ ...TERMS, credential })
  expect(await tickets.verify(text, FILE)).toEqual({ ...TERMS, credential })
  expect(await tickets.verify(text, OTHER)).toBeUndefined()
  const bytes = Buffer.from(text, 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    expect(await tickets.verify(changed.toString('base64url'), FILE), `${at}`).toBeUndefined()
    const shorter = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)])
    expect(await tickets.verify(shorter.toString('base64url'), FILE), `${at}`).toBeUndefined()
  }
})

test('a credential whose id has another length is not signed', async () => {
  const tickets = new Tickets(database, time)
  const wrong = [
    { kind: 'token', id: '0'.repeat(32) },
    { kind: 'jwt', id: '0'.repeat(16) },
    { kind: 'session', id: '' },
  ] as const
  for (const credential of wrong) {
    await expect(tickets.sign({ ...TERMS, credential })).rejects.toThrow('has another id')
  }
})

test('nodes that begin at the same time have one key', async () => {
  const [one, other] = [new Tickets(database, time), new Tickets(database, time)]
  const [a, b] = await Promise.all([one.sign(TERMS), other.sign(TERMS)])
  expect(a.text).toBe(b.text)
})

// The expected end is RFC 2104's HMAC over the first 28 bytes and the file's id.
test('its end is an HMAC-SHA-256 by the key of the state', async () => {
  const { text } = await new Tickets(database, time).sign(TERMS)
  const bytes = Buffer.from(text, 'base64url')
  const [row] = await database.ask<{ signing_key: Uint8Array }>('SELECT * FROM signing_keys')
  const mac = createHmac('sha256', row!.signing_key).update(bytes.subarray(0, 28)).update(FILE)
  expect(bytes.subarray(28).equals(mac.digest())).toBe(true)
})

test('it ends after 15 minutes', async () => {
  const tickets = new Tickets(database, time)
  const { text, expiresAt } = await tickets.sign(TERMS)
  expect(expiresAt.getTime() - clock.now).toBe(900_000)
  clock.now += 899_999
  expect(await tickets.verify(text, FILE)).toEqual(TERMS)
  clock.now += 1
  expect(await tickets.verify(text, FILE)).toBeUndefined()
})

test('one for another file, or changed at any place, or no ticket, says nothing', async () => {
  const tickets = new Tickets(database, time)
  const { text } = await tickets.sign(TERMS)
  expect(await tickets.verify(text, OTHER)).toBeUndefined()
  const bytes = Buffer.from(text, 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    expect(await tickets.verify(changed.toString('base64url'), FILE), `${at}`).toBeUndefined()
  }
  for (const wrong of ['', 'a', text.slice(1), `${text}AAAA`, 'ü'.repeat(80), '..'])
    expect(await tickets.verify(wrong, FILE)).toBeUndefined()
})
