import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { sharedState } from '../../engine/internal.ts'
import { WorkQueue } from '../../engine/shared/internal.ts'
import { eventually } from '../../test/eventually.ts'
import { runCommand } from '../support/command.ts'
import { endOf, startProgram } from '../support/program.ts'

const ID = '00000000-0000-4000-8000-000000000007'

let data = ''
beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'casemill-work-'))
  const database = sharedState({ dataFolder: data })
  const queue = new WorkQueue({ database, clock: () => new Date(), report: () => {} })
  // The file does not exist any more, so the task has nothing to do.
  await database.write(async (transaction) => {
    for (const kind of ['block-directory', 'gene-order']) {
      await queue.enqueue(transaction, kind, { file: ID }, { key: ID })
    }
  })
  await database.close()
})
afterAll(() => rmSync(data, { recursive: true, force: true }))

const run = (...args: readonly string[]) => runCommand([...args, '--data', data])
const kinds = async () => {
  const { out } = await run('work', 'list', '--json')
  return (JSON.parse(out) as { kind: string; state: string }[]).map(({ kind, state }) => [
    kind,
    state,
  ])
}

/** Starts the program. Returns its first line and a function that stops it. */
async function started(...args: readonly string[]) {
  const child = startProgram([...args, '--port', '0', '--threads', '1', '--data', data])
  const ended = endOf(child)
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const stop = () => {
    child.kill('SIGTERM')
    return ended
  }
  return { line: String(line), address: String(line).match(/http:\S+/)?.[0] ?? '', stop }
}

test('a list says what there is, and not of whom', async () => {
  const { status, out } = await run('work', 'list')
  expect(status).toBe(0)
  expect(out.split('\n')[0]).toBe('number\tkind\tstate\tage\tattempts\tdone\terror')
  expect(out).toMatch(/^1\tblock-directory\twaiting\t\d+ s\t0\t-\t-$/m)
  expect(out).not.toContain(ID)
})

test('a server without work leaves it, and counts it', async () => {
  const { address, stop } = await started('serve', '--no-work')
  const numbers = await (await fetch(`${address}/metrics`)).text()
  expect(numbers).toContain('casemill_work_tasks{kind="block-directory",state="waiting"} 1')
  expect(await stop()).toMatchObject({ status: 0, signal: null })
  expect(await kinds()).toEqual([
    ['block-directory', 'waiting'],
    ['gene-order', 'waiting'],
  ])
})

test('a worker runs the kinds of its configuration, and serves only its health', async () => {
  const { line, address, stop } = await started('work', '--kinds', 'block-directory')
  expect(line).toMatch(/^working on block-directory; health at http:/)
  await eventually(async () => expect(await kinds()).toEqual([['gene-order', 'waiting']]))
  const status = async (path: string) => (await fetch(`${address}${path}`)).status
  for (const path of ['/health/live', '/health/ready', '/health/dependencies', '/metrics']) {
    expect([path, await status(path)]).toEqual([path, 200])
  }
  for (const path of ['/', '/files', '/docs', '/status', '/rest/disease']) {
    expect([path, await status(path)]).toEqual([path, 404])
  }
  const ended = await stop()
  expect(ended.status).toBe(0)
  expect(ended.err).not.toContain(ID)
})

test('a server does what is left; what never failed is not tried again', async () => {
  const { stop } = await started('serve')
  await eventually(async () => expect(await kinds()).toEqual([]))
  expect(await stop()).toMatchObject({ status: 0, signal: null })
  const { status, err } = await run('work', 'retry', 'gene-order')
  expect([status, err]).toEqual([0, '0 of gene-order will be retried\n'])
})

test('an unknown kind is refused with the known ones', async () => {
  for (const args of [
    ['--kinds', 'gene-order,none'],
    ['retry', 'none'],
  ]) {
    const { status, err } = await run('work', ...args)
    expect(status).toBe(2)
    expect(err).toContain('"none" is no kind of background work; give block-directory, gene-order')
  }
})
