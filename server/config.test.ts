import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

test('nothing given means loopback, port 8080 and the limits of contract 11.8', () => {
  const config = readConfig()
  expect(config).toMatchObject({ host: '127.0.0.1', port: 8080, bodyBytes: 16 * 1024 * 1024 })
  expect(config.headerBytes).toBe(64 * 1024)
  expect(Object.isFrozen(config)).toBe(true)
})

test('a flag beats the environment, which beats the default', () => {
  const environment = { CASEMILL_PORT: '9000', CASEMILL_DATA: '/srv/a', PATH: '/bin' }
  const config = readConfig({ environment, flags: { data: '/srv/b', host: undefined } })
  expect(config).toMatchObject({ port: 9000, data: '/srv/b', host: '127.0.0.1' })
})

test('an empty variable counts as not set', () => {
  expect(readConfig({ environment: { CASEMILL_PORT: '' } }).port).toBe(8080)
})

test.each([
  [{ CASEMILL_PORTS: '1' }, 'setting CASEMILL_PORTS is unknown; use one of CASEMILL_PORT,'],
  [{ CASEMILL_PORT: 'eighty' }, 'setting CASEMILL_PORT: '],
  [{ CASEMILL_PORT: ' ' }, 'setting CASEMILL_PORT: '],
  [{ CASEMILL_PORT: '65536' }, 'setting CASEMILL_PORT: '],
  [{ CASEMILL_PORT: '80.5' }, 'setting CASEMILL_PORT: '],
  [{ CASEMILL_LOG_LEVEL: 'loud' }, 'setting CASEMILL_LOG_LEVEL: '],
])('%o is refused with its name', (environment, message) => {
  expect(() => readConfig({ environment })).toThrow(message)
})

test('an unknown or ill-typed flag is refused', () => {
  expect(() => readConfig({ flags: { prot: 1 } })).toThrow(
    'setting prot is unknown; use one of port',
  )
  expect(() => readConfig({ flags: { port: true } })).toThrow('setting port: ')
})
