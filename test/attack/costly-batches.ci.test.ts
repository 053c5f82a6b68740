import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { LineBatches } from '../../engine/registry/ndjson-batch/line-batches.ts'
import { lineJob } from '../../engine/registry/ndjson-batch/line-job.ts'
import { type Executor, inlineExecutor } from '../../engine/shared/executor.ts'

// Batches of empty lines: an answer must not be much longer than its request, and the lines must not become one
// job each.

const countJob = lineJob(
  'test.count',
  () => (line) => JSON.stringify(Object.keys(line as object).length),
)
const CHUNK_BYTES = 64 << 10

async function answered(text: string) {
  let jobs = 0
  const executor: Executor = {
    parallelism: 1,
    run(job, input, options) {
      jobs += 1
      return inlineExecutor.run(job, input, options)
    },
  }
  async function* chunks() {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      yield bytes.subarray(at, at + CHUNK_BYTES)
    }
  }
  const work = { job: countJob, given: () => ({}) }
  await using answers = await new LineBatches(executor).start(chunks(), work)
  const bytes = await buffer(answers.body)
  return { bytes, jobs, errors: answers.errors() }
}

test('a megabyte of line breaks is answered by as many, in a job for each chunk', async () => {
  const { bytes, jobs, errors } = await answered('\n'.repeat(1 << 20))
  expect(bytes.length).toBe(1 << 20)
  expect(bytes.every((byte) => byte === 10)).toBe(true)
  expect(jobs).toBe((1 << 20) / CHUNK_BYTES)
  expect(errors).toBe(0)
})

test('lines of blanks are as empty', async () => {
  const { bytes, errors } = await answered(' \n\t\n\r\n \t \r\n')
  expect([bytes.toString(), errors]).toEqual(['\n\n\n\n', 0])
})

test('lines keep their numbers, and answers their places, among empty ones', async () => {
  const empty = '\n'.repeat(300)
  const { bytes } = await answered(`{"a":1}\n${empty}x\n${empty}{"a":1,"b":2}\n\n{}`)
  const lines = bytes.toString().split('\n')
  expect([lines[0], lines[602], lines[604], lines.length]).toEqual(['1', '2', '0', 606])
  expect(JSON.parse(lines[301] ?? '')).toMatchObject({ line: 302, error: { code: 'bad_input' } })
  expect(lines.filter((line) => line !== '')).toHaveLength(4)
})

test('a line of many different names is refused before it is parsed', async () => {
  const names = Array.from({ length: 50_000 }, (_, i) => `"k${i}":1`)
  const { bytes, errors } = await answered(`{${names}}\n{"a":1}\n`)
  const [first, second] = bytes.toString().split('\n')
  expect(JSON.parse(first ?? '')).toMatchObject({ line: 1, error: { code: 'too_many' } })
  expect([second, errors]).toEqual(['1', 1])
})
