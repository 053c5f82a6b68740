import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Engine } from '../../../../engine/index.ts'
import { appOf } from '../../search/support/app.ts'
import { membersOf, namesOf } from './archives.ts'
import {
  ANNOTATIONS,
  idOf,
  listed,
  md5Of,
  type RetainedFile,
  recordOf,
  SURROUNDINGS,
  someBytes,
} from './download-records.ts'
import { type DownloadWorld, openWorld } from './download-world.ts'

// Properties of downloads wherever their bytes are sent from: real files behind the real engine.

/** A service, or a server in front of it. */
interface Asked {
  request(path: string, init?: RequestInit): Promise<Response>
  close(): Promise<void>
}

const file = (n: number, name: string, length: number): RetainedFile => ({
  id: idOf(n),
  name,
  bytes: someBytes(length, n),
})
const LARGE = file(1, 'large.bin', 2_500_000)
const SMALL = file(2, 'small.txt', 1000)
const EMPTY = file(3, 'empty.txt', 0)
const CLOSED = file(4, 'closed.bam', 4000)
const INDEX = file(5, 'closed.bam.bai', 77)
const GERMAN = file(6, 'Größe und Maß.tsv', 10)
const ABSENT = file(7, 'absent.txt', 5)
const ALONE = file(8, 'alone.txt', 9)
const ABSENT_TOO = file(11, 'absent-too.txt', 6)
const ABSENT_CLOSED = file(13, 'absent-closed.txt', 6)
/** The bytes of this replaced file are still stored. */
const OLD = file(12, 'old.txt', 8)
const INDEXED = file(9, 'indexed.vcf', 11)
const LOST_INDEX = file(10, 'indexed.vcf.tbi', 3)
/** The index of this file is stored next to its bytes, and has neither a record nor an md5. */
const BESIDE = file(14, 'beside.cram', 20)
const BESIDE_INDEX = file(14, 'beside.cram.crai', 2000)

const RECORDS = {
  ...SURROUNDINGS,
  files: [
    recordOf(LARGE),
    recordOf(SMALL, { annotations: ANNOTATIONS.map((annotation_id) => ({ annotation_id })) }),
    recordOf(EMPTY),
    recordOf(CLOSED, { access: 'controlled', acl: ['ALPHA-1'], index_files: [listed(INDEX)] }),
    recordOf(GERMAN),
    recordOf(ABSENT),
    recordOf(ABSENT_TOO),
    recordOf(ABSENT_CLOSED, { access: 'controlled', acl: ['ALPHA-1'] }),
    recordOf(INDEXED, { index_files: [listed(LOST_INDEX)] }),
  ],
  replaced: [{ id: OLD.id, next: { id: SMALL.id }, release: '1.0' }],
}

/** Tests of downloads from the server that `open` starts over an engine and its data folder. */
/** Headers of the message itself; nginx also drops Vary when it sends the bytes. */
const DIFFERING = new Set(['x-request-id', 'connection', 'keep-alive', 'date', 'vary'])

export function testDownloads(open: (engine: Engine, folder: string) => Promise<Asked>): void {
  let world: DownloadWorld
  let app: Asked
  let token = ''

  beforeAll(async () => {
    world = await openWorld(RECORDS)
    for (const kept of [LARGE, SMALL, EMPTY, CLOSED, INDEX, GERMAN, INDEXED])
      await world.store(kept)
    for (const kept of [ALONE, OLD]) await world.store(kept, { access: 'open' })
    await world.store(BESIDE, { acl: ['ALPHA-1'], indexName: BESIDE_INDEX.name })
    await world.replace(BESIDE_INDEX)
    app = await open(world.engine, world.folder)
    token = (await world.engine.shared.tokens.create({ user: 'ada', projects: ['ALPHA-1'] })).secret
  })
  afterAll(async () => {
    await app.close()
    await world.close()
  })

  const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    app.request(path, { method, headers })
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    app.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const form = (path: string, body: string) =>
    app.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    })
  const header = (response: Response, name: string) => response.headers.get(name)

  describe('an index, by the address of its file', () => {
    const auth = () => ({ 'x-auth-token': token })

    test('that is a file of its own comes as that', async () => {
      const response = await ask(`/data/${CLOSED.id}.bai`, auth())
      expect(response.status).toBe(200)
      expect(header(response, 'etag')).toBe(`"${md5Of(INDEX.bytes)}"`)
      expect((await bytesOf(response)).equals(INDEX.bytes)).toBe(true)
    })

    test('that is kept beside the bytes has name, length and entity tag, and takes ranges', async () => {
      const path = `/data/${BESIDE.id.toUpperCase()}.CRAI`
      const whole = await ask(path, auth())
      const etag = header(whole, 'etag') ?? ''
      expect(Object.fromEntries(whole.headers)).toMatchObject({
        'content-disposition': 'attachment; filename=beside.cram.crai',
        'content-length': '2000',
        'accept-ranges': 'bytes',
        'cache-control': 'private, no-store, no-transform',
      })
      expect((await bytesOf(whole)).equals(BESIDE_INDEX.bytes)).toBe(true)
      const part = await ask(path, { ...auth(), range: 'bytes=1990-', 'if-range': etag })
      expect([part.status, header(part, 'content-range')]).toEqual([206, 'bytes 1990-1999/2000'])
      expect((await bytesOf(part)).equals(BESIDE_INDEX.bytes.subarray(1990))).toBe(true)
      expect((await ask(path, { ...auth(), 'if-none-match': etag })).status).toBe(304)
      expect((await ask(path, { ...auth(), 'if-match': '"other"' })).status).toBe(412)
      const head = await ask(path, auth(), 'HEAD')
      expect([head.status, header(head, 'content-length')]).toEqual([200, '2000'])
    })

    test('has another entity tag after it was made again', async () => {
      const path = `/data/${BESIDE.id}.crai`
      const before = await ask(path, auth(), 'HEAD')
      await world.replace({ ...BESIDE_INDEX, bytes: someBytes(2000, 99) })
      const after = await ask(path, auth(), 'HEAD')
      expect(header(after, 'etag')).not.toBe(header(before, 'etag'))
      await world.replace(BESIDE_INDEX)
    })

    test.each([
      ['of another kind', `${CLOSED.id}.csi`, 404],
      ['whose bytes are not here', `${INDEXED.id}.tbi`, 404],
      ['of a file without', `${SMALL.id}.bai`, 404],
      ['of an id that is none', `${idOf(99)}.bai`, 404],
      ['of a superseded file', `${OLD.id}.bai`, 404],
      ['as an archive', `${BESIDE.id}.crai?tarfile`, 400],
      ['among ids', `${SMALL.id},${BESIDE.id}.crai`, 404],
    ])('%s', async (_, path, status) => {
      expect((await ask(`/data/${path}`, auth())).status).toBe(status)
    })

    test.each([
      ['no token', undefined],
      ['a token without the right', 'other'],
    ])('is refused to %s as the file is', async (_, who) => {
      const other = await world.engine.shared.tokens.create({ user: 'otto', projects: ['BETA-1'] })
      const headers: Record<string, string> = who ? { 'x-auth-token': other.secret } : {}
      for (const path of [`${BESIDE.id}.crai`, `${CLOSED.id}.bai`]) {
        const index = await ask(`/data/${path}`, headers)
        const file = await ask(`/data/${path.replace(/\..*/, '')}`, headers)
        expect([index.status, await index.json()]).toEqual([403, await file.json()])
      }
    })
  })

  describe('a file', () => {
    test('data-commons.md 5.2: comes with every header that clients read', async () => {
      const response = await ask(`/data/${LARGE.id}`, { 'accept-encoding': 'gzip, deflate, br' })
      expect(response.status).toBe(200)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-disposition': 'attachment; filename=large.bin',
        'content-length': '2500000',
        'content-md5': md5Of(LARGE.bytes),
        'content-type': 'application/octet-stream',
        'accept-ranges': 'bytes',
        'cache-control': 'no-transform',
        etag: `"${md5Of(LARGE.bytes)}"`,
        'last-modified': 'Mon, 03 Feb 2025 04:05:06 GMT',
        'x-casemill-release': 'first',
      })
      expect(header(response, 'content-encoding')).toBeNull()
      expect((await bytesOf(response)).equals(LARGE.bytes)).toBe(true)
    })

    test('HEAD has the same headers and no body, whatever range it names', async () => {
      const get = await ask(`/data/${LARGE.id}`)
      await get.arrayBuffer()
      const head = await ask(`/data/${LARGE.id}`, { range: 'bytes=0-1' }, 'HEAD')
      const told = (response: Response) =>
        [...response.headers].filter(([name]) => !DIFFERING.has(name))
      expect([head.status, told(head)]).toEqual([200, told(get)])
      expect(await bytesOf(head)).toHaveLength(0)
      expect(world.engine.load().activeDownloads).toBe(0)
    })

    test.each([
      ['POST JSON', () => post('/data', { ids: [SMALL.id] })],
      ['POST JSON, one text', () => post('/data/', { ids: SMALL.id })],
      ['POST, nested arrays', () => post('/data', { ids: [[[SMALL.id.toUpperCase()]], []] })],
      ['POST, twice the same', () => post('/v0/data', { ids: [SMALL.id, ` ${SMALL.id} `] })],
      ['POST form', () => form('/data', `ids=${SMALL.id}&size=&attachment=true&filters=%7B%7D`)],
      ['POST form, commas', () => form('/data', `ids=${SMALL.id},,${SMALL.id.toUpperCase()}`)],
      ['POST beside the path', () => post(`/data/${SMALL.id}`, {})],
      ['GET, query', () => ask(`/data?ids=${SMALL.id}`)],
      ['GET, upper case and blanks', () => ask(`//data//%20${SMALL.id.toUpperCase()}%20,/`)],
      [
        'options that are off',
        () => ask(`/data/${SMALL.id}?related_files=false&annotations=FALSE`),
      ],
    ])('one id is the file itself: %s', async (_, send) => {
      const response = await send()
      expect(response.status).toBe(200)
      expect(header(response, 'content-md5')).toBe(md5Of(SMALL.bytes))
      expect((await bytesOf(response)).equals(SMALL.bytes)).toBe(true)
    })

    test('a name that is no plain token is sent in both forms', async () => {
      const response = await ask(`/data/${GERMAN.id}`)
      await response.arrayBuffer()
      const forms = (header(response, 'content-disposition') ?? '').split('; ')
      expect(forms.toSorted()).toEqual([
        'attachment',
        "filename*=UTF-8''Gr%C3%B6%C3%9Fe%20und%20Ma%C3%9F.tsv",
        'filename=Gr__e_und_Ma_.tsv',
      ])
    })

    test('an empty file has the length 0, and no ranges', async () => {
      const whole = await ask(`/data/${EMPTY.id}`)
      expect([whole.status, header(whole, 'content-length')]).toEqual([200, '0'])
      expect(header(whole, 'content-md5')).toBe('d41d8cd98f00b204e9800998ecf8427e')
      expect(await bytesOf(whole)).toHaveLength(0)
      const range = await ask(`/data/${EMPTY.id}`, { range: 'bytes=0-' })
      expect([range.status, header(range, 'content-range')]).toEqual([416, 'bytes */0'])
    })

    test('a stored file that no record speaks of goes by the catalogue', async () => {
      const response = await ask(`/data/${ALONE.id}`)
      expect((await bytesOf(response)).equals(ALONE.bytes)).toBe(true)
    })
  })

  describe('ranges', () => {
    test('206 has the bytes, their place, their number, and the md5 of the whole', async () => {
      const response = await ask(`/data/${LARGE.id}`, { range: 'bytes=1000-2000099' })
      expect(response.status).toBe(206)
      expect(header(response, 'content-range')).toBe('bytes 1000-2000099/2500000')
      expect(header(response, 'content-length')).toBe('1999100')
      expect(header(response, 'content-md5')).toBe(md5Of(LARGE.bytes))
      expect((await bytesOf(response)).equals(LARGE.bytes.subarray(1000, 2_000_100))).toBe(true)
    })

    test('416 tells the size, as JSON', async () => {
      const response = await ask(`/data/${SMALL.id}`, { range: 'bytes=1000-' })
      expect([response.status, header(response, 'content-range')]).toEqual([416, 'bytes */1000'])
      expect(await response.text()).toMatch(/^\{"error":"/)
    })

    test.each(['bytes=0-1,4-5', 'items=0-1', 'bytes=5-1', 'bytes'])(
      '%s is the whole',
      async (range) => {
        const response = await ask(`/data/${SMALL.id}`, { range })
        expect([response.status, header(response, 'content-range')]).toEqual([200, null])
        expect(await bytesOf(response)).toHaveLength(1000)
      },
    )

    test('If-Range with another validator is the whole, with this one the part', async () => {
      const range = 'bytes=0-9'
      const status = async (value: string) => {
        const response = await ask(`/data/${SMALL.id}`, { range, 'if-range': value })
        await response.arrayBuffer()
        return response.status
      }
      expect(await status(`"${md5Of(SMALL.bytes)}"`)).toBe(206)
      expect(await status('Mon, 03 Feb 2025 04:05:06 GMT')).toBe(206)
      expect(await status('"other"')).toBe(200)
      expect(await status('Mon, 03 Feb 2025 04:05:07 GMT')).toBe(200)
    })

    test('304 and 412 say what the client holds', async () => {
      const etag = `"${md5Of(SMALL.bytes)}"`
      const held = await ask(`/data/${SMALL.id}`, { 'if-none-match': etag, range: 'bytes=0-1' })
      expect([held.status, header(held, 'etag')]).toEqual([304, etag])
      expect(header(held, 'x-casemill-release')).toBe('first')
      const other = await ask(`/data/${SMALL.id}`, { 'if-match': '"other"' })
      expect(other.status).toBe(412)
      expect(await other.text()).toMatch(/^\{"error":"/)
    })

    test('any range of a file or of a tar is that part of the whole', async () => {
      const tar = `/data/${SMALL.id},${LARGE.id},${EMPTY.id}?tarfile`
      const wholes = new Map<string, Buffer>()
      for (const path of [`/data/${LARGE.id}`, tar])
        wholes.set(path, await bytesOf(await ask(path)))
      const target = fc.constantFrom(...wholes.keys())
      const edge = fc
        .constantFrom(0, 512, 1024, 1536, 1 << 20, 2 << 20, 2_500_000)
        .chain((place) => fc.integer({ min: -2, max: 2 }).map((by) => Math.max(place + by, 0)))
      const place = fc.oneof(edge, fc.nat(2_503_000))
      const anyRange = fc.asyncProperty(target, place, place, async (path, one, other) => {
        const whole = wholes.get(path) ?? Buffer.of()
        const [first, last] = [Math.min(one, other), Math.max(one, other)]
        const response = await ask(path, { range: `bytes=${first}-${last}` })
        const part = await bytesOf(response)
        const isBehind = first >= whole.length
        expect(response.status).toBe(isBehind ? 416 : 206)
        expect(isBehind || part.equals(whole.subarray(first, last + 1))).toBe(true)
      })
      await fc.assert(anyRange, { seed: 7, numRuns: 60 })
    })

    test('a tar is resumed by ranges one after the other, by POST too', async () => {
      const body = { ids: [SMALL.id, LARGE.id, GERMAN.id] }
      const whole = await bytesOf(await post('/data?tarfile', body))
      const parts: Buffer[] = []
      for (let start = 0; start < whole.length; start += 700_001) {
        const range = `bytes=${start}-${start + 700_000}`
        parts.push(await bytesOf(await post('/data?tarfile', body, { range })))
      }
      expect(Buffer.concat(parts).equals(whole)).toBe(true)
    })
  })

  describe('archives', () => {
    const both = `${SMALL.id},${LARGE.id}`

    test('several ids are a tar.gz, of unknown length and without ranges', async () => {
      const response = await ask(`/data/${both}`, { range: 'bytes=0-1' })
      expect(response.status).toBe(200)
      expect(header(response, 'content-type')).toBe('application/x-gzip')
      expect(header(response, 'content-disposition')).toMatch(
        /^attachment; filename=download_\d{8}_\d{6}\.\d{6}\.tar\.gz$/,
      )
      const absent = [
        'content-length',
        'etag',
        'accept-ranges',
        'content-encoding',
        'last-modified',
      ]
      for (const name of absent) expect(header(response, name)).toBeNull()
      const members = await membersOf(await bytesOf(response))
      expect(members.map(({ name }) => name)).toEqual([
        'MANIFEST.txt',
        `${SMALL.id}/small.txt`,
        `${LARGE.id}/large.bin`,
      ])
      expect(members[0]?.bytes.toString()).toBe(
        'id\tfilename\tmd5\tsize\tstate\n' +
          `${SMALL.id}\t${SMALL.id}/small.txt\t${md5Of(SMALL.bytes)}\t1000\treleased\n` +
          `${LARGE.id}\t${LARGE.id}/large.bin\t${md5Of(LARGE.bytes)}\t2500000\treleased\n`,
      )
      expect(members[1]?.bytes.equals(SMALL.bytes)).toBe(true)
      expect(members[2]?.bytes.equals(LARGE.bytes)).toBe(true)
    })

    test('a plain tar has length, validator and date, and the request decides its order', async () => {
      const response = await ask(`/data/${LARGE.id},${SMALL.id}?tarfile`)
      const bytes = await bytesOf(response)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-length': String(bytes.length),
        'content-type': 'application/x-tar',
        'accept-ranges': 'bytes',
        'last-modified': 'Mon, 03 Jun 2024 00:00:00 GMT',
      })
      expect(header(response, 'content-md5')).toBeNull()
      expect(await namesOf(bytes)).toEqual([
        'MANIFEST.txt',
        `${LARGE.id}/large.bin`,
        `${SMALL.id}/small.txt`,
      ])
      const etag = header(response, 'etag') ?? ''
      const again = await ask(`/data/${LARGE.id},${SMALL.id}?tarfile=true`, {
        'if-none-match': etag,
      })
      expect(again.status).toBe(304)
      // Another release of the same day may have other files.
      const since = { 'if-modified-since': 'Mon, 03 Jun 2024 00:00:00 GMT' }
      const dated = await ask(`/data/${LARGE.id},${SMALL.id}?tarfile`, since)
      expect([dated.status, (await bytesOf(dated)).equals(bytes)]).toEqual([200, true])
      const turned = await ask(`/data/${both}?tarfile=`, { 'if-none-match': etag })
      expect([turned.status, (await bytesOf(turned)).length]).toEqual([200, bytes.length])
    })

    test.each(['', '?tarfile'])('the same request gives the same bytes (%s)', async (query) => {
      const one = await bytesOf(await ask(`/data/${both}${query}`))
      const other = await bytesOf(await ask(`/data/${both}${query}`))
      expect(one.equals(other)).toBe(true)
    })

    test('a tar.gz holds the plain tar', async () => {
      const plain = await bytesOf(await ask(`/data/${both}?tarfile`))
      const packed = await bytesOf(await ask(`/data/${both}?tarfile&compress`))
      expect(gunzipSync(packed).equals(plain)).toBe(true)
    })

    test.each([
      ['?tarfile', 'application/x-tar', [`${SMALL.id}/small.txt`]],
      ['?compress', 'application/x-gzip', [`${SMALL.id}/small.txt`]],
      ['?compress=true', 'application/x-gzip', [`${SMALL.id}/small.txt`]],
      ['?related_files=true', 'application/x-gzip', [`${SMALL.id}/small.txt`]],
      [
        '?annotations=true&tarfile',
        'application/x-tar',
        [`${SMALL.id}/small.txt`, `${SMALL.id}/annotations.txt`],
      ],
    ])('one id with %s is an archive', async (query, type, names) => {
      const response = await ask(`/data/${SMALL.id}${query}`)
      expect(header(response, 'content-type')).toBe(type)
      expect(await namesOf(await bytesOf(response))).toEqual(names)
      const [, flag = '', value = true] = /^\?(\w+)(?:=(\w+))?/.exec(query) ?? []
      const byBody = await post('/data', {
        ids: [SMALL.id],
        [flag]: value,
        ...(query.endsWith('&tarfile') ? { tarfile: '' } : {}),
      })
      expect(await namesOf(await bytesOf(byBody))).toEqual(names)
    })

    test('related files lie in the folder of their file', async () => {
      const headers = { 'x-auth-token': token }
      const response = await ask(`/data/${CLOSED.id}?related_files=true&tarfile`, headers)
      expect(header(response, 'cache-control')).toBe('private, no-store, no-transform')
      const members = await membersOf(await bytesOf(response))
      expect(members.map(({ name }) => name)).toEqual([
        'MANIFEST.txt',
        `${CLOSED.id}/closed.bam`,
        `${CLOSED.id}/closed.bam.bai`,
      ])
      expect(members[2]?.bytes.equals(INDEX.bytes)).toBe(true)
    })

    test('ids of annotations give their text at the top level', async () => {
      const response = await post('/data?compress', { ids: ANNOTATIONS.toReversed() })
      const [only, ...others] = await membersOf(await bytesOf(response))
      expect([header(response, 'content-type'), only?.name, others]).toEqual([
        'application/x-gzip',
        'annotations.txt',
        [],
      ])
      const rest = `case\t${idOf(900)}\tGeneral\tObservation\t2020-01-02T03:04:05Z\tApproved`
      expect(only?.bytes.toString()).toBe(
        'id\tsubmitter_id\tentity_type\tentity_id\tcategory\tclassification\tcreated_datetime\tstatus\tnotes\n' +
          `${ANNOTATIONS[1]}\tnote-1\t${rest}\t\n` +
          `${ANNOTATIONS[0]}\tnote-0\t${rest}\ta tab and a line\n`,
      )
    })

    test('HEAD of a tar tells its length', async () => {
      const head = await ask(`/data/${both}?tarfile`, {}, 'HEAD')
      const get = await bytesOf(await ask(`/data/${both}?tarfile`))
      expect(header(head, 'content-length')).toBe(String(get.length))
    })
  })

  describe('files whose bytes are not here', () => {
    const rowOf = ({ id, name, bytes }: RetainedFile, state: string) =>
      `${id}\t${id}/${name}\t${md5Of(bytes)}\t${bytes.length}\t${state}\n`

    test('are left out of an archive, which tells them, and is complete otherwise', async () => {
      const body = { ids: [ABSENT.id, SMALL.id, ABSENT_TOO.id, GERMAN.id] }
      for (const option of ['', '?tarfile']) {
        const response = await post(`/data${option}`, body)
        expect(response.status).toBe(200)
        expect(header(response, 'x-files-omitted')).toBe(`${ABSENT.id}, ${ABSENT_TOO.id}`)
        expect(header(response, 'x-casemill-release')).toBe('first')
        const members = await membersOf(await bytesOf(response))
        expect(members.map(({ name }) => name)).toEqual([
          'MANIFEST.txt',
          `${SMALL.id}/small.txt`,
          `${GERMAN.id}/${GERMAN.name}`,
        ])
        expect(members[0]?.bytes.toString()).toBe(
          'id\tfilename\tmd5\tsize\tstate\n' +
            rowOf(ABSENT, 'not stored') +
            rowOf(SMALL, 'released') +
            rowOf(ABSENT_TOO, 'not stored') +
            rowOf(GERMAN, 'released'),
        )
        expect(members[1]?.bytes.equals(SMALL.bytes)).toBe(true)
      }
      const head = await ask(`/data/${ABSENT.id},${SMALL.id}?tarfile`, {}, 'HEAD')
      expect([head.status, header(head, 'x-files-omitted')]).toEqual([200, ABSENT.id])
      const whole = await ask(`/data/${LARGE.id},${SMALL.id}?tarfile`, {}, 'HEAD')
      expect(header(whole, 'x-files-omitted')).toBeNull()
    })

    test('are left out beside the file that they belong to', async () => {
      const response = await ask(`/data/${INDEXED.id}?related_files=true`)
      expect(header(response, 'x-files-omitted')).toBe(LOST_INDEX.id)
      const [manifest, ...others] = await membersOf(await bytesOf(response))
      expect(manifest?.bytes.toString()).toContain(
        `\n${LOST_INDEX.id}\t${INDEXED.id}/${LOST_INDEX.name}\t`,
      )
      expect(others.map(({ name }) => name)).toEqual([`${INDEXED.id}/indexed.vcf`])
      const alone = await ask(`/data/${INDEXED.id}`)
      expect([alone.status, (await bytesOf(alone)).length]).toEqual([200, 11])
    })

    test('sink no texts about annotations', async () => {
      const response = await post('/data?tarfile', { ids: [ABSENT.id, ANNOTATIONS[0]] })
      expect(await namesOf(await bytesOf(response))).toEqual(['MANIFEST.txt', 'annotations.txt'])
    })

    test('a controlled one without a right still refuses the whole archive', async () => {
      expect((await ask(`/data/${ABSENT.id},${CLOSED.id}`)).status).toBe(403)
      expect((await ask(`/data/${ABSENT_CLOSED.id}`)).status).toBe(403)
      expect((await ask(`/data/${SMALL.id},${ABSENT_CLOSED.id}`)).status).toBe(403)
      const headers = { 'x-auth-token': token }
      expect((await ask(`/data/${ABSENT_CLOSED.id}`, headers)).status).toBe(404)
      const both = await ask(`/data/${SMALL.id},${ABSENT_CLOSED.id}`, headers, 'HEAD')
      expect(both.status).toBe(200)
    })

    test('a header names fifty of them, and the manifest all', async () => {
      const many = Array.from({ length: 60 }, (_, i) => file(200 + i, `${i}.txt`, 3))
      const other = await openWorld({
        ...SURROUNDINGS,
        files: [...many, SMALL].map((f) => recordOf(f)),
      })
      await other.store(SMALL)
      const ids = [...many, SMALL].map(({ id }) => id)
      const response = await appOf(other.engine).request('/data', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ids }),
      })
      const named = header(response, 'x-files-omitted')?.split(', ')
      expect(named).toEqual([...ids.slice(0, 50), 'and 10 more'])
      const [manifest] = await membersOf(await bytesOf(response))
      expect(manifest?.bytes.toString().match(/\tnot stored\n/g)).toHaveLength(60)
      await other.close()
    })
  })

  describe('refusals', () => {
    const refusal = async (response: Response) => {
      const { error, message } = JSON.parse(await response.text())
      expect(message).toBe(error)
      return [response.status, error]
    }

    test.each([
      ['GET /data', () => ask('/data')],
      ['GET /data/,', () => ask('/data/%20,')],
      ['POST without ids', () => post('/data', {})],
      ['POST of no ids', () => post('/data', { ids: [] })],
      ['POST of {}', () => post('/data', { ids: {} })],
      ['POST of nothing', () => app.request('/data', { method: 'POST' })],
      ['POST of numbers', () => post('/data', { ids: [1] })],
      ['POST of objects', () => post('/data', { ids: [{ id: SMALL.id }] })],
      ['manifest', () => ask('/manifest')],
    ])('no ids are 400: %s', async (_, send) => {
      const [status, text] = await refusal(await send())
      expect([status, text]).toEqual([
        400,
        expect.stringMatching(/^(no ids are given|ids are to be)/),
      ])
    })

    test('an unknown id is 404 and named, beside good ones and closed ones', async () => {
      for (const path of [`${idOf(99)}`, `${CLOSED.id},${idOf(99)}`, `${SMALL.id},${idOf(99)}`]) {
        const text = `no file has the id "${idOf(99)}"`
        expect(await refusal(await ask(`/data/${path}`))).toEqual([404, text])
      }
    })

    test('bytes that are not here are 404, with a token too, and in an archive of nothing else', async () => {
      const text = `file ${ABSENT.id} is known, but its bytes are not stored here`
      expect(await refusal(await ask(`/data/${ABSENT.id}`))).toEqual([404, text])
      const headers = { 'x-auth-token': token }
      expect(await refusal(await ask(`/data/${ABSENT.id}`, headers))).toEqual([404, text])
      for (const option of ['tarfile', 'compress', 'related_files', 'annotations']) {
        expect(await refusal(await ask(`/data/${ABSENT.id}?${option}`))).toEqual([404, text])
      }
      expect(await refusal(await post('/data', { ids: [ABSENT.id, ABSENT_TOO.id] }))).toEqual([
        404,
        text,
      ])
    })

    test('a superseded id is 404, names the latest one and leads to it', async () => {
      for (const prefix of ['', '/v0']) {
        for (const path of [OLD.id, `${SMALL.id},${OLD.id}`, `${OLD.id.toUpperCase()}?tarfile`]) {
          const response = await ask(`${prefix}/data/${path}`)
          const link = header(response, 'link')
          expect(await refusal(response)).toEqual([
            404,
            `file ${OLD.id} was superseded by ${SMALL.id}; request that one`,
          ])
          expect(link).toBe(`<${prefix}/data/${SMALL.id}>; rel="latest-version"`)
          const latest = await ask(/^<(.+?)>/.exec(link ?? '')?.[1] ?? '')
          expect((await bytesOf(latest)).equals(SMALL.bytes)).toBe(true)
        }
      }
    })

    test('one closed file fails the archive', async () => {
      const text = "You don't have access to the data: Please specify a X-Auth-Token"
      const path = `/data/${SMALL.id},${INDEX.id}?tarfile`
      expect(await refusal(await ask(path))).toEqual([403, text])
      const stranger = (
        await world.engine.shared.tokens.create({ user: 'eve', projects: ['BETA-2'] })
      ).secret
      expect(await refusal(await ask(path, { 'x-auth-token': stranger }))).toEqual([
        403,
        `You don't have access to the data: Requested file ${INDEX.id} does not allow read access`,
      ])
    })

    test('GET takes a hundred ids and says how to send more', async () => {
      const ids = Array.from({ length: 101 }, (_, i) => idOf(i + 10_000))
      expect((await ask(`/data/${ids.slice(1)}`)).status).toBe(404)
      const [status, text] = await refusal(await ask(`/data/${ids}`))
      expect([status, text]).toEqual([400, expect.stringContaining('POST /data')])
    })

    test('an archive takes ten thousand files', async () => {
      const ids = Array.from({ length: 10_001 }, (_, i) => idOf(i + 10_000))
      expect((await post('/data', { ids: ids.slice(1) })).status).toBe(404)
      expect((await post('/data', { ids })).status).toBe(400)
    })

    // Every client resolves `/data/..` to the page at `/`.
    test.each([
      '%2e%2e%2f%2e%2e%2fstate.sqlite',
      '..%5c..%5cstate.sqlite',
      '%00',
      `${SMALL.id}%00`,
      `${SMALL.id}%2f..%2f${CLOSED.id}`,
      `${SMALL.id}%0d%0aX-Evil:%201`,
      'x'.repeat(10_000),
      '%F0%9F%A7%AC',
      '%ff%fe',
      '%E2%80%AE',
      'constructor',
      '__proto__',
    ])('%s is no id, and leads nowhere', async (id) => {
      for (const path of [`/data/${id}`, `/manifest/${id}`, `/data/${id}?tarfile`]) {
        const response = await ask(path)
        expect([400, 404]).toContain(response.status)
        expect(header(response, 'x-evil')).toBeNull()
        expect((await response.text()).length).toBeLessThan(600)
      }
    })
  })

  describe('manifests', () => {
    test('the three ways give the same bytes', async () => {
      const ids = [SMALL.id, LARGE.id, CLOSED.id]
      const filters = { op: 'in', content: { field: 'file_id', value: ids } }
      const found = await post('/files', { filters, return_type: 'manifest' })
      const expected = await found.text()
      expect(expected.split('\n')).toHaveLength(5)
      const named = await ask(`/manifest/${ids.join(',')}`)
      expect(await named.text()).toBe(expected)
      expect(header(named, 'content-type')).toBe('text/tab-separated-values')
      expect(header(named, 'content-disposition')).toMatch(
        /^attachment; filename=manifest_\d{8}_\d{6}\.txt$/,
      )
      expect(await (await post('/manifest', { ids: [ids, [ids]] })).text()).toBe(expected)
    })

    test('one unknown id is 404 and named', async () => {
      const response = await post('/manifest', { ids: [SMALL.id, idOf(99)] })
      expect([response.status, await response.text()]).toEqual([
        404,
        expect.stringContaining(idOf(99)),
      ])
    })
  })
}
