import { isIP } from 'node:net'

export interface AddressSources {
  /** Of the connection; undefined when it is gone already. */
  readonly socket: string | undefined
  /** `X-Forwarded-For` as it was sent, several lines joined. */
  readonly forwarded: string | undefined
  /** How many proxies in front are ours. */
  readonly trustedProxies: number
}

/**
 * Who is counted as one client, as a text to compare. Every proxy of ours appends whom it was
 * connected by, so with n of them the n-th address from the right is the client's; all that is left
 * of it the client may have made up. A list that is too short or holds no address there did not
 * come through them, and the connection decides.
 */
export function clientAddress({ socket = '', forwarded, trustedProxies }: AddressSources): string {
  const own = networkOf(socket) ?? socket
  if (trustedProxies === 0 || forwarded === undefined) return own
  const named = forwarded.split(',').at(-trustedProxies)?.trim() ?? ''
  return networkOf(withoutPort(named)) ?? own
}

/** Some proxies write the port too: `192.0.2.1:5000`, `[2001:db8::1]:5000`. */
function withoutPort(address: string): string {
  return /^\[([^\]]+)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, '$1')
}

/**
 * One client's network: an IPv4 address as it is, of IPv6 the first 64 bits, since whoever has one
 * address of such a network has all of them.
 */
function networkOf(address: string): string | undefined {
  // The zone says on which interface of ours a link-local address was met.
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

/** The eight numbers of a valid IPv6 address. */
function ipv6Groups(address: string): number[] {
  // The URL parser writes an embedded IPv4 address as two groups.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [left = '', right] = text.split('::')
  const read = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  const [first, last] = [read(left), read(right ?? '')]
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last]
}
