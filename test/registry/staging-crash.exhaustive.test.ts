import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  CONTENT,
  OF,
  openStaging,
  READER,
} from '../../engine/registry/staging/store/support/made-staging.ts'
import { sharedState } from '../../engine/shared-state.ts'
import { madeZip } from '../../fixtures/made-zip.ts'
import { randomFrom } from '../../fixtures/random.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/casemill.ts', import.meta.url))
const EDITS = fileURLToPath(new URL('support/edit-staging.ts', import.meta.url))

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-staging-crash-'))
})
afterAll(() => rm(folder, { recursive: true }))

function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
}

async function run(args: readonly string[]) {
  const child = start([PROGRAM, ...args])
  const ends = Promise.all([text(child.stdout!), text(child.stderr!), once(child, 'exit')])
  const [out, err, [status]] = await ends
  return { out, err, status }
}

test('edits that were acknowledged outlive kill -9, and no edit is there by half', async () => {
  const random = randomFrom(61)
  for (let round = 0; round < 6; round++) {
    const path = await mkdtemp(join(folder, 'edits-'))
    const child = start([EDITS, path])
    const ended = once(child, 'exit')
    let told = ''
    // The kill comes after some edits, and not before the first one.
    const wanted = 1 + random.below(30)
    for await (const chunk of child.stdout!) {
      told += chunk
      if (Number(told.trimEnd().split('\n').at(-1)) < wanted) continue
      setTimeout(() => child.kill('SIGKILL'), random.unit() * 20)
    }
    expect(await ended).toEqual([null, 'SIGKILL'])
    const acknowledged = told.split('\n').length - 1
    const state = sharedState({ dataFolder: path })
    const { staging } = openStaging(state)
    const { record } = await staging.version(READER, OF).entity('table', 'u')
    const { title } = record
    const done = Number(title)
    expect([acknowledged, acknowledged + 1]).toContain(done)
    const made = await staging.version(READER, OF).tables({ q: '-' })
    expect(made).toEqual([{ id: `${done}-`, title }])
    const history = await staging.version(READER, OF).entityHistory('table', {
      order: 'ASC',
      perPage: 1000,
    })
    expect(history.map(({ number }) => number)).toEqual(history.map((_, i) => i + 2))
    const comments = Map.groupBy(history.slice(CONTENT.tables.size), ({ comment }) => comment)
    const counts = Array.from({ length: done }, (_, i) => [`edit ${i + 1}`, i === 0 ? 2 : 3])
    expect([...comments].map(([comment, entries]) => [comment, entries.length])).toEqual(counts)
    await state.close()
  }
})

/** An archive with `more` tables in addition to those of `made`. */
async function giveArchive(version: string, more: number): Promise<string> {
  const of = { algorithm: 'made', version }
  const rows = Array.from({ length: 200 }, (_, i) => [String(i), `VALUE:${i} of ${version}`])
  const t = CONTENT.tables.get('t')
  const tables = [
    ...CONTENT.tables.values(),
    ...Array.from({ length: more }, (_, i) => ({ ...t, id: `more-${i}`, rows })),
  ]
  const entry = (kind: string, entity: { readonly id: string }) => ({
    name: `${kind}/${entity.id}.json`,
    content: JSON.stringify({ ...entity, ...of }),
  })
  const path = join(folder, `made-${version}.zip`)
  const schemas = [...CONTENT.schemas.values()].map((schema) => entry('schemas', schema))
  await writeFile(path, madeZip([...schemas, ...tables.map((table) => entry('tables', table))]))
  return path
}

test('an import that is killed leaves each version whole or not there, and can be run again', async () => {
  const more = 400
  const total = CONTENT.tables.size + more
  const archives = [await giveArchive('1.0', more), await giveArchive('2.0', more)]
  const random = randomFrom(62)
  const sizes = async (data: string) => {
    const state = sharedState({ dataFolder: data })
    const { staging } = openStaging(state)
    const { catalogue } = staging
    const isThere = (await catalogue.algorithms()).length > 0
    const found = isThere ? await catalogue.versions(READER, 'made') : []
    const counts: Record<string, number[]> = {}
    for (const { version } of found) {
      const tables = await staging.version(READER, { algorithm: 'made', version }).tables()
      const page = { perPage: 1000 }
      const history = await staging
        .version(READER, { algorithm: 'made', version })
        .entityHistory('table', page)
      counts[version] = [tables.length, history.length]
    }
    await state.close()
    return counts
  }
  const whole = { '1.0': [total, total], '2.0': [total, total] }
  let began = performance.now()
  const first = await mkdtemp(join(folder, 'data-'))
  expect(await run(['import', 'staging', ...archives, '--data', first])).toMatchObject({
    status: 0,
  })
  let wholeMs = performance.now() - began
  expect(await sizes(first)).toEqual(whole)
  const seen: string[] = []
  for (let killed = 0; killed < 5; ) {
    const data = await mkdtemp(join(folder, 'data-'))
    began = performance.now()
    const child = start([PROGRAM, 'import', 'staging', ...archives, '--data', data])
    const moment = (0.3 + 0.7 * random.unit()) * wholeMs
    const timer = setTimeout(() => child.kill('SIGKILL'), moment)
    const [, signal] = await once(child, 'exit')
    clearTimeout(timer)
    if (signal === null) {
      // The run ended before the kill, because the machine is faster now.
      wholeMs = performance.now() - began
      continue
    }
    killed++
    const counts = await sizes(data)
    seen.push(Object.keys(counts).join(' and ') || 'none')
    for (const count of Object.values(counts)) expect(count).toEqual([total, total])
    const again = await run(['import', 'staging', ...archives, '--data', data])
    expect(again).toMatchObject({ status: 0, err: '' })
    expect(await sizes(data)).toEqual(whole)
  }
  expect(await run(['check', '--data', first])).toMatchObject({ status: 0, out: '' })
  process.stdout.write(`after a kill there were versions: ${seen.join(', ')}\n`)
})
