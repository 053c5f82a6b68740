import { expect, test } from 'vitest'
import { shardNumber } from './shard-number.ts'

/** Variables of `--array=1-10`, see https://slurm.schedmd.com/job_array.html. */
const slurm = (id: string, last = '10') => ({
  SLURM_ARRAY_JOB_ID: '36',
  SLURM_ARRAY_TASK_ID: id,
  SLURM_ARRAY_TASK_COUNT: last,
  SLURM_ARRAY_TASK_MAX: last,
  SLURM_ARRAY_TASK_MIN: '1',
})

test('a shard is given from 1, with the number of all', () => {
  expect(shardNumber('1/10', {}, 10)).toBe(1)
  expect(shardNumber('10/10', slurm('3'), 10)).toBe(10)
  for (const wrong of ['0/10', '11/10', '3/9', '3/100', '3', '-1/10', '1.5/10', '/', '1/10 ', '']) {
    expect(() => shardNumber(wrong, {}, 10), wrong).toThrow(
      /is no shard of this plan; give one from 1\/10 to 10\/10/,
    )
  }
})

test('tasks of a Slurm array count from 1; an array that is longer than the plan is refused', () => {
  expect(shardNumber(undefined, slurm('1'), 10)).toBe(1)
  expect(shardNumber(undefined, slurm('10'), 10)).toBe(10)
  // Some tasks are run again: --array=3,7.
  expect(shardNumber(undefined, slurm('7', '7'), 10)).toBe(7)
  for (const [id, last] of [
    ['0', '9'],
    ['11', '11'],
    ['3', '11'],
    ['x', '10'],
  ] as const) {
    expect(() => shardNumber(undefined, slurm(id, last), 10)).toThrow(/use --array=1-10$/)
  }
})

// https://kubernetes.io/docs/concepts/workloads/controllers/job/#completion-mode
test('pods of an indexed job count from 0', () => {
  expect(shardNumber(undefined, { JOB_COMPLETION_INDEX: '0' }, 10)).toBe(1)
  expect(shardNumber(undefined, { JOB_COMPLETION_INDEX: '9' }, 10)).toBe(10)
  for (const index of ['10', '-1', '', 'a']) {
    expect(() => shardNumber(undefined, { JOB_COMPLETION_INDEX: index }, 10)).toThrow(
      /use completions: 10$/,
    )
  }
})

test('where nobody says which, there is none', () => {
  expect(shardNumber(undefined, {}, 10)).toBeUndefined()
})
