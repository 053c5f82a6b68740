import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { inputAt, type Plan, readPlan, writePlan } from './plan.ts'
import { allShards, makeShard } from './shards.ts'

let folder: string
let input: string
let plan: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-shards-'))
  input = join(folder, 'input')
  writeFileSync(input, 'ab')
  plan = join(folder, 'deep/plan')
  await writePlan(plan, await planOf(), Buffer.from('text'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const planOf = async (): Promise<Plan> => ({
  kind: 'test',
  parameters: { year: 2026 },
  inputs: [await inputAt(input)],
  shards: [[{ input: 0, start: 0, end: 1 }], [{ input: 0, start: 1, end: 2 }]],
})

const at = (name: string) => join(plan, name)
const work = (text: string) => async (place: string) => {
  writeFileSync(join(place, 'made'), text)
  return { text }
}
const made = async (shard: number, text = 'x') => makeShard(await readPlan(plan), shard, work(text))

test('a plan is there as a whole; the same one again changes nothing, another is refused', async () => {
  expect(readdirSync(plan).sort()).toEqual(['plan.json', 'text'])
  expect(readdirSync(join(folder, 'deep'))).toEqual(['plan'])
  expect(await writePlan(plan, await planOf(), Buffer.from('text'))).toBe(false)
  await expect(writePlan(plan, await planOf(), Buffer.from('other'))).rejects.toMatchObject({
    code: 'conflict',
  })
  const other = { ...(await planOf()), kind: 'other' }
  await expect(writePlan(plan, other, undefined)).rejects.toMatchObject({ code: 'conflict' })
  expect(readdirSync(join(folder, 'deep'))).toEqual(['plan'])
  // An empty folder counts as no folder.
  mkdirSync(join(folder, 'empty'))
  expect(await writePlan(join(folder, 'empty'), other, undefined)).toBe(true)
})

test('a text that was changed is refused', async () => {
  expect((await (await readPlan(plan)).text())?.toString()).toBe('text')
  writeFileSync(at('text'), 'tex7')
  await expect((await readPlan(plan)).text()).rejects.toMatchObject({ code: 'corrupt_source' })
})

test('what is no plan, or of another version of the program, is refused', async () => {
  await expect(readPlan(folder)).rejects.toMatchObject({ code: 'not_found' })
  const text = readFileSync(at('plan.json'), 'utf8')
  writeFileSync(at('plan.json'), text.replace(/"casemill":"[^"]+"/, '"casemill":"0.0.1"'))
  await expect(readPlan(plan)).rejects.toThrow(/made by casemill 0\.0\.1 and this is/)
  writeFileSync(at('plan.json'), '{}')
  await expect(readPlan(plan)).rejects.toMatchObject({ code: 'corrupt_source' })
})

test('a shard is done once', async () => {
  expect(await made(1, 'first')).toMatchObject({ isKnown: false, result: { text: 'first' } })
  expect(await made(1, 'second')).toMatchObject({ isKnown: true, result: { text: 'first' } })
  expect(readFileSync(at('shard-00001/made'), 'utf8')).toBe('first')
})

test('what a killed process left goes, and that of other shards stays', async () => {
  mkdirSync(at('.shard-00001.old.part/deep'), { recursive: true })
  mkdirSync(at('.shard-00002.old.part'))
  await made(1)
  expect(readdirSync(plan).sort()).toEqual([
    ...['.shard-00002.old.part', 'plan.json', 'shard-00001', 'text'],
  ])
})

test('work that fails leaves nothing', async () => {
  const fail = async (place: string) => {
    await work('half')(place)
    throw new Error('broken off')
  }
  await expect(makeShard(await readPlan(plan), 1, fail)).rejects.toThrow('broken off')
  expect(readdirSync(plan).sort()).toEqual(['plan.json', 'text'])
})

test('of two processes one is joined, and the other one says so', async () => {
  const slow = async (place: string) => {
    const result = await work('slow')(place)
    // Another process starts the same shard and finishes it first.
    await made(1, 'fast')
    return result
  }
  await expect(makeShard(await readPlan(plan), 1, slow)).rejects.toThrow(
    /another process has started shard 1 again/,
  )
  expect(readFileSync(at('shard-00001/made'), 'utf8')).toBe('fast')
  // Simulates a process that did not remove the folder in which another one works.
  const besides = async (place: string) => {
    cpSync(at('shard-00001'), at('shard-00002'), { recursive: true })
    const marker = readFileSync(at('shard-00002/marker.json'), 'utf8')
    writeFileSync(at('shard-00002/marker.json'), marker.replace('"shard":1', '"shard":2'))
    return work('late')(place)
  }
  const second = await makeShard(await readPlan(plan), 2, besides)
  expect(second).toMatchObject({ isKnown: true, result: { text: 'fast' } })
})

test('an input that was changed is noticed before the work and after it', async () => {
  const change = async () => {
    appendFileSync(input, 'c')
    return 'nothing'
  }
  const planned = await readPlan(plan)
  await expect(makeShard(planned, 1, change)).rejects.toThrow(/input" was changed since the plan/)
  await expect(made(1)).rejects.toMatchObject({ code: 'conflict' })
  writeFileSync(input, 'ab')
  // The bytes are the same again, but that cannot be known without reading all of them.
  utimesSync(input, 1, 1)
  await expect(made(1)).rejects.toMatchObject({ code: 'conflict' })
  rmSync(input)
  await expect(made(1)).rejects.toMatchObject({ code: 'not_found' })
  expect(readdirSync(plan).sort()).toEqual(['plan.json', 'text'])
})

const joined = async () => allShards(await readPlan(plan))

test('shards are in order; one that is missing is named', async () => {
  await expect(joined()).rejects.toThrow(/^shards 1, 2 of 2 are missing/)
  await made(2, 'b')
  await expect(joined()).rejects.toThrow(/^shard 1 of 2 is missing/)
  await made(1, 'a')
  expect((await joined()).map(({ result }) => result)).toEqual([{ text: 'a' }, { text: 'b' }])
})

test('a shard that is there twice counts once, unless it has other content', async () => {
  await made(1, 'a')
  await made(2, 'b')
  cpSync(at('shard-00001'), at('shard-00001 from the other site'), { recursive: true })
  expect(await joined()).toHaveLength(2)
  rmSync(at('shard-00001'), { recursive: true })
  await made(1, 'other')
  await expect(joined()).rejects.toThrow(/^shard 1 exists twice with different content/)
})

test('a shard of another plan is refused, by who runs it and by who joins', async () => {
  await made(1)
  renameSync(at('shard-00001'), join(folder, 'kept'))
  rmSync(plan, { recursive: true })
  await writePlan(plan, { ...(await planOf()), parameters: { year: 2027 } }, undefined)
  await made(2)
  renameSync(join(folder, 'kept'), at('shard-00001'))
  await expect(joined()).rejects.toThrow(/shard-00001" is a shard of another plan/)
  await expect(made(1)).rejects.toThrow(/shard-00001" is a shard of another plan/)
})

test('a folder that is called as a shard and has no marker is refused', async () => {
  mkdirSync(at('shard-00001'))
  await expect(made(1)).rejects.toThrow(/has no shard marker/)
  await made(2)
  await expect(joined()).rejects.toThrow(/has no shard marker/)
})
