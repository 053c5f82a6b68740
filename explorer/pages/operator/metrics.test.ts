import { expect, test } from 'vitest'
import { metricsOf, numbersOf } from './metrics.ts'

// The format is that of https://prometheus.io/docs/instrumenting/exposition_formats/
const TEXT = String.raw`# HELP casemill_jobs_running Jobs that threads are running, by pool.
# TYPE casemill_jobs_running gauge
casemill_jobs_running{pool="short"} 2
casemill_jobs_running{pool="long"} 1

casemill_disk_free_bytes 1.4e+9
msdos_file_access{path="C:\\DIR\\FILE.TXT",error="Cannot find file:\n\"FILE.TXT\""} 1.458255915e9
nodejs_gc_bucket{le="+Inf",kind="minor"} 3 1395066363000
`

test('lines are read with their labels, comments are not', () => {
  const metrics = metricsOf(TEXT)
  expect(metrics.map(({ name, value }) => [name, value])).toEqual([
    ['casemill_jobs_running', 2],
    ['casemill_jobs_running', 1],
    ['casemill_disk_free_bytes', 1_400_000_000],
    ['msdos_file_access', 1_458_255_915],
    ['nodejs_gc_bucket', 3],
  ])
  expect(metrics[3]?.labels).toEqual(
    new Map([
      ['path', String.raw`C:\DIR\FILE.TXT`],
      ['error', 'Cannot find file:\n"FILE.TXT"'],
    ]),
  )
})

test('numbers are summed over their labels, and none is made up', () => {
  expect(numbersOf(metricsOf(TEXT))).toEqual([
    { title: 'Free disk space', value: '1.4 GB' },
    { title: 'Running jobs', value: '3' },
  ])
})
