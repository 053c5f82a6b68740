import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { runProgram as runWith } from '../../bin/frame.ts'
import { makeProgram } from '../../bin/program.ts'
import { type LoginWorld, startLoginWorld } from './support/login-world.ts'
import { Visitor } from './support/visitor.ts'

// The log-in of programs without a browser (RFC 8628), with the command and the real provider.

let world: LoginWorld
let folder: string
beforeAll(async () => {
  world = await startLoginWorld()
  folder = await mkdtemp(join(tmpdir(), 'casemill-device-'))
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(() => {
  world.provider.mood = 'well'
})

/** Runs the command. `onLine` gets each line for people. */
async function login(words: readonly string[], onLine: (line: string) => void = () => {}) {
  const out: string[] = []
  const err: string[] = []
  const args = ['login', '--server', world.address, ...words]
  const terminal = {
    out: process.stdout,
    err: process.stderr,
    signal: new AbortController().signal,
    write: async (chunk: string | Uint8Array) => void out.push(String(chunk)),
    explain: (line: string) => {
      err.push(line)
      onLine(line)
    },
  }
  const status = await runWith(
    await makeProgram(args, terminal),
    ['node', 'casemill', ...args],
    terminal,
  )
  return { status, out: out.join(''), err: err.join('\n') }
}

/** What the person does at the institution's page, whose forms it submits. */
async function confirm(page: string, account: string, answer: 'yes' | 'no' = 'yes'): Promise<void> {
  const visitor = new Visitor()
  const opened = await visitor.follow(page)
  // The page submits the code by script.
  const text = await opened.response.text()
  const asked = await visitor.follow(actionOf(text), { method: 'POST', body: fieldsOf(text) })
  const question = await asked.response.text()
  const body = fieldsOf(question)
  if (answer === 'no') body.set('abort', 'yes')
  const form = await visitor.follow(actionOf(question), { method: 'POST', body })
  if (answer === 'yes') await visitor.logIn(form.at, account)
}
const actionOf = (page: string) => /action="([^"]+)"/.exec(page)?.[1] ?? ''
const fieldsOf = (page: string) => {
  const fields = page.matchAll(/name="(\w+)" value="([^"]*)"/g)
  return new URLSearchParams(
    Array.from(fields, ([, name = '', value = '']): [string, string] => [name, value]),
  )
}
const pageIn = (line: string) => /^open (\S+)$/.exec(line)?.[1]

test('a person logs a program in, from any browser, and the token works', async () => {
  const file = join(folder, 'token.txt')
  let confirmed: Promise<void> | undefined
  const ended = await login(['--out', file, '--name', 'my laptop', '--days', '7'], (line) => {
    const page = pageIn(line)
    if (page) confirmed = confirm(page, 'ada')
  })
  await confirmed
  expect(ended).toMatchObject({ status: 0, out: '' })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const token = (await readFile(file, 'utf8')).trim()
  expect(token).toMatch(/^cmp_/)
  expect(ended.err).not.toContain(token)
  const user = await fetch(`${world.address}/auth/user`, { headers: { 'X-Auth-Token': token } })
  expect(user.status).toBe(200)
  const listed = await world.engine.shared.people?.tokens.list(`${world.provider.issuer}#ada`)
  expect(listed).toMatchObject([{ name: 'my laptop', scope: { readOnly: true } }])
}, 30_000)

test('a person who refuses gives no token', async () => {
  let refused: Promise<void> | undefined
  const file = join(folder, 'refused.txt')
  const ended = await login(['--out', file], (line) => {
    const page = pageIn(line)
    if (page) refused = confirm(page, 'ada', 'no')
  })
  await refused
  expect(ended).toMatchObject({ status: 1, out: '' })
  expect(ended.err).toContain('the log-in was refused or took too long')
  expect(existsSync(file)).toBe(false)
}, 30_000)

test('a file that exists is not written over, and nobody is asked', async () => {
  const file = join(folder, 'token.txt')
  const before = world.provider.requests.length
  expect((await login(['--out', file])).status).toBe(1)
  expect(world.provider.requests.length).toBe(before)
})

test('an institution that is silent ends the command with a message', async () => {
  world.provider.mood = 'failing'
  const ended = await login([])
  expect(ended).toMatchObject({ status: 1, out: '' })
  expect(ended.err).toContain('does not answer as it should')
})

test('a token that cannot be made does not spend the code', async () => {
  const ask = async (path: string, body?: object) => {
    const init = body
      ? { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }
      : {}
    const response = await fetch(`${world.address}${path}`, { method: 'POST', ...init })
    return { status: response.status, body: (await response.json()) as Record<string, string> }
  }
  const begun = await ask('/auth/device')
  expect(begun.status).toBe(200)
  const { device_code, verification_uri_complete: page = '' } = begun.body
  await confirm(page, 'ada')
  expect(await ask('/auth/device/token', { device_code, name: '' })).toMatchObject({ status: 400 })
  expect(await ask('/auth/device/token', { device_code, name: 'x', days: 400 })).toMatchObject({
    status: 400,
  })
  const made = await ask('/auth/device/token', { device_code, name: 'x' })
  expect(made).toMatchObject({ status: 201, body: { name: 'x', read_only: true } })
  // The code is valid once.
  expect(await ask('/auth/device/token', { device_code, name: 'x' })).toMatchObject({ status: 403 })
  expect(await ask('/auth/device/token', { device_code: 'wrong', name: 'x' })).toMatchObject({
    status: 403,
  })
})
