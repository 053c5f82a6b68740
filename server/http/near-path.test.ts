import { expect, test } from 'vitest'
import { nearPath } from './near-path.ts'

const PATTERNS = [
  ...['/files', '/files/{file_id}', '/files/versions/{file_ids}', '/cases/{case_id}', '/cases'],
  ...['/history/{file_id}', '/data/{ids}', '/analysis/survival', '/rest/{algorithm}/{version}'],
]

test.each([
  ['/Files', '; did you mean /files?'],
  ['/file', '; did you mean /files?'],
  ['/history', '; did you mean /history/{file_id}?'],
  ['/case/2b7f0b9c-3cf3-4f6c-8d0d-4f7a4d3a1a11', '; did you mean /cases/{case_id}?'],
  ['/analysis/survial', '; did you mean /analysis/survival?'],
  ['/files/version/0d1e,0d1f', '; did you mean /files/versions/{file_ids}?'],
  ['/legacy/files', ''],
  ['/data/0d1e', ''],
  ['/qqqqqq', ''],
  [`/${'files/'.repeat(50)}`, ''],
  [`/${'f'.repeat(10_000)}`, ''],
])('%s', (path, hint) => {
  expect(nearPath(path, PATTERNS)).toBe(hint)
})
