import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProgram } from '../../bin/support/program.ts'
import { depth } from '../depth.ts'
import { copyMadeRelease } from '../made-release.ts'

// A server is killed while clients create and change sets and cohorts. Afterwards every acknowledged change must
// be there, and a change that was in progress must be there whole or not at all.

const KILLS = depth(2, 20)
const CLIENTS = 4
/** The number of writes to be acknowledged before each kill. */
const WRITES = 60

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-killed-sets-'))
  await copyMadeRelease(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function start() {
  const child = startProgram(['serve', '--port', '0', '--data', folder, '--threads', '1'])
  child.stderr.resume()
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const address = /http:\/\/[^\s)]+/.exec(String(line))?.[0]
  if (address === undefined) throw new Error(`it does not start: ${line}`)
  return { child, address }
}

/** A set with its possible sizes: the acknowledged one, and the one after a change in progress. */
interface Known {
  readonly id: string
  sizes: readonly number[]
}

class Client {
  readonly sets: Known[] = []
  /** The names of the acknowledged cohorts, and of all cohorts that were sent. */
  readonly cohorts = new Set<string>()
  readonly sent = new Set<string>()
  #cookie = ''

  async ask(address: string, path: string, body?: unknown) {
    const headers = { 'Content-Type': 'application/json', Cookie: this.#cookie }
    const post = { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await fetch(address + path, body === undefined ? { headers } : post)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
    const cookie = answer.headers.get('set-cookie')?.split(';', 1)[0]
    if (cookie !== undefined) this.#cookie = cookie
    return answer.headers.get('content-type') === 'application/json' ? JSON.parse(text) : text
  }

  /** Writes until the server no longer answers. */
  async write(address: string, onWritten: () => void): Promise<void> {
    await this.ask(address, '/cohorts')
    for (;;) {
      try {
        const { data } = await this.ask(address, '/sets', { type: 'gene', size: 2 })
        const known: Known = { id: data.set_id, sizes: [2] }
        this.sets.push(known)
        onWritten()
        known.sizes = [2, 12]
        const filters = this.#filter(known, 'excludeifany')
        await this.ask(address, `/sets/${known.id}/append`, { filters, size: 10 })
        known.sizes = [12]
        onWritten()
        const cohort = { name: `cohort of ${known.id}`, filters: {} }
        this.sent.add(cohort.name)
        await this.ask(address, '/cohorts', cohort)
        this.cohorts.add(cohort.name)
        onWritten()
      } catch (error) {
        if (error instanceof TypeError) return
        throw error
      }
    }
  }

  #filter({ id }: Known, op: string) {
    return { op, content: { field: 'genes.gene_id', value: [`set_id:${id}`] } }
  }

  async check(address: string): Promise<void> {
    for (const known of this.sets) {
      const { data } = await this.ask(address, `/sets/${known.id}`)
      expect(known.sizes).toContain(data.size)
      const table: string = await this.ask(address, `/sets/${known.id}/ids`)
      const filters = this.#filter(known, 'in')
      const asked = { filters, fields: 'gene_id', size: 100, sort: 'gene_id' }
      const found = await this.ask(address, '/genes', asked)
      const ids = found.data.hits.map(({ gene_id }: { gene_id: string }) => gene_id)
      expect(ids).toHaveLength(data.size)
      expect(table).toBe(['gene_id', ...ids, ''].join('\n'))
      known.sizes = [data.size]
    }
    const list: readonly { name: string }[] = await this.ask(address, '/cohorts')
    const names = new Set(list.map(({ name }) => name))
    for (const name of this.cohorts) expect(names).toContain(name)
    for (const name of names) expect(this.sent).toContain(name)
  }
}

test('what was acknowledged is whole after a kill', { timeout: 0 }, async () => {
  const clients = Array.from({ length: CLIENTS }, () => new Client())
  for (let round = 0; round < KILLS; round++) {
    const { child, address } = await start()
    const ended = once(child, 'exit')
    let written = 0
    const onWritten = () => {
      if (++written === WRITES) setTimeout(() => child.kill('SIGKILL'), (round * 7) % 20)
    }
    await Promise.all(clients.map((client) => client.write(address, onWritten)))
    await ended
    expect(written).toBeGreaterThanOrEqual(WRITES)
  }
  const { child, address } = await start()
  try {
    for (const client of clients) await client.check(address)
  } finally {
    const ended = once(child, 'exit')
    child.kill()
    await ended
  }
  const state = new DatabaseSync(join(folder, 'state.sqlite'), { readOnly: true })
  const members = `SELECT count(*) AS parts FROM set_members m JOIN sets s ON s.id = m.set_id
    WHERE s.version > 0 AND m.version <> s.version`
  // At most the changes that were in progress at each kill have left parts behind.
  const { parts } = state.prepare(members).get() as { parts: number }
  state.close()
  expect(parts).toBeLessThanOrEqual(KILLS * CLIENTS)
})
