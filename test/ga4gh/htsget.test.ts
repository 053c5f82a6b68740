import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { available } from '../available.ts'
import { idOf, recordOf, SURROUNDINGS } from '../commons/contract/support/download-records.ts'
import { openWorld } from '../commons/contract/support/download-world.ts'
import { listenFor } from '../commons/contract/support/listen.ts'
import { type HtsWorld, openHtsWorld, type Token } from './support/hts-world.ts'
import { bytesOfTicket, type Ticket } from './support/htsget-client.ts'
import { md5, runTool } from './support/tools.ts'

// Tests htsget 1.3 (ga4gh.md 3) over HTTP: the requests, the refusals with their wording, and that the parts of
// a ticket are the bytes of a slice.

const VCF = { id: idOf(1), name: 'calls.vcf.gz' }
const BCF = { id: idOf(2), name: 'calls.bcf' }
const CRAM = { id: idOf(3), name: 'reads.cram' }
const TEXT = { id: idOf(4), name: 'notes.txt' }
const TWIN = { id: idOf(5), name: 'twin.vcf' }
const OTHER_TWIN = { id: idOf(6), name: 'twin.vcf' }
const bytes = (text: string) => Buffer.from(text)
const CONTENT = { BCF: bytes('BCF\u0002\u0002'), CRAM: bytes('CRAM\u0003'), VCF: bytes('made') }

let world: HtsWorld
let token: Token

beforeAll(async () => {
  world = await openHtsWorld()
  token = await world.token()
  await world.store(VCF.id, VCF.name, CONTENT.VCF)
  await world.store(BCF.id, BCF.name, CONTENT.BCF)
  await world.store(CRAM.id, CRAM.name, CONTENT.CRAM)
  await world.store(TEXT.id, TEXT.name, bytes('text'))
  for (const { id, name } of [TWIN, OTHER_TWIN]) await world.store(id, name, bytes(id))
})
afterAll(() => world?.[Symbol.asyncDispose]())

const ask = (path: string, headers: Readonly<Record<string, string>> = {}, body?: unknown) =>
  fetch(`${world.server.address}${path}`, {
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  })
const get = (query: string) => ask(`/reads/${world.bamId}${query}`, token.headers)
const post = (body: unknown, query = '') =>
  ask(`/reads/${world.bamId}${query}`, token.headers, body)
const ticketOf = async (response: Response) => {
  const text = await response.text()
  expect(response.status, text).toBe(200)
  // Clients recognize a ticket by this.
  expect(text.startsWith('{"htsget":')).toBe(true)
  return JSON.parse(text) as Ticket
}
const errorOf = async (response: Response) => {
  const { htsget } = (await response.json()) as {
    readonly htsget: { readonly error: string; readonly message: string }
  }
  return [response.status, htsget.error]
}
const sliceOf = async (regions: readonly string[]) => {
  const response = await fetch(`${world.server.address}/slicing/view/${world.bamId}`, {
    method: 'POST',
    headers: { ...token.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ regions }),
  })
  expect(response.status).toBe(206)
  return Buffer.from(await response.arrayBuffer())
}

describe('a whole file', () => {
  test.each([
    ['variants', VCF, 'VCF', CONTENT.VCF],
    ['variants', BCF, 'BCF', CONTENT.BCF],
    ['reads', CRAM, 'CRAM', CONTENT.CRAM],
  ] as const)('of %s is one address, with its md5', async (kind, { id, name }, format, content) => {
    for (const path of [`/${kind}/${id}`, `/${kind}/${name}?format=${format}`]) {
      const ticket = await ticketOf(await ask(path))
      expect(ticket).toEqual({
        htsget: {
          format,
          urls: [{ url: `${world.server.address}/data/${id}`, headers: {} }],
          md5: md5(content),
        },
      })
      expect((await bytesOfTicket(ticket)).equals(content)).toBe(true)
    }
  })

  test('that is controlled has a link of its own, and not the token', async () => {
    const ticket = await ticketOf(await get(''))
    const [part] = ticket.htsget.urls
    expect(Object.keys(part?.headers ?? {})).toEqual(['X-Ticket'])
    expect(JSON.stringify(ticket)).not.toContain(token.secret.slice(17))
    expect(md5(await bytesOfTicket(ticket))).toBe(ticket.htsget.md5)
  })

  test('by POST without a body, and with an empty one', async () => {
    const whole = await ticketOf(await get(''))
    const none = await fetch(`${world.server.address}/reads/${world.bamId}`, {
      method: 'POST',
      headers: token.headers,
    })
    for (const response of [none, await post({}), await post({ format: 'BAM' })])
      expect((await ticketOf(response)).htsget.md5).toBe(whole.htsget.md5)
  })
})

describe('regions', () => {
  test.each([
    ['a reference', '?referenceName=chr1', ['chr1']],
    [
      'a region, which is 0-based here',
      '?referenceName=chr1&start=9999&end=20000000',
      ['chr1:10000-20000000'],
    ],
    ['from a place on', '?referenceName=chr2&start=1000', ['chr2:1001']],
    ['up to a place', '?referenceName=chr2&end=90000000', ['chr2:-90000000']],
    ['the largest position', '?referenceName=chr2&start=0&end=4294967295', ['chr2']],
    ['reads without a place', '?referenceName=*', ['unmapped']],
    ['no base at all', '?referenceName=chr1&start=5&end=5', []],
    [
      'fields and tags, without effect',
      '?referenceName=chr1&fields=QNAME,SEQ&tags=NM&notags=OQ',
      ['chr1'],
    ],
    ['all without tags', '?referenceName=chr1&tags=', ['chr1']],
  ])('%s: its parts are the bytes of the slice', async (_, query, regions) => {
    const ticket = await ticketOf(await get(query))
    expect(ticket.htsget.format).toBe('BAM')
    expect(ticket.htsget.md5).toBeUndefined()
    const slice = await sliceOf(regions)
    expect((await bytesOfTicket(ticket)).equals(slice)).toBe(true)
    const [header, ...others] = ticket.htsget.urls
    expect(header?.class).toBe('header')
    expect(others.map(({ class: named }) => named)).toEqual(others.map(() => 'body'))
  })

  test('of a POST come once each, in the order of the file', async () => {
    const regions = [
      { referenceName: 'chr2', start: 0, end: 60_000_000 },
      { referenceName: '*' },
      { referenceName: 'chr1', start: 100, end: 50_000_000 },
      { referenceName: 'chr1', start: 40_000_000, end: 70_000_000 },
    ]
    const ticket = await ticketOf(await post({ format: 'BAM', regions, fields: ['SEQ'], tags: [] }))
    const slice = await sliceOf(['chr1:101-70000000', 'chr2:1-60000000', 'unmapped'])
    expect((await bytesOfTicket(ticket)).equals(slice)).toBe(true)
  })

  test('the middle is ranges of the stored file, and only it', async () => {
    const ticket = await ticketOf(await get('?referenceName=chr1'))
    const ranges = ticket.htsget.urls.filter(({ url }) => !url.startsWith('data:'))
    expect(ranges.length).toBeGreaterThan(0)
    for (const { url, headers = {} } of ranges) {
      expect(url).toBe(`${world.server.address}/data/${world.bamId}`)
      expect(headers.Range).toMatch(/^bytes=\d+-\d+$/)
      const response = await fetch(url, { headers })
      expect([response.status, response.headers.get('content-range')]).toEqual([
        206,
        `${headers.Range?.replace('=', ' ')}/${(await world.engine.shared.files.find(world.bamId))?.size}`,
      ])
      // If ranges were cached, Chromium would join those of several tickets into bytes that the file does not have.
      expect(response.headers.get('cache-control')).toBe('private, no-store, no-transform')
      await response.arrayBuffer()
    }
  })

  test.skipIf(!available.samtools)('the header alone is a whole file without reads', async () => {
    const ticket = await ticketOf(await get('?class=header&format=BAM'))
    expect(ticket.htsget.urls.every(({ url }) => url.startsWith('data:;base64,'))).toBe(true)
    expect(ticket.htsget.urls[0]?.class).toBe('header')
    expect((await bytesOfTicket(ticket)).equals(await sliceOf([]))).toBe(true)
    const posted = await ticketOf(await post({ class: 'header' }))
    expect(posted).toEqual(ticket)
    const words = ['head', `${world.server.address}/reads/${world.bamId}?class=header`]
    const options = { cwd: world.folder, tokenFile: token.file }
    const head = await runTool('samtools', words, options)
    const local = await runTool('samtools', ['head', world.bamPath], options)
    expect(head.equals(local)).toBe(true)
  })
})

test('the header is given whatever region is named besides, as @gmod/bam asks for it', async () => {
  const header = await ticketOf(await get('?class=header'))
  for (const query of [
    ...['referenceName=na', 'referenceName=chr1&start=5&end=9', 'start=7', 'end=x'],
    ...['referenceName=*&start=1', 'referenceName=chr1&start=9&end=5'],
  ]) {
    expect(await ticketOf(await get(`?${query}&class=header`))).toEqual(header)
  }
  const regions = [{ referenceName: 'na', start: 9, end: 5 }]
  expect(await ticketOf(await post({ class: 'header', regions }))).toEqual(header)
})

describe('refused requests', () => {
  // The cases are those of htsget.md, "Request parameters" and "Errors".
  test.each([
    ['a start without a reference', '?start=5', 400, 'InvalidInput'],
    ['an end without a reference', '?end=5', 400, 'InvalidInput'],
    ['a start of reads without a place', '?referenceName=*&start=1', 400, 'InvalidInput'],
    ['an end before the start', '?referenceName=chr1&start=6&end=5', 400, 'InvalidRange'],
    ['a position of more than 32 bits', '?referenceName=chr1&end=4294967296', 400, 'InvalidInput'],
    ['a negative position', '?referenceName=chr1&start=-1', 400, 'InvalidInput'],
    ['a position that is no number', '?referenceName=chr1&start=1e3', 400, 'InvalidInput'],
    ['an unknown reference', '?referenceName=chr99', 404, 'NotFound'],
    ['an unknown field', '?fields=QNAME,NAME', 400, 'InvalidInput'],
    ['a tag that is wanted and not', '?tags=NM,MD&notags=OQ,NM', 400, 'InvalidInput'],
    ['an unknown class', '?class=body', 400, 'InvalidInput'],
    ['tags of the header', '?class=header&tags=NM', 400, 'InvalidInput'],
    ['another format of the kind', '?format=CRAM', 400, 'UnsupportedFormat'],
    ['a format of the other kind', '?format=VCF', 400, 'UnsupportedFormat'],
    ['a format that is none', '?format=bam', 400, 'UnsupportedFormat'],
  ])('by GET: %s', async (_, query, status, error) => {
    expect(await errorOf(await get(query))).toEqual([status, error])
  })

  test.each([
    ['no region', { regions: [] }, 400, 'InvalidInput'],
    [
      'an empty region',
      { regions: [{ referenceName: 'chr1', start: 5, end: 5 }] },
      400,
      'InvalidRange',
    ],
    ['a region without a reference', { regions: [{ start: 5 }] }, 400, 'InvalidInput'],
    [
      'a place of what has none',
      { regions: [{ referenceName: '*', end: 5 }] },
      400,
      'InvalidInput',
    ],
    [
      'a position as a text',
      { regions: [{ referenceName: 'chr1', start: '5' }] },
      400,
      'InvalidInput',
    ],
    ['an unknown reference', { regions: [{ referenceName: 'chr99' }] }, 404, 'NotFound'],
    ['an unknown field', { fields: ['NAME'] }, 400, 'InvalidInput'],
    ['a tag that is wanted and not', { tags: ['NM'], notags: ['NM'] }, 400, 'InvalidInput'],
    ['another format', { format: 'CRAM' }, 400, 'UnsupportedFormat'],
    ['a body that is not an object', ['chr1'], 400, 'InvalidInput'],
    ['too much', { tags: ['N'.repeat(6 << 20)] }, 413, 'PayloadTooLarge'],
  ])('by POST: %s', async (_, body, status, error) => {
    expect(await errorOf(await post(body))).toEqual([status, error])
  })

  test('by POST: parameters in the address, and what is no JSON', async () => {
    expect(await errorOf(await post({}, '?format=BAM'))).toEqual([400, 'InvalidInput'])
    expect(await errorOf(await post({}, '?anything=1'))).toEqual([400, 'InvalidInput'])
    const response = await fetch(`${world.server.address}/reads/${world.bamId}`, {
      method: 'POST',
      headers: token.headers,
      body: '{"regions":',
    })
    expect(await errorOf(response)).toEqual([400, 'InvalidInput'])
  })

  test('who has no right', async () => {
    const path = `/reads/${world.bamId}`
    expect(await errorOf(await ask(path))).toEqual([401, 'InvalidAuthentication'])
    const bad = { authorization: `Bearer ${'0'.repeat(16)}_${'A'.repeat(43)}` }
    expect(await errorOf(await ask(path, bad))).toEqual([401, 'InvalidAuthentication'])
    const { headers } = await world.token('BETA-1')
    expect(await errorOf(await ask(path, headers))).toEqual([403, 'PermissionDenied'])
    // Rights are checked before the parameters.
    expect(await errorOf(await ask(`${path}?start=5`, headers))).toEqual([403, 'PermissionDenied'])
  })

  test.each([
    ['an id that is none', `/reads/${idOf(99)}`],
    ['a name that is none', '/reads/absent.bam'],
    ['a file of the other kind', `/reads/${VCF.id}`],
    ['a file of neither kind', `/reads/${TEXT.id}`],
    ['a name of several files', `/variants/${TWIN.name}`],
    ['a name of control characters', '/reads/%00%ff'],
  ])('%s', async (_, path) => {
    expect(await errorOf(await ask(path))).toEqual([404, 'NotFound'])
  })

  test('regions and headers of formats that are not cut, in words that say what to do', async () => {
    for (const query of ['?class=header', '?referenceName=chr1']) {
      const response = await ask(`/reads/${CRAM.id}${query}`)
      expect(await errorOf(response)).toEqual([400, 'UnsupportedFormat'])
    }
  })

  test('other methods and paths below it, in the words of the interface', async () => {
    const response = await fetch(`${world.server.address}/reads/${world.bamId}`, { method: 'PUT' })
    expect([...(await errorOf(response)), response.headers.get('allow')]).toEqual([
      ...[405, 'InvalidInput', 'GET, HEAD, OPTIONS, POST'],
    ])
    expect(await errorOf(await ask('/reads'))).toEqual([404, 'NotFound'])
  })
})

describe('around it', () => {
  test.each([
    ['*/*', 'v1.3.0'],
    ['application/vnd.ga4gh.htsget.v1.2.0+json, */*', 'v1.2.0'],
    ['application/vnd.ga4gh.htsget.v2.0.0+json', 'v1.3.0'],
  ])('the type of an answer to Accept: %s names %s', async (accept, version) => {
    const response = await ask(`/reads/${world.bamId}`, { ...token.headers, accept })
    expect(response.headers.get('content-type')).toBe(
      `application/vnd.ga4gh.htsget.${version}+json; charset=utf-8`,
    )
    expect(response.headers.get('cache-control')).toBe('private, no-transform, max-age=450')
    expect(response.headers.get('vary')).toContain('X-Auth-Token, Authorization')
    await ticketOf(response)
  })

  test.each(['reads', 'variants'])('%s says what it is', async (kind) => {
    const response = await ask(`/${kind}/service-info`)
    expect(await response.json()).toMatchObject({
      type: { group: 'org.ga4gh', artifact: 'htsget', version: '1.3.0' },
      version: '0.0.0',
      htsget: {
        datatype: kind,
        formats: kind === 'reads' ? ['BAM', 'CRAM'] : ['VCF', 'BCF'],
        fieldsParameterEffective: false,
        tagsParametersEffective: false,
      },
    })
  })

  test('a name is that of the one file that may be read', async () => {
    // Two files have this name, one of them controlled.
    const id = idOf(7)
    await world.store(id, 'shared.vcf', bytes('one'))
    const at = await world.engine.shared.files.find(id)
    await world.engine.shared.files.add({ ...at!, access: 'controlled', acl: ['BETA-1'] })
    await world.store(idOf(8), 'shared.vcf', bytes('two'))
    const ticket = await ticketOf(await ask('/variants/shared.vcf'))
    expect(ticket.htsget.urls[0]?.url).toContain(idOf(8))
    const beta = (await world.token('BETA-1')).headers
    expect(await errorOf(await ask('/variants/shared.vcf', beta))).toEqual([404, 'NotFound'])
  })

  describe('a name that others have', () => {
    /** Stores a file of a project that has not released it, or of an import without a record. */
    const put = async (id: string, fileName: string, owner: string) => {
      const { files } = world.engine.shared
      const rights = { access: 'controlled', acl: owner === 'import' ? [] : [owner] } as const
      await files.owners.record([{ id, owner }])
      await world.store(id, fileName, bytes(id))
      const stored = await files.find(id)
      await files.add({ ...stored!, ...rights })
    }
    const askers = async () => {
      const { secret } = await world.engine.shared.tokens.create({ user: 'root', admin: true })
      const [other, own] = [await world.token('BETA-1'), await world.token('GAMMA-1')]
      return {
        nobody: {},
        other: other.headers,
        own: own.headers,
        admin: { 'x-auth-token': secret },
      }
    }

    test('means the same file to everybody, however many uploads have it, too', async () => {
      const id = idOf(5000)
      await world.store(id, 'flooded.vcf', bytes('flooded'))
      // Their ids come before and after that of the file.
      for (let i = 0; i < 130; i++) await put(idOf(1000 + i), 'flooded.vcf', 'GAMMA-1')
      await put(idOf(6000), 'flooded.vcf', 'DELTA-1')
      for (const headers of Object.values(await askers())) {
        const ticket = await ticketOf(await ask('/variants/flooded.vcf', headers))
        expect(ticket.htsget.urls[0]?.url).toContain(id)
      }
    })

    test('means the file that the release has, and not an upload that came before it', async () => {
      const released = { id: idOf(2), name: 'released.vcf', bytes: bytes('released') }
      const records = { ...SURROUNDINGS, files: [recordOf(released, { data_format: 'VCF' })] }
      const own = await openWorld(records)
      const server = await listenFor(own.engine)
      try {
        const upload = { ...released, id: idOf(1) }
        const { files, tokens } = own.engine.shared
        await files.owners.record([{ id: upload.id, owner: 'GAMMA-1' }])
        // By its row in the catalogue, the upload could be read and the other file could not; the record decides.
        await own.store(upload, { access: 'controlled', acl: ['GAMMA-1'] })
        await own.store(released, { access: 'controlled', acl: [] })
        const { secret } = await tokens.create({ user: 'own', projects: ['GAMMA-1'] })
        for (const headers of [{}, { 'x-auth-token': secret }]) {
          const address = `${server.address}/variants/released.vcf`
          const ticket = await ticketOf(await fetch(address, { headers }))
          expect(ticket.htsget.urls[0]?.url).toContain(released.id)
          expect((await bytesOfTicket(ticket)).equals(released.bytes)).toBe(true)
        }
      } finally {
        await server.close()
        await own.close()
      }
    })

    test('is no name to strangers where what has it is reported nowhere', async () => {
      await put(idOf(7000), 'MRN-1.vcf', 'import')
      await put(idOf(7001), 'MRN-2.vcf', 'GAMMA-1')
      const told = async (name: string, headers: Readonly<Record<string, string>>) => {
        const response = await ask(`/variants/${name}`, headers)
        const text = (await response.text()).replaceAll(name, 'NAME')
        return [response.status, text, Object.fromEntries(response.headers)].map((one) =>
          typeof one === 'object' ? { ...one, date: '', 'x-request-id': '', etag: '' } : one,
        )
      }
      const { nobody, other, admin } = await askers()
      const wrong = { 'x-auth-token': 'wrong' }
      for (const headers of [nobody, other, wrong]) {
        const unknown = await told('MRN-0.vcf', headers)
        expect(unknown[0]).toBe(404)
        expect(await told('MRN-1.vcf', headers)).toEqual(unknown)
        expect(await told('MRN-2.vcf', headers)).toEqual(unknown)
      }
      const ticket = await ticketOf(await ask('/variants/MRN-1.vcf', admin))
      expect(ticket.htsget.urls[0]?.url).toContain(idOf(7000))
    })
  })

  test('pages of other origins are named, and the headers that they ask for', async () => {
    const origin = 'https://viewer.example'
    for (const path of [`/reads/${world.bamId}`, `/variants/${VCF.id}`, `/data/${VCF.id}`]) {
      const response = await fetch(`${world.server.address}${path}`, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'range,x-ticket,htsgetblockclass',
          'access-control-request-private-network': 'true',
        },
      })
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-headers': 'range,x-ticket,htsgetblockclass',
        'access-control-max-age': '2592000',
        vary: 'Origin, X-Auth-Token, Authorization, X-Ticket',
      })
      expect(response.headers.has('access-control-allow-private-network')).toBe(false)
    }
    const answer = await ask(`/variants/${VCF.id}`, { origin })
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    const error = await ask('/reads/absent.bam', { origin })
    expect(error.headers.get('access-control-allow-origin')).toBe(origin)
    // No browser sends these. Most clients accept 16 KiB of a head, and would break off.
    for (const none of [
      `https://${'x'.repeat(60_000)}`,
      'x',
      'https://a.example, https://b.example',
    ]) {
      const other = await ask('/reads/absent.bam', { origin: none })
      expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([404, '*'])
    }
  })
})
