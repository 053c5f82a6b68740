import { copyFile, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HtsWorld, openHtsWorld, type Token } from './support/hts-world.ts'
import { bytesOfTicket, type Ticket } from './support/htsget-client.ts'

// If anything goes wrong between a ticket and its bytes, the client gets an error and never other bytes.

const clock = { now: Date.parse('2026-03-01T00:00:00Z') }
let world: HtsWorld
let token: Token

beforeAll(async () => {
  world = await openHtsWorld({ engine: { clock: () => new Date(clock.now) } })
  token = await world.token()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const ticketOf = async () => {
  const url = `${world.server.address}/reads/${world.bamId}?referenceName=chr1`
  return (await (await fetch(url, { headers: token.headers })).json()) as Ticket
}

test('a link that has expired gives nothing', async () => {
  const ticket = await ticketOf()
  clock.now += 900_000
  await expect(bytesOfTicket(ticket)).rejects.toThrow(/^403: .*ticket is invalid or expired/)
})

test('a link of a token that was revoked gives nothing', async () => {
  const other = await world.token()
  const url = `${world.server.address}/reads/${world.bamId}?referenceName=chr1`
  const ticket = (await (await fetch(url, { headers: other.headers })).json()) as Ticket
  await world.engine.shared.tokens.revoke(other.id)
  await expect(bytesOfTicket(ticket)).rejects.toThrow(/^403: /)
})

test('ranges of a file that was replaced in the meantime are refused, not sent', async () => {
  const ticket = await ticketOf()
  const file = await world.engine.shared.files.find(world.bamId)
  if (file?.storage !== 'folder') return
  const stored = join(world.folder, 'data', 'files', world.bamId, file.fileName)
  const { atime, mtime } = await stat(stored)
  await copyFile(world.bamPath, stored)
  await utimes(stored, atime, new Date(mtime.getTime() + 1000))
  await expect(bytesOfTicket(ticket)).rejects.toThrow(/^412: .*other bytes by now/)
})
