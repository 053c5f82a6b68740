import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clientAddress } from './client-address.ts'

const of = (socket: string | undefined, forwarded?: string, trustedProxies = 0) =>
  clientAddress({ socket, forwarded, trustedProxies })

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::9', '2001:db8:1:3::/64'],
  ['2001:db8::', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
])('%s is the client %s', (socket, client) => {
  expect(of(socket)).toBe(client)
})

test('without configured proxies no header changes the client address', () => {
  expect(of('192.0.2.7', '198.51.100.1')).toBe('192.0.2.7')
})

test.each([
  [1, '198.51.100.1', '198.51.100.1'],
  [1, '203.0.113.9, 198.51.100.1', '198.51.100.1'],
  [2, '203.0.113.9 , 198.51.100.1', '203.0.113.9'],
  [2, 'made up, 203.0.113.9, 198.51.100.1', '203.0.113.9'],
  [1, '198.51.100.1:5000', '198.51.100.1'],
  [1, '[2001:db8:1:2::3]:5000', '2001:db8:1:2::/64'],
  [1, '[2001:db8:1:2::3]', '2001:db8:1:2::/64'],
  [1, '::ffff:198.51.100.1', '198.51.100.1'],
])('behind %i proxies, "%s" is the client %s', (proxies, forwarded, client) => {
  expect(of('192.0.2.7', forwarded, proxies)).toBe(client)
})

test.each([
  [1, undefined],
  [1, ''],
  [1, 'unknown'],
  [1, '198.51.100.1, '],
  [1, '198.51.100.300'],
  [1, '_hidden'],
  [2, '198.51.100.1'],
  [1, '198.51.100.1]'],
  [1, '[198.51.100.1'],
  [1, '1.2.3.4:x'],
])('behind %i proxies, "%s" leaves the address of the connection', (proxies, forwarded) => {
  expect(of('192.0.2.7', forwarded, proxies)).toBe('192.0.2.7')
})

test('any header yields a network or the address of the connection', () => {
  const text = fc.oneof(
    fc.string(),
    fc.ipV4(),
    fc.ipV6(),
    fc.ipV6().map((ip) => `[${ip}]:1`),
  )
  const property = fc.property(fc.array(text), fc.integer({ min: 0, max: 3 }), (parts, proxies) => {
    const client = of('192.0.2.7', parts.join(', '), proxies)
    expect(client).toMatch(/^(\d+\.\d+\.\d+\.\d+|([0-9a-f]{1,4}:){4}:\/64)$/)
  })
  fc.assert(property, { seed: 6, numRuns: 1000 })
})

test('the form of an IPv6 address does not matter', () => {
  const property = fc.property(fc.ipV6(), (address) => {
    const spelled = new URL(`http://[${address}]`).hostname.slice(1, -1)
    expect(of(address)).toBe(of(spelled))
    expect(of(address.toUpperCase())).toBe(of(spelled))
  })
  fc.assert(property, { seed: 7, numRuns: 1000 })
})

test('a connection that is gone is still some client', () => {
  expect(of(undefined)).toBe('')
})
