import { expect, test } from 'vitest'
import { routingPath, versionPrefix } from './path.ts'

test.each([
  ['/status', '/status'],
  ['/', '/'],
  ['//status', '/status'],
  ['//files///versions//', '/files/versions'],
  ['/cases/?&expand=a', '/cases'],
  ['/v0/files', '/files'],
  ['//v0//files/', '/files'],
  ['/v0', '/'],
  ['/v0files', '/v0files'],
  ['/v1/status', '/v1/status'],
  ['/v0/legacy/files', '/legacy/files'],
  ['/files/a%2Fb', '/files/a%2Fb'],
  ['/files/%0Ax', '/files/%0Ax'],
  ['/files/%', '/files/%'],
])('%s is routed as %s', (asked, routed) => {
  expect(routingPath(new Request(`http://localhost${asked}`))).toBe(routed)
})

test.each([
  ['/v0/submission/_dictionary', '/v0'],
  ['//v0//submission', '/v0'],
  ['/v0', '/v0'],
  ['/v0files', ''],
  ['/submission/v0/', ''],
])('links in the answer to %s begin with "%s"', (asked, prefix) => {
  expect(versionPrefix(new Request(`http://localhost${asked}`))).toBe(prefix)
})
