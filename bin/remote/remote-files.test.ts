import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { RemoteFiles } from './remote-files.ts'
import { RemoteHosts } from './remote-hosts.ts'

const BYTES = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7 + (i >> 8)) & 255))
const TAG = '"one"'
const MODIFIED = 'Tue, 04 Jun 2024 10:00:00 GMT'

type Answering = (request: IncomingMessage, response: ServerResponse) => void

let server: Server
let origin = ''
/** How the server answers the next requests. */
let answering: Answering
let requests: IncomingMessage[] = []
const opened: RemoteFiles[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request)
    answering(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  requests = []
  for (const files of opened.splice(0)) files.close()
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** Answers with a range of the bytes, as a correct server does. */
const good =
  (headers: Readonly<Record<string, string>> = {}, bytes = BYTES): Answering =>
  (request, response) => {
    const [, from = '', to = ''] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? []
    const [start, end] = [Number(from), Math.min(Number(to) + 1, bytes.length)]
    const range = `bytes ${start}-${end - 1}/${bytes.length}`
    const usual = { etag: TAG, 'last-modified': MODIFIED, 'content-range': range }
    response.writeHead(206, { ...usual, ...headers })
    response.end(bytes.subarray(start, end))
  }

function remote(entries: readonly string[] = [origin]): RemoteFiles {
  const files = new RemoteFiles(new RemoteHosts(entries), { silence: 500, pause: 1 })
  opened.push(files)
  return files
}

const open = (path = '/a.bam', entries?: readonly string[]) => remote(entries).open(origin + path)

/** Reads the bytes of a range. */
async function read(
  { identity, reader }: Awaited<ReturnType<RemoteFiles['open']>>,
  start = 0,
  end = BYTES.length,
): Promise<Buffer> {
  const into = Buffer.alloc(end - start)
  const range = { key: '', entityTag: identity.inode, start, end }
  await reader.fetch(range, (bytes, position) => void into.set(bytes, position - start))
  return into
}

describe('hosts', () => {
  test.each([
    [
      'https://elsewhere.example/a.bam',
      /"https:\/\/elsewhere\.example" is not among the hosts.*add elsewhere\.example to/,
    ],
    ['http://data.example.org/a.bam', /add http:\/\/data\.example\.org to CASEMILL_REMOTE_HOSTS/],
    ['https://data.example.org:444/a.bam', /not among the hosts/],
    ['https://data.example.org.evil.example/a.bam', /not among the hosts/],
    ['https://data.example.org@evil.example/a.bam', /contains a user or a password/],
    ['https://user:secret@data.example.org/a.bam', /contains a user or a password/],
    ['file:///etc/passwd', /malformed/],
    ['ftp://data.example.org/a', /malformed/],
    ['data.example.org/a.bam', /malformed/],
    ['https://[::1]/a.bam', /not among the hosts/],
  ])('%s is refused', async (address, message) => {
    const files = remote(['data.example.org'])
    await expect(files.open(address)).rejects.toMatchObject({ code: 'bad_input', message })
    await expect(files.open(address)).rejects.not.toThrow(/secret/)
  })

  test('an address that is no public one has to be listed itself', async () => {
    answering = good()
    const { port } = new URL(origin)
    // The name is on the list, and it resolves to this machine.
    const named = `http://localhost:${port}`
    await expect(remote([named]).open(`${named}/a.bam`)).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringMatching(/"localhost" is at the private address .*add .* to CASEMILL/),
    })
    expect(requests).toEqual([])
    const both = remote([named, '127.0.0.1', '::1'])
    expect((await both.open(`${named}/a.bam`)).identity.size).toBe(BYTES.length)
  })

  /** Returns the result for a listed name that resolves to an address. */
  async function judged(address: string): Promise<unknown> {
    const { hostname } = new URL(`https://${address.includes(':') ? `[${address}]` : address}`)
    const hosts = new RemoteHosts(['data.example.org'])
    return new Promise((resolve) => {
      const answered = (error: unknown, found: unknown) => resolve(error ?? found)
      hosts.lookup(hostname.replace(/[[\]]/g, ''), { all: false }, answered)
    })
  }

  // From IANA's registries of special-purpose addresses of IPv4 and IPv6, and of the IPv6 address space.
  test.each([
    ['0.0.0.0', 'this network'],
    ['0.255.255.255', 'this network, its last'],
    ['10.0.0.0', 'private'],
    ['10.1.2.3', 'private'],
    ['10.255.255.255', 'private, its last'],
    ['100.64.0.1', 'shared by a provider'],
    ['100.127.255.255', 'shared by a provider, its last'],
    ['127.0.0.1', 'this machine'],
    ['127.255.255.254', 'this machine'],
    ['169.254.169.254', 'of this link; keys of cloud machines'],
    ['172.16.0.0', 'private'],
    ['172.31.255.255', 'private, its last'],
    ['192.0.0.1', 'assignments of protocols'],
    ['192.0.2.1', 'for documents'],
    ['192.31.196.1', 'AS112'],
    ['192.52.193.1', 'relays of multicast'],
    ['192.88.99.1', 'relays of 6to4'],
    ['192.168.0.1', 'private'],
    ['192.175.48.1', 'AS112'],
    ['198.18.0.1', 'for measures'],
    ['198.19.255.255', 'for measures, its last'],
    ['198.51.100.1', 'for documents'],
    ['203.0.113.1', 'for documents'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.255', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'everybody on this link'],
    ['2130706433', '127.0.0.1 as one number'],
    ['0x7f.1', '127.0.0.1 in other figures'],
    ['017700000001', '127.0.0.1 in octal figures'],
    ['::', 'no address'],
    ['::1', 'this machine'],
    ['::127.0.0.1', 'version 4, compatible'],
    ['::8.8.8.8', 'version 4, compatible'],
    ['::ffff:127.0.0.1', 'version 4, mapped'],
    ['::ffff:8.8.8.8', 'version 4, mapped'],
    ['::ffff:0:10.0.0.1', 'version 4, translated'],
    ['::ffff:0:169.254.169.254', 'version 4, translated'],
    ['::ffff:0:8.8.8.8', 'version 4, translated'],
    ['64:ff9b::7f00:1', 'version 4, NAT64'],
    ['64:ff9b::8.8.8.8', 'version 4, NAT64'],
    ['64:ff9b:1::10.0.0.1', 'version 4, NAT64 of a network of its own'],
    ['100::1', 'for discarding'],
    ['100:0:0:1::1', 'a prefix for no address'],
    ['200::1', 'given back, not in use'],
    ['400::1', 'reserved'],
    ['1fff:ffff::1', 'reserved, the last before what is given out'],
    ['2001::1', 'version 4, Teredo'],
    ['2001:0:7f00:1::', 'version 4, Teredo'],
    ['2001:2::1', 'for measures'],
    ['2001:10::1', 'ORCHID, no place'],
    ['2001:20::1', 'ORCHID, no place'],
    ['2001:1ff:ffff::1', 'assignments of protocols, its last'],
    ['2001:db8::1', 'for documents'],
    ['2002:7f00:1::', 'version 4, 6to4'],
    ['2002:808:808::1', 'version 4, 6to4'],
    ['2620:4f:8000::1', 'AS112'],
    ['3fff::1', 'for documents'],
    ['3fff:fff:ffff::1', 'for documents, its last'],
    ['4000::1', 'reserved, the first after what is given out'],
    ['5f00::1', 'segments of a route'],
    ['fc00::1', 'private'],
    ['fd00::1', 'private'],
    ['fe80::1', 'of this link'],
    ['febf::1', 'of this link'],
    ['fec0::1', 'of this site, given up'],
    ['ff02::1', 'multicast'],
  ])('%s is refused: %s', async (address) => {
    expect(await judged(address)).toMatchObject({ code: 'bad_input' })
  })

  test.each([
    ['1.1.1.1', 'a resolver'],
    ['8.8.8.8', 'a resolver'],
    ['9.255.255.255', 'the last before 10.0.0.0/8'],
    ['11.0.0.0', 'the first after it'],
    ['100.63.255.255', 'the last before 100.64.0.0/10'],
    ['100.128.0.0', 'the first after it'],
    ['126.255.255.255', 'the last before 127.0.0.0/8'],
    ['128.231.243.251', 'a host of the public commons'],
    ['169.253.255.255', 'the last before 169.254.0.0/16'],
    ['172.15.255.255', 'the last before 172.16.0.0/12'],
    ['172.32.0.0', 'the first after it'],
    ['192.0.1.0', 'the first after 192.0.0.0/24'],
    ['192.167.255.255', 'the last before 192.168.0.0/16'],
    ['193.0.6.139', 'a registry of addresses'],
    ['198.17.255.255', 'the last before 198.18.0.0/15'],
    ['198.20.0.0', 'the first after it'],
    ['203.0.114.0', 'the first after 203.0.113.0/24'],
    ['223.255.255.255', 'the last before 224.0.0.0/4'],
    ['2001:200::1', 'the first after 2001::/23'],
    ['2001:4860:4860::8888', 'a resolver'],
    ['2001:db9::1', 'the first after 2001:db8::/32'],
    ['2003::1', 'the first after 2002::/16'],
    ['2606:4700:4700::1111', 'a resolver'],
    ['2620:4f:8001::1', 'the first after 2620:4f:8000::/48'],
    ['2a00:1450:4001::1', 'a host'],
    ['3fff:1000::1', 'the first after 3fff::/20'],
  ])('%s is public: %s', async (address) => {
    expect(await judged(address)).toBe(address)
  })

  test.each([['data.example.org/x'], ['http://'], ['ftp://x'], ['a b']])(
    '%s is no entry',
    (entry) => {
      expect(() => new RemoteHosts([entry])).toThrow(/CASEMILL_REMOTE_HOSTS has/)
    },
  )
})

describe('redirects', () => {
  test('to another host, port or scheme are refused, and nothing is asked there', async () => {
    let asked = 0
    const other = createServer((_, response) => {
      asked++
      response.end()
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    const places = [
      `http://127.0.0.1:${port}/a.bam`,
      '//169.254.169.254/latest',
      'https://127.0.0.1/a',
    ]
    for (const location of places) {
      answering = (_, response) => void response.writeHead(302, { location }).end()
      await expect(open()).rejects.toMatchObject({
        code: 'bad_input',
        message: expect.stringMatching(/redirects to .*other hosts are not followed/),
      })
    }
    expect(asked).toBe(0)
    other.close()
  })

  test('with a user and a password are refused, also within the origin, and neither is sent', async () => {
    const { host } = new URL(origin)
    for (const user of ['user', 'user:secret', ':secret']) {
      requests = []
      answering = (_, response) =>
        void response.writeHead(302, { location: `http://${user}@${host}/b.bam` }).end()
      const error = await open().catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({
        code: 'bad_input',
        message: expect.stringMatching(/contains a user or a password/),
      })
      expect(String(error)).not.toContain('secret')
      expect(requests).toHaveLength(1)
    }
  })

  test('to another host between two ranges are refused', async () => {
    answering = good()
    const file = await open()
    answering = (_, response) =>
      void response.writeHead(307, { location: 'https://elsewhere.example/a.bam' }).end()
    await expect(read(file)).rejects.toMatchObject({ code: 'bad_input' })
  })

  test('within the origin are followed, a few of them', async () => {
    answering = (request, response) => {
      if (request.url === '/b.bam') good()(request, response)
      else response.writeHead(301, { location: '/b.bam' }).end()
    }
    expect((await read(await open())).equals(BYTES)).toBe(true)
    answering = (_, response) => void response.writeHead(302, { location: '/a.bam' }).end()
    await expect(open()).rejects.toMatchObject({ code: 'unavailable' })
  })
})

describe('a file that changes', () => {
  const change = {
    code: 'unavailable',
    message: expect.stringMatching(/is another file than it was/),
  }

  test('is noticed by its entity tag, which is sent as If-Match', async () => {
    answering = good()
    const file = await open()
    expect((await read(file, 10, 20)).equals(BYTES.subarray(10, 20))).toBe(true)
    expect(requests.at(-1)?.headers).toMatchObject({ 'if-match': TAG, range: 'bytes=10-19' })
    answering = good({ etag: '"two"' })
    await expect(read(file)).rejects.toMatchObject(change)
    answering = (_, response) => void response.writeHead(412).end()
    await expect(read(file)).rejects.toMatchObject(change)
  })

  test('is noticed by its time where its tag is weak or absent', async () => {
    for (const tag of ['W/"weak"', undefined]) {
      const headers = tag ? { etag: tag } : {}
      answering = (request, response) => {
        if (!tag) response.removeHeader('etag')
        good(headers)(request, tag ? response : withoutTag(response))
      }
      const file = await open()
      expect((await read(file)).equals(BYTES)).toBe(true)
      expect(requests.at(-1)?.headers['if-unmodified-since']).toBe(MODIFIED)
      const later = { ...headers, 'last-modified': 'Tue, 04 Jun 2024 10:00:01 GMT' }
      answering = (request, response) => good(later)(request, tag ? response : withoutTag(response))
      await expect(read(file)).rejects.toMatchObject(change)
    }
  })

  test('is noticed by its size', async () => {
    answering = good()
    const file = await open()
    answering = good({}, Buffer.concat([BYTES, BYTES]))
    await expect(read(file)).rejects.toMatchObject(change)
  })
})

describe('servers', () => {
  test('without ranges are refused, and the whole file is not read', async () => {
    answering = (_, response) => void response.writeHead(200, { etag: TAG }).end(BYTES)
    await expect(open()).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringMatching(/does not support range requests.*import the copy/),
    })
  })

  test('that name neither a tag nor a time are refused', async () => {
    answering = (_, response) =>
      void response.writeHead(206, { 'content-range': `bytes 0-0/${BYTES.length}` }).end('x')
    await expect(open()).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringMatching(/neither ETag nor Last-Modified/),
    })
  })

  test('that break off are asked for the rest, and given up when nothing comes', async () => {
    answering = good()
    const file = await open()
    requests = []
    answering = (request, response) => {
      const [, from = ''] = /bytes=(\d+)-/.exec(request.headers.range ?? '') ?? []
      const start = Number(from)
      const rest = BYTES.subarray(start)
      const range = `bytes ${start}-${BYTES.length - 1}/${BYTES.length}`
      response.writeHead(206, { etag: TAG, 'content-range': range, 'content-length': rest.length })
      response.write(rest.subarray(0, 1000), () => {
        if (rest.length <= 1000) response.end()
        else response.destroy()
      })
    }
    expect((await read(file)).equals(BYTES)).toBe(true)
    expect(requests.map(({ headers }) => headers.range)).toEqual(
      [0, 1000, 2000, 3000, 4000].map((start) => `bytes=${start}-4999`),
    )
    requests = []
    answering = (request) => void request.destroy()
    await expect(read(file)).rejects.toMatchObject({ code: 'unavailable' })
  })

  test.each([
    ['another range', { 'content-range': 'bytes 0-9/5000' }],
    ['no range', { 'content-range': '' }],
    ['compressed bytes', { 'content-encoding': 'gzip' }],
  ])('that send %s are refused', async (_, headers) => {
    answering = good()
    const file = await open()
    answering = good(headers)
    await expect(read(file, 100, 200)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/another range/),
    })
  })

  test('that send nothing are closed, and so are aborted ones', async () => {
    answering = () => {}
    await expect(open()).rejects.toMatchObject({ code: 'unavailable' })
    const stop = new AbortController()
    const opening = remote().open(`${origin}/a.bam`, stop.signal)
    stop.abort(new Error('gone'))
    await expect(opening).rejects.toThrow('gone')
  })

  test.each([
    [404, 'not_found'],
    [410, 'not_found'],
    [403, 'unavailable'],
    [500, 'unavailable'],
  ])('status %i is %s, and no message holds what stands behind the path', async (status, code) => {
    answering = (_, response) => void response.writeHead(status).end()
    const error = await open('/a.bam?signature=secret').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code })
    expect(String(error)).not.toContain('secret')
  })
})

/** Answers without the entity tag that a correct server sends. */
function withoutTag(response: ServerResponse): ServerResponse {
  const writeHead = response.writeHead.bind(response)
  response.writeHead = ((status: number, headers: Record<string, string>) => {
    const { etag: _, ...rest } = headers
    return writeHead(status, rest)
  }) as ServerResponse['writeHead']
  return response
}
