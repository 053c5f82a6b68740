import { isIP } from 'node:net'

interface AddressSources {
  /** Remote address of the connection, or undefined if the connection is closed. */
  readonly socket: string | undefined
  /** `X-Forwarded-For` as sent, with several lines joined. */
  readonly forwarded: string | undefined
  /** Number of trusted proxies in front of the service. */
  readonly trustedProxies: number
}

/**
 * Returns a text that identifies the client. Each trusted proxy appends the address from which it was connected.
 * With n trusted proxies, the client's address is therefore the n-th from the right, and the client may have
 * forged everything before. If that address is missing or invalid, the request did not pass the proxies, and the
 * address of the connection is used.
 */
export function clientAddress({ socket = '', forwarded, trustedProxies }: AddressSources): string {
  const own = networkOf(socket) ?? socket
  if (trustedProxies === 0 || forwarded === undefined) return own
  const named = forwarded.split(',').at(-trustedProxies)?.trim() ?? ''
  return networkOf(withoutPort(named)) ?? own
}

/** Removes the port, which some proxies append: `192.0.2.1:5000`, `[2001:db8::1]:5000`. */
function withoutPort(address: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, '$1')
}

/**
 * Returns the network of a client: an IPv4 address, or the first 64 bits of an IPv6 address, since a client
 * usually owns all IPv6 addresses with the same 64 bits.
 */
function networkOf(address: string): string | undefined {
  // The zone index of a link-local address names a network interface of this machine.
  const bare = address.replace(/%.*$/, '')
  if (isIP(bare) === 4) return bare
  if (isIP(bare) !== 6) return undefined
  const groups = ipv6Groups(bare)
  const [, , , , , mark, high = 0, low = 0] = groups
  const isMapped = mark === 0xffff && groups.slice(0, 5).every((group) => group === 0)
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** Returns the eight groups of a valid IPv6 address. */
function ipv6Groups(address: string): number[] {
  // The URL parser writes an embedded IPv4 address as two groups.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [left = '', right] = text.split('::')
  const read = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  const [first, last] = [read(left), read(right ?? '')]
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last]
}
