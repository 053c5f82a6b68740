import { expect, test } from 'vitest'
import { EngineError } from '../../shared/errors.ts'
import { type Executor, inlineExecutor, type Job } from '../../shared/executor.ts'
import { evaluate } from '../query/evaluate.ts'
import { and, on, queryOf } from '../query/support/ask.ts'
import { memoryRelease } from '../query/support/memory-release.ts'
import { JoinedFields } from './joined-fields.ts'

const release = memoryRelease({
  files: Array.from({ length: 60 }, (_, i) => ({
    file_id: `f${String(i).padStart(2, '0')}`,
    cases: [{ case_id: `c${i % 7}` }, ...(i % 5 === 0 ? [{ case_id: `c${(i + 1) % 7}` }] : [])],
  })),
  cases: Array.from({ length: 7 }, (_, i) => ({ case_id: `c${i}`, primary_site: `site ${i % 3}` })),
})
const query = queryOf('files', {
  filters: and(on('cases.primary_site', '=', 'site 1'), on('file_id', '!=', 'f01')),
  facets: ['cases.primary_site', 'file_id'],
})

/** Executor that counts its jobs. While it is busy, it rejects jobs like a full queue. */
class CountingExecutor implements Pick<Executor, 'run' | 'parallelism'> {
  readonly parallelism = 1
  readonly names: string[] = []
  error: Error | undefined

  async run<Input, Output>(job: Job<Input, Output>, input: Input): Promise<Output> {
    this.names.push(job.name)
    if (this.error) throw this.error
    return inlineExecutor.run(job, input)
  }
}

const sourcesOf = (executor: Executor) => ({
  layouts: release.layouts,
  loaded: release.loaded,
  executor,
})

test('a field is joined at its second request, by one shared job, with equal results', async () => {
  const executor = new CountingExecutor() as CountingExecutor & Executor
  const fields = new JoinedFields()
  expect(await fields.of(query, sourcesOf(executor))).toEqual({
    joins: new Map(),
    isComplete: false,
  })
  expect(executor.names).toEqual([])
  const [{ joins, isComplete }, { joins: same }] = await Promise.all([
    fields.of(query, sourcesOf(executor)),
    fields.of(query, sourcesOf(executor)),
  ])
  expect(isComplete).toBe(true)
  expect([...joins.keys()]).toEqual(['cases.primary_site'])
  expect(same.get('cases.primary_site')).toBe(joins.get('cases.primary_site'))
  expect(executor.names).toEqual(['query.join'])
  expect(evaluate(query, release.arrays, joins)).toEqual(evaluate(query, release.arrays))
})

test('a query runs without a joined field if no thread is free, and later ones retry', async () => {
  const executor = new CountingExecutor() as CountingExecutor & Executor
  const fields = new JoinedFields()
  const ask = () => fields.of(query, sourcesOf(executor))
  await ask()
  executor.error = new EngineError('busy', 'too much work is waiting')
  expect(await ask()).toEqual({ joins: new Map(), isComplete: false })
  executor.error = undefined
  await ask()
  expect((await ask()).joins.size).toBe(1)
})

test('any other failure is that of the query', async () => {
  const executor = new CountingExecutor() as CountingExecutor & Executor
  executor.error = new TypeError('a bug')
  const fields = new JoinedFields()
  await fields.of(query, sourcesOf(executor))
  await expect(fields.of(query, sourcesOf(executor))).rejects.toThrow('a bug')
})
