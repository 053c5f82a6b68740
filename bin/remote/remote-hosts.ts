import { type LookupAddress, lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { EngineError } from '../../engine/shared/index.ts'

type Network = readonly [network: string, bits: number]

/** IPv4 networks that are not public (IANA special-purpose address registry). */
const CLOSED_4: readonly Network[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/** IPv6 network of global addresses. Excludes this machine, private networks, multicast and IPv4-mapped addresses. */
const OPEN_6: Network = ['2000::', 3]

/** Networks within OPEN_6 that are not public, or whose addresses stand for IPv4 addresses (Teredo, 6to4). */
const CLOSED_6: readonly Network[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
]

/**
 * The hosts from which files may be read. An entry is a host name, which is accessed by HTTPS, or an origin such
 * as `http://10.0.0.5:8080`. A host that resolves to a non-public address is rejected, unless that address is
 * itself an entry.
 */
export class RemoteHosts {
  readonly #origins = new Set<string>()
  readonly #addresses = new Set<string>()
  // IPv4 and IPv6 have separate lists. A combined list would match every IPv4 address as an address in ::ffff:0:0/96.
  readonly #closed4 = blockList(CLOSED_4, 'ipv4')
  readonly #open6 = blockList([OPEN_6], 'ipv6')
  readonly #closed6 = blockList(CLOSED_6, 'ipv6')

  /** @throws EngineError `bad_input` if an entry is neither a host name nor an origin */
  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      const { origin, hostname } = originOf(entry)
      this.#origins.add(origin)
      const address = bare(hostname)
      if (isIP(address) > 0) this.#addresses.add(address)
    }
  }

  /**
   * Checks that a URL may be read.
   * @returns the parsed URL
   * @throws EngineError `bad_input` if it may not
   */
  allowed(address: string): URL {
    const url = URL.parse(address)
    if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
      throw refused('the address is malformed; give one such as https://host/path/name.bam')
    }
    if (url.username !== '' || url.password !== '') {
      throw refused('the address contains a user or a password; give one without')
    }
    if (!this.#origins.has(url.origin)) {
      const entry = url.protocol === 'https:' && url.port === '' ? url.hostname : url.origin
      throw refused(
        `${JSON.stringify(url.origin)} is not among the hosts that files are read from; add ${entry} to CASEMILL_REMOTE_HOSTS`,
      )
    }
    const literal = bare(url.hostname)
    if (isIP(literal) > 0) this.#requireAllowed(literal, url.hostname)
    return url
  }

  /** Resolves a host when the connection is made, so that the address that was checked is the one connected to. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found: readonly LookupAddress[]) => {
      if (error) return callback(error, '')
      try {
        for (const { address } of found) this.#requireAllowed(address, hostname)
      } catch (cause) {
        return callback(cause as NodeJS.ErrnoException, '')
      }
      const [first] = found
      if (options.all) return callback(null, [...found])
      callback(null, first?.address ?? '', first?.family)
    })
  }

  #requireAllowed(address: string, hostname: string): void {
    if (this.#addresses.has(address)) return
    if (this.#isPublic(address)) return
    throw refused(
      `host ${JSON.stringify(hostname)} is at the private address ${address}; add ${address} to CASEMILL_REMOTE_HOSTS if it is meant`,
    )
  }

  #isPublic(address: string): boolean {
    if (isIP(address) === 4) return !this.#closed4.check(address, 'ipv4')
    return this.#open6.check(address, 'ipv6') && !this.#closed6.check(address, 'ipv6')
  }
}

const refused = (message: string) => new EngineError('bad_input', message, { at: 'address' })

function blockList(networks: readonly Network[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const [network, bits] of networks) list.addSubnet(network, bits, family)
  return list
}

/** Removes the brackets of an IPv6 address. */
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
