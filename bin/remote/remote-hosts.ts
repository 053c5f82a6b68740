import { type LookupAddress, lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { EngineError } from '../../engine/shared/index.ts'

/** Addresses that are nobody's on the public network: of this machine, private, reserved (RFC 6890). */
const CLOSED: readonly (readonly [network: string, bits: number, family: 'ipv4' | 'ipv6'])[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['224.0.0.0', 4, 'ipv4'],
  ['240.0.0.0', 4, 'ipv4'],
  ['::', 95, 'ipv6'],
  // What stands for an address of version 4, in whatever way.
  ['::ffff:0:0', 96, 'ipv6'],
  ['64:ff9b::', 96, 'ipv6'],
  ['64:ff9b:1::', 48, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['2001::', 23, 'ipv6'],
  ['100::', 64, 'ipv6'],
  ['2001:db8::', 32, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 9, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
]

/**
 * The hosts that files may be read from. An entry is a host name, which is reached by HTTPS, or an origin such
 * as `http://10.0.0.5:8080`. A host that resolves to a private address is refused unless that address is an
 * entry, too.
 */
export class RemoteHosts {
  readonly #origins = new Set<string>()
  readonly #addresses = new Set<string>()
  readonly #closed = new BlockList()

  /** @throws EngineError bad_input for an entry that is neither */
  constructor(entries: readonly string[]) {
    for (const [network, bits, family] of CLOSED) this.#closed.addSubnet(network, bits, family)
    for (const entry of entries) {
      const { origin, hostname } = originOf(entry)
      this.#origins.add(origin)
      const address = bare(hostname)
      if (isIP(address) > 0) this.#addresses.add(address)
    }
  }

  /**
   * @returns the address, if it may be read from
   * @throws EngineError bad_input
   */
  allowed(address: string): URL {
    const url = URL.parse(address)
    if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
      throw refused('the address is malformed; give one such as https://host/path/name.bam')
    }
    if (url.username !== '' || url.password !== '') {
      throw refused('the address holds a user or a password; give one without')
    }
    if (!this.#origins.has(url.origin)) {
      const entry = url.protocol === 'https:' && url.port === '' ? url.hostname : url.origin
      throw refused(
        `${JSON.stringify(url.origin)} is not among the hosts that files are read from; add ${entry} to CASEMILL_REMOTE_HOSTS`,
      )
    }
    const literal = bare(url.hostname)
    if (isIP(literal) > 0) this.#mustBeOpen(literal, url.hostname)
    return url
  }

  /** Looks a host up when a connection is made, so that what is looked at is what is connected to. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found: readonly LookupAddress[]) => {
      if (error) return callback(error, '')
      try {
        for (const { address } of found) this.#mustBeOpen(address, hostname)
      } catch (cause) {
        return callback(cause as NodeJS.ErrnoException, '')
      }
      const [first] = found
      if (options.all) return callback(null, [...found])
      callback(null, first?.address ?? '', first?.family)
    })
  }

  #mustBeOpen(address: string, hostname: string): void {
    if (this.#addresses.has(address)) return
    if (!this.#closed.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')) return
    throw refused(
      `host ${JSON.stringify(hostname)} is at the private address ${address}; add ${address} to CASEMILL_REMOTE_HOSTS if it is meant`,
    )
  }
}

const refused = (message: string) => new EngineError('bad_input', message, { at: 'address' })

/** Without the brackets of version 6. */
const bare = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1')

function originOf(entry: string): URL {
  const text = isIP(entry) === 6 ? `[${entry}]` : entry
  const url = URL.parse(entry.includes('://') ? entry : `https://${text}`)
  const isPlain = url?.pathname === '/' && url.search === '' && url.hash === '' && !url.username
  if (url && isPlain && /^https?:$/.test(url.protocol)) return url
  throw new EngineError(
    'bad_input',
    `CASEMILL_REMOTE_HOSTS has ${JSON.stringify(entry)}; give hosts such as data.example.org, or origins such as http://10.0.0.5:8080, with commas between them`,
  )
}
