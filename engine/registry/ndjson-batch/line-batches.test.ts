import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { EngineError } from '../../shared/errors.ts'
import { type Executor, inlineExecutor } from '../../shared/executor.ts'
import { LONGEST_LINE, MAX_BATCHES } from './limits.ts'
import { LineBatches } from './line-batches.ts'
import { lineJob } from './line-job.ts'

/** Returns a number multiplied by the factor of the batch. */
const timesJob = lineJob<{ readonly factor: number }>('test.times', ({ factor }) => (line) => {
  if (typeof line === 'number') return String(line * factor)
  throw new EngineError('bad_input', 'the line is no number; give one', { at: 'line' })
})

async function* linesOf(...texts: readonly string[]) {
  for (const text of texts) yield Buffer.from(text)
}

/** A source that never ends and records when its reader leaves. */
function endless(line = '1\n') {
  const seen = { taken: 0, isLeft: false }
  async function* lines() {
    try {
      for (;;) {
        seen.taken++
        yield Buffer.from(line)
      }
    } finally {
      seen.isLeft = true
    }
  }
  return { seen, lines: lines() }
}

const work = { job: timesJob, given: () => ({ factor: 2 }) }

async function textOf(batches: LineBatches, ...texts: readonly string[]): Promise<string> {
  await using answers = await batches.start(linesOf(...texts), work)
  return await text(answers.body)
}

test('each line is answered in its place, a bad one by an error with its number', async () => {
  const long = '1'.repeat(LONGEST_LINE + 1)
  const answers = await textOf(new LineBatches(inlineExecutor), '1\n', `\nx\n"y"\n${long}\n`, '2')
  const [first, second, ...rest] = answers.trimEnd().split('\n')
  expect([first, second]).toEqual(['2', ''])
  expect(rest.map((line) => JSON.parse(line))).toEqual([
    { line: 3, error: { code: 'bad_input', message: 'the line is not valid JSON' } },
    { line: 4, error: { code: 'bad_input', message: expect.any(String), at: 'line' } },
    { line: 5, error: { code: 'too_large', message: expect.any(String) } },
    4,
  ])
})

test('bytes that are no UTF-8 spoil their own line alone', async () => {
  await using answers = await new LineBatches(inlineExecutor).start(
    (async function* () {
      yield Buffer.from([0x31, 10, 0xff, 10, 0x33, 10])
    })(),
    work,
  )
  const [first, second, third] = (await text(answers.body)).split('\n')
  expect([first, third]).toEqual(['2', '6'])
  expect(JSON.parse(second ?? '')).toMatchObject({ line: 2, error: { code: 'bad_input' } })
})

test('answers for which a chunk has no space come in their places', async () => {
  const longJob = lineJob('test.long', () => (line) => JSON.stringify('é'.repeat(Number(line))))
  const lengths = [3, 150_000, 2, 150_000, 150_000, 1, 400_000, 0]
  const lines = lengths.map((length) => `${length}\n`).join('')
  await using stream = await new LineBatches(inlineExecutor).start(linesOf(lines, lines, lines), {
    job: longJob,
    given: () => ({}),
  })
  const answers = (await text(stream.body)).trimEnd().split('\n')
  expect(answers.map((answer) => JSON.parse(answer).length)).toEqual(
    [lengths, lengths, lengths].flat(),
  )
})

test('it is counted how many lines were answered by an error', async () => {
  await using answers = await new LineBatches(inlineExecutor).start(
    linesOf('1\n', 'x\n"y"\n', '2'),
    work,
  )
  expect(answers.errors()).toBe(0)
  await text(answers.body)
  expect(answers.errors()).toBe(2)
})

test('what fails for another reason ends the batch', async () => {
  const bugJob = lineJob('test.bug', () => () => {
    throw new TypeError('a bug')
  })
  await using answers = await new LineBatches(inlineExecutor).start(linesOf('1\n'), {
    job: bugJob,
    given: () => ({}),
  })
  await expect(text(answers.body)).rejects.toThrow('a bug')
})

test('no more is read than jobs and the reader take', async () => {
  const { seen, lines } = endless()
  const answers = await new LineBatches(inlineExecutor).start(lines, work)
  const reader = answers.body[Symbol.asyncIterator]()
  await reader.next()
  await wait(20)
  // Two chunks are in progress in addition to the one that was taken.
  expect(seen.taken).toBeLessThanOrEqual(4)
  await answers[Symbol.asyncDispose]()
  await expect.poll(() => seen.isLeft).toBe(true)
})

test('an aborted batch ends with the reason, also where nothing comes any more', async () => {
  const stop = new AbortController()
  const never = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) }
  const { signal } = stop
  await using answers = await new LineBatches(inlineExecutor).start(never, work, { signal })
  const all = text(answers.body)
  stop.abort(new Error('left'))
  await expect(all).rejects.toThrow('left')
})

test('places are given back by whatever ends, and beyond them is busy', async () => {
  const batches = new LineBatches(inlineExecutor)
  const failing = { job: timesJob, given: () => Promise.reject(new Error('no')) }
  await expect(batches.start(linesOf(), failing)).rejects.toThrow('no')
  const open = await Promise.all(
    Array.from({ length: MAX_BATCHES }, () => batches.start(endless().lines, work)),
  )
  await expect(batches.start(linesOf(), work)).rejects.toMatchObject({ code: 'busy' })
  await open[0]?.[Symbol.asyncDispose]()
  await open[0]?.[Symbol.asyncDispose]()
  expect(await textOf(batches, '4\n')).toBe('8\n')
  await Promise.all(open.map((answers) => answers[Symbol.asyncDispose]()))
})

test('the answers keep their order, whichever job ends first', async () => {
  let turn = 0
  const executor: Executor = {
    parallelism: 4,
    async run(job, input, options) {
      await wait(turn++ % 2 === 0 ? 5 : 0)
      return inlineExecutor.run(job, input, options)
    },
  }
  const lines = Array.from({ length: 40 }, (_, i) => `${i}\n`)
  expect(await textOf(new LineBatches(executor), ...lines)).toBe(
    lines.map((_, i) => `${2 * i}\n`).join(''),
  )
})
